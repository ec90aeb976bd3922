import pytest

from faultyard.cli.errors import exit_code
from faultyard.clusters.errors import NotReady, WrongSetting
from faultyard.clusters.patience import VARIABLE, stretched
from faultyard.clusters.waiting import wait_for


def test_deadlines_are_as_they_are_unless_more_patience_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert stretched(60) == 60
    monkeypatch.setenv(VARIABLE, "2.5")
    assert stretched(60) == 150


def test_what_is_waited_for_is_looked_at_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    def looks() -> int:
        seen: list[int] = []
        with pytest.raises(NotReady):
            wait_for("it", lambda: (seen.append(1), "none"), timeout_s=0.05, every_s=0.02)
        return len(seen)

    once = looks()
    monkeypatch.setenv(VARIABLE, "20")
    assert looks() > 2 * once


@pytest.mark.parametrize("value", ["0.5", "-1", "much", "nan", "inf"])
def test_another_value_is_wrong_usage(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    with pytest.raises(WrongSetting, match="FAULTYARD_PATIENCE") as caught:
        stretched(1)
    assert exit_code(caught.value) == 2
