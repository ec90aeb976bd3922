"""One tool: its name, what it takes, what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from faultyard.model.errors import ModelError
from faultyard.tools.errors import Malformed

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True)
class Answer:
    """What a tool says."""

    text: str
    is_error: bool = False
    """The tool did what it was asked, and that failed: kubectl exited with 1."""
    cut: bool = False
    """Something was left out; the text says so."""


@dataclass(frozen=True)
class Form(Generic[A]):
    """What a tool takes."""

    schema: Mapping[str, Any]
    """As JSON Schema, with a description of each field, for the agent."""
    read: Callable[[object], A]
    """Checks what was sent; raises `Malformed` or a `ModelError`, in words for the agent."""

    @classmethod
    def of(cls, model: type[A]) -> Form[A]:
        """The form that a model describes."""

        def read(arguments: object) -> A:
            try:
                return model.model_validate(arguments)
            except ValidationError as error:
                wrong = "; ".join(_complaint(dict(e)) for e in error.errors(include_url=False))
                raise Malformed(f"{wrong}. {_takes(model)}") from error

        return cls(model.model_json_schema(), read)


@dataclass(frozen=True)
class Tool(Generic[A]):
    """A tool.

    Args:
        name: as the agent calls it.
        description: for the agent.
        form: what it takes.
        act: does it. It runs in a thread of its own and may be called several times at once; it
            raises `Malformed` or `Declined` for the agent to read, `ClusterError` for a failure of
            the harness.
        reads: it changes nothing.
    """

    name: str
    description: str
    form: Form[A]
    act: Callable[[A], Answer]
    reads: bool = False

    def parse(self, arguments: object) -> A:
        """Check what was sent.

        Raises:
            Malformed: it does not fit; the message names each wrong field and what there is.
        """
        try:
            return self.form.read(arguments)
        except (Malformed, ModelError) as error:
            raise Malformed(f"{self.name}: {error}") from error


def _takes(model: type[BaseModel]) -> str:
    words = [
        f"{name}{'' if field.is_required() else ' (optional)'}"
        for name, field in model.model_fields.items()
    ]
    return f"It takes: {', '.join(words)}." if words else "It takes no arguments."


def _complaint(error: dict[str, Any]) -> str:
    place = ".".join(str(part) for part in error["loc"]) or "the arguments"
    return f"{place}: {error['msg']}"
