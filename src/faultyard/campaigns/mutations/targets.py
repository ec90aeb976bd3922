"""Variants with another target: one of those that the seed draws, or a component like them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from faultyard.campaigns.mutations.variant import Variant, document_of, variant
from faultyard.model.application import Application
from faultyard.trials.problems import ProblemFolder

Entries = Mapping[str, Any]
Guess = Callable[[Application, Entries, str], Any]


def variants(found: ProblemFolder) -> Iterator[Variant]:
    """Yield the problem with every single target, and with such as it does not draw."""
    application = found.application.description
    known = {service.name for service in application.services}
    parameters: dict[str, Any] = document_of(found).get("parameters", {})
    for name, parameter in parameters.items():
        drawn = parameter.get("choose", ())
        if not drawn or not set(drawn) <= known:
            continue
        for target in drawn if len(drawn) > 1 else ():
            fixed = {**parameters, name: {"choose": [target]}}
            yield variant(found, "target", str(target), f"always on {target}", fixed)
        for target in _alike(application, drawn):
            made = _with(application, parameters, name, target)
            if made is not None:
                told = f"on {target}, which it never was on"
                yield variant(found, "target", target, told, made)


def _alike(application: Application, drawn: list[str]) -> list[str]:
    """Components that are of the same sort as those which are drawn."""
    sorts = {_sort(application, name) for name in drawn}
    names = (service.name for service in application.services)
    return [n for n in names if n not in drawn and {_sort(application, n)} == sorts]


def _sort(application: Application, name: str) -> tuple[str, str, str]:
    one = application.component(name)
    return one.role, one.protocol, one.workload.partition("/")[0]


def _with(
    application: Application, parameters: Mapping[str, Any], name: str, target: str
) -> dict[str, Any] | None:
    """The parameters for a new target; None: a look-up does not tell what it has there."""
    made = {**parameters, name: {"choose": [target]}}
    for other, parameter in parameters.items():
        looked = str(parameter.get("lookup", ""))
        if f"${{{name}}}" not in looked:
            continue
        entries = parameter["in"]
        value = _guessed(application, entries, target) if looked == f"${{{name}}}" else None
        if value is None:
            return None
        made[other] = {**parameter, "in": {**entries, target: value}}
    return made


def _guessed(application: Application, entries: Entries, target: str) -> Any:
    """What a look-up would have for a component, by a rule that all its entries follow."""
    for guess in (_port, _spelt, _caller):
        if all(guess(application, entries, each) == value for each, value in entries.items()):
            return guess(application, entries, target)
    return None


def _port(application: Application, _: Entries, name: str) -> Any:
    return application.component(name).port


def _spelt(_: Application, entries: Entries, name: str) -> Any:
    first, text = next(iter(entries.items()))
    return str(text).replace(first, name) if first in str(text) else None


def _caller(application: Application, _: Entries, name: str) -> Any:
    callers = (edge.from_ for edge in application.dependencies if edge.hard and edge.to == name)
    return next(callers, None)
