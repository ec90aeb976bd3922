"""Functions under the names that problems use: kinds of faults, of noise, of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from faultyard.clusters.errors import Refused

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


class Kinds(Generic[FunctionT]):
    """All kinds of one thing; a new one is a function that is registered.

    Args:
        what: the thing, for messages ("fault").
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._functions: dict[str, FunctionT] = {}

    def register(self, kind: str) -> Callable[[FunctionT], FunctionT]:
        """A decorator that registers a function as a kind.

        Raises:
            ValueError: there is one of this name.
        """

        def register(function: FunctionT) -> FunctionT:
            if kind in self._functions:
                raise ValueError(f"the {self._what} {kind} is registered twice")
            self._functions[kind] = function
            return function

        return register

    @property
    def names(self) -> frozenset[str]:
        """The names of all kinds."""
        return frozenset(self._functions)

    def find(self, kind: str) -> FunctionT:
        """The function of a kind.

        Raises:
            Refused: there is no such kind.
        """
        if kind not in self._functions:
            known = ", ".join(sorted(self._functions))
            raise Refused(f"no {self._what} of kind {kind}; there are: {known}")
        return self._functions[kind]
