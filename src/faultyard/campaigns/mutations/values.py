"""Variants with other values: of what a fault is given, smaller and larger ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from faultyard.campaigns.mutations.variant import Variant, document_of, variant
from faultyard.model.answers import texts
from faultyard.trials.problems import ProblemFolder

QUANTITY = re.compile(r"(\d+)([A-Za-z%]*)")
FACTORS = {"half": (1, 2), "double": (2, 1)}


def variants(found: ProblemFolder) -> Iterator[Variant]:
    """Yield the problem with each value of its faults halved and doubled, or drawn beyond."""
    document = document_of(found)
    parameters: dict[str, Any] = document.get("parameters", {})
    used = set(texts([fault.get("with", {}) for fault in document["faults"]]))
    for name, parameter in parameters.items():
        if f"${{{name}}}" not in used:
            continue
        for word, changed in _changed(parameter):
            differs = f"{name} {word}: {_shown(parameter)} becomes {_shown(changed)}"
            made = {**parameters, name: changed}
            yield variant(found, "value", f"{name}-{word}".replace("_", "-"), differs, made)


def _changed(parameter: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if "range" in parameter:
        low, high = parameter["range"]
        width = high - low + 1
        yield "above", {**parameter, "range": [high + 1, high + width]}
        if low > width:
            yield "below", {**parameter, "range": [low - width, low - 1]}
    for word, factor in FACTORS.items():
        for key in ("choose", "in"):
            values = parameter.get(key)
            if values and all(map(_is_quantity, _values(values))):
                yield word, {**parameter, key: _scaled(values, factor)}


def _values(given: Any) -> list[Any]:
    return list(given.values() if isinstance(given, Mapping) else given)


def _is_quantity(value: Any) -> bool:
    found = QUANTITY.fullmatch(str(value))
    return not isinstance(value, bool) and found is not None and int(found[1]) > 1


def _scaled(given: Any, factor: tuple[int, int]) -> Any:
    if isinstance(given, Mapping):
        return {key: _one(value, factor) for key, value in given.items()}
    return [_one(value, factor) for value in given]


def _one(value: Any, factor: tuple[int, int]) -> Any:
    found = QUANTITY.fullmatch(str(value))
    if found is None:
        raise ValueError(f"{value!r} is no quantity")
    number = int(found[1]) * factor[0] // factor[1]
    return number if isinstance(value, int) else f"{number}{found[2]}"


def _shown(parameter: Mapping[str, Any]) -> str:
    if "range" in parameter:
        return "{} to {}".format(*parameter["range"])
    return ", ".join(map(str, _values(parameter.get("choose") or parameter.get("in") or [])))
