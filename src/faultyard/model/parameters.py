"""Parameters of a problem and how a seed draws them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from faultyard.model.strict import Strict
from faultyard.model.templates import Scalar, substitute


class Parameter(Strict):
    """A value that the seed draws: exactly one of `choose`, `range`, `lookup`."""

    choose: Annotated[list[Scalar] | None, Field(min_length=1)] = None
    """One of these, each as likely."""
    range: Annotated[list[int] | None, Field(min_length=2, max_length=2)] = None
    """A whole number from the first to the last, both included."""
    lookup: str | None = None
    """Nothing is drawn: the value that `in` has for this text, usually `${another}`; it may name
    earlier parameters itself."""
    in_: Annotated[dict[str, Scalar] | None, Field(alias="in")] = None
    exclude: list[Scalar] = Field(default_factory=list)
    """Never these; may name earlier parameters as `${name}`."""

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [source for source in (self.choose, self.range, self.lookup) if source is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of choose, range, lookup")
        if (self.lookup is None) != (self.in_ is None):
            raise ValueError("lookup and in belong together")
        return self


def draw(name: str, seed: int, parameters: Mapping[str, Parameter]) -> dict[str, Scalar]:
    """Return the parameters' values for a seed, drawn in their order.

    Args:
        name: the problem's name: two problems draw differently from one seed.
        seed: any whole number.
        parameters: name -> where its value comes from.

    Raises:
        UnknownVariable: a parameter uses one that is not defined before it.
        ValueError: nothing is left to choose from, or a look-up has no entry.
    """
    generator = random.Random(f"{name}:{seed}")
    drawn: dict[str, Scalar] = {}
    for key, parameter in parameters.items():
        drawn[key] = _draw_one(key, parameter, drawn, generator)
    return drawn


def _draw_one(
    key: str, parameter: Parameter, drawn: Mapping[str, Scalar], generator: random.Random
) -> Scalar:
    place = ("parameters", key)
    if parameter.lookup is not None:
        wanted = str(substitute(parameter.lookup, drawn, place))
        entries = parameter.in_ or {}
        if wanted not in entries:
            raise ValueError(f"parameters.{key}: `in` has no entry {wanted!r}")
        found: Scalar = substitute(entries[wanted], drawn, place)
        return found
    excluded = substitute(parameter.exclude, drawn, place)
    left = [value for value in _candidates(parameter) if value not in excluded]
    if not left:
        raise ValueError(f"parameters.{key}: nothing is left to choose from")
    return generator.choice(left)


def _candidates(parameter: Parameter) -> list[Scalar]:
    if parameter.choose is not None:
        return parameter.choose
    low, high = parameter.range or (0, -1)
    return list(range(low, high + 1))
