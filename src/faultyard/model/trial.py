"""trial.json: who, what and when, as the trial wrote it down."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from faultyard.model.application import Application
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef

_LONGEST_S: Final = 86_400.0
_LAST: Final = 4_102_444_800.0
"""Unix seconds at the end of the century."""
_WINDOWS: Final = (
    ("healthy_from", "healthy_to"),
    ("fault_visible_from", "fault_visible_to"),
    ("turn_start", "turn_end"),
    ("hold_start", "hold_end"),
)
"""Names of the moments between which a trial is looked at."""


class _Part(BaseModel):
    # Later versions of schema 1 may add fields; what is read here keeps its meaning.
    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)


class Identity(_Part):
    """Who the agent is to the API server."""

    username: str
    credential_id: str = ""
    """Of the credential minted for this trial; empty: any credential of the user."""


class Markers(_Part):
    """Nonces that the harness asked for when the turn began and ended."""

    turn_start: str = ""
    turn_end: str = ""


class PhaseError(_Part):
    """Something that failed through the harness."""

    phase: str
    message: str


class BrokenByAgent(_Part):
    """Something by which the trial holds the agent; it worked when the session was opened."""

    what: str
    """One sentence."""
    evidence: str


class Injection(_Part):
    """A fault that was injected in the turn; who deploys is then the harness."""

    since: float
    """Unix seconds."""
    until: float
    username: str
    """By whom."""


class Step(_Part):
    """One step of the turn's protocol."""

    t: float
    """Unix seconds."""
    what: str
    detail: str = ""


class Trial(_Part):
    """trial.json.

    Schema 2 promises the watch with the first snapshot; in a record of schema 1 nothing of it is
    missed.
    """

    schema_: Literal[1, 2] = Field(alias="schema")
    problem: str
    problem_hash: str
    seed: int
    agent: str
    application: str
    identity: Identity
    harness_users: list[str]
    session_objects: list[str] = []
    declared_changes: list[DeclaredChange] = []
    injections: list[Injection] = []
    """Those in the turn."""
    markers: Markers = Markers()
    times: dict[str, float]
    turn_end_reason: str = ""
    exit_code: int | None = None
    errors: list[PhaseError] = []
    broken_by_agent: list[BrokenByAgent] = []
    protocol: list[Step] = []
    """How the turn began and ended, in order."""

    @field_validator("times")
    @classmethod
    def _in_order(cls, times: dict[str, float]) -> dict[str, float]:
        """Refuse moments that no trial has: all of a window's seconds are looked at."""
        if not all(0 <= t <= _LAST for t in times.values()):
            raise ValueError("a moment is none of this century")
        for first, last in _WINDOWS:
            if {first, last} <= times.keys() and not 0 <= times[last] - times[first] <= _LONGEST_S:
                raise ValueError(f"{last} is before {first}, or days after it")
        return times

    @property
    def session_refs(self) -> frozenset[ObjectRef]:
        """Objects that the harness made for the agent's session."""
        return frozenset(ObjectRef.parse(text) for text in self.session_objects)


class RecordedApplication(_Part):
    """application.json: the dependency graph decides who suffers with a fault."""

    schema_: Literal[1] = Field(alias="schema")
    application: Application
