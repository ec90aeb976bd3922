"""Sentinels: settings of the host that nothing in a cell may change, and what became of them."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

FILE: Final = "sentinels.json"


class Change(BaseModel):
    """A setting that was found to be another than before the turn."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    t: float
    """When it was found, unix seconds."""
    name: str
    before: str
    """Empty: it was not there."""
    after: str
    restored: bool
    """Whether it is as before again."""


class Sentinels(BaseModel):
    """sentinels.json."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    schema_: Literal[1] = Field(1, alias="schema")
    watched: int
    """How many settings were compared."""
    changes: tuple[Change, ...] = ()
    errors: tuple[str, ...] = ()
    """What could not be looked at."""
