"""config_duration: a setting in a ConfigMap gives whoever starts with it a sensible time span.

Looks at what the value means, not at its spelling: 1600ms is 1.6s. A key that is gone, or
empty, leaves programs to their defaults, so it passes: whether a key may go is for the boundary to
say, to which an empty one is gone.
"""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import AfterValidator

from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, over_snapshots
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict

_UNITS: Final = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3600.0,
}
_PART: Final = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)")


def seconds(text: str) -> float:
    """Return what a duration like `1m30s` or `500ms` means, in seconds.

    Raises:
        ValueError: it is none.
    """
    if text == "0":
        return 0.0
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError(f"{text!r} is not a duration like 500ms")
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _duration(text: str) -> str:
    seconds(text)
    return text


Duration = Annotated[str, AfterValidator(_duration)]


class ConfigDuration(Strict):
    """`with:` of a config_duration check."""

    namespace: str
    config_map: str
    key: str
    least: Duration
    """The shortest with which its readers work."""
    most: Duration
    """The longest with which they still do what it is for."""


@predicate("config_duration", ConfigDuration, MODES)
def config_duration(wanted: ConfigDuration, occasion: Occasion) -> Answer:
    """Judge the ConfigMap in the phase's snapshots."""
    return over_snapshots(occasion, ("configmaps",), lambda shot: _judge(wanted, shot))


def _judge(wanted: ConfigDuration, shot: Snapshot) -> Answer:
    raw = shot.objects.get(ObjectRef("ConfigMap", wanted.namespace, wanted.config_map))
    shown = f"{wanted.key} in ConfigMap {wanted.namespace}/{wanted.config_map}"
    if raw is None:
        return Answer(State.FAIL, f"there is no {shown}: the ConfigMap is gone")
    value = mapping(raw.get("data")).get(wanted.key)
    figures = {"value": "absent" if value is None else str(value)}
    if value is None or value == "":
        return Answer(State.PASS, f"there is no {shown}, so its readers have their own", figures)
    try:
        span = seconds(str(value))
    except ValueError as error:
        return Answer(State.FAIL, f"{shown}: {error}", figures)
    if not seconds(wanted.least) <= span <= seconds(wanted.most):
        needed = f"wanted {wanted.least} to {wanted.most}"
        return Answer(State.FAIL, f"{shown} is {value}, {needed}", figures)
    return Answer(State.PASS, f"{shown} is {value}", figures)
