"""A shared setting is looked at by what it means to whoever starts with it."""

from __future__ import annotations

import pytest

from faultyard.model.errors import DescriptionError
from faultyard.model.predicates import State
from faultyard.model.predicates.config_duration import seconds
from unit.model.test_snapshot_checks import result
from unit.model.world import Raw, World

PARAMETERS = "{namespace: hotel, config_map: settings, key: WAIT, least: 500ms, most: 2s}"


def shot(value: str | None) -> Raw:
    world = World()
    if value is not None:
        world.get("ConfigMap/hotel/settings")["data"]["WAIT"] = value
    return world.snapshot(1, [])


@pytest.mark.parametrize(
    "value", ["1600ms", "1.6s", "1s600ms", "500ms", "2s", "1600000us", None, ""]
)
def test_any_spelling_of_a_sensible_span_passes(value: str | None) -> None:
    assert result("config_duration", PARAMETERS, shot(value), shot(value)).state is State.PASS


@pytest.mark.parametrize(
    "value", ["1600us", "1.6ms", "499ms", "3s", "1h", "1600", "soon", "0", " "]
)
def test_what_is_too_short_too_long_or_no_span_fails(value: str) -> None:
    found = result("config_duration", PARAMETERS, shot(value), shot(value))
    assert (found.state, found.figures) == (State.FAIL, {"value": value})


def test_a_config_map_that_is_gone_fails() -> None:
    world = World()
    world.remove("ConfigMap/hotel/settings")
    gone = world.snapshot(1, [])
    assert result("config_duration", PARAMETERS, gone, gone).state is State.FAIL


def test_a_snapshot_without_config_maps_is_an_error() -> None:
    blind = shot("1s") | {"errors": [{"resource": "configmaps.", "message": "time-out"}]}
    assert result("config_duration", PARAMETERS, blind, blind).state is State.ERROR


def test_spans_are_read_as_the_programs_read_them() -> None:
    assert [seconds(text) for text in ("0", "1m30s", ".5s", "2h")] == [0, 90, 0.5, 7200]


def test_bounds_that_are_no_spans_are_refused() -> None:
    with pytest.raises(DescriptionError, match="not a duration like 500ms"):
        result("config_duration", PARAMETERS.replace("2s", "two"), shot("1s"), shot("1s"))
