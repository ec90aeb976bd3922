"""The agent's word that it is done, as the record has it in `agent/resolution.json`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class RecordedResolution(BaseModel):
    """agent/resolution.json."""

    schema_: Literal[1] = Field(alias="schema")
    resolved_at: float
    """Unix seconds, by the harness's clock."""
    summary: str
    """What it did, in its own words; may be empty."""
