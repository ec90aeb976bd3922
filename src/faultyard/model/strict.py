"""The base of every description that people write: unknown fields are mistakes."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """Immutable, with no field beside those declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
