from __future__ import annotations

import time

import pytest

from faultyard.tools.arguments import moment, written


@pytest.mark.parametrize(("text", "ago"), [("now", 0), ("-90s", 90), ("-15m", 900), ("-2h", 7200)])
def test_moments_before_now(text: str, ago: float) -> None:
    assert moment(text) == pytest.approx(time.time() - ago, abs=5)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T08:30:00Z",
        "2026-01-31T09:30:00+01:00",
        "2026-01-31T08:30:00",
        "2026-01-31 08:30",
        "1769848200",
        "1769848200.0",
    ],
)
def test_moments_by_date_are_in_utc_unless_told(text: str) -> None:
    assert moment(text) == 1769848200
    assert written(1769848200) == "2026-01-31T08:30:00Z"


@pytest.mark.parametrize("text", ["", "soon", "15m", "-15 m", "nan", "1e9", "-1y", "99-99-99"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no time"):
        moment(text)
