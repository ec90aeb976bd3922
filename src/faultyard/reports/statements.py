"""What the agent asked of its tools and what it reported, from the record's folder `agent/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from faultyard.model import calls
from faultyard.model.calls import Call
from faultyard.model.case import Case
from faultyard.model.errors import DamagedRecord
from faultyard.model.resolution import RecordedResolution
from faultyard.reports.clock import Milestone

_CALLS = "agent/calls.jsonl"
_RESOLUTION = "agent/resolution.json"


@dataclass(frozen=True)
class Statements:
    """What the verdict does not rest on, and a reader wants to know."""

    calls: tuple[Call, ...]
    resolution: RecordedResolution | None

    def reports(self, case: Case) -> list[Milestone]:
        """Return when it named a cause and when it said that it was done."""
        found = []
        if case.record.diagnosis is not None:
            at = case.record.diagnosis.submitted_at
            found.append(Milestone(at, "The agent reports a cause", "cause"))
        if self.resolution is not None:
            words = f": {self.resolution.summary}" if self.resolution.summary else ""
            text = f"The agent says that it is done{words}"
            found.append(Milestone(self.resolution.resolved_at, text, "done"))
        return found


def read(content: Mapping[str, bytes], source: str) -> Statements:
    """Read it from a record's files.

    Args:
        content: path -> content.
        source: the record's folder, for errors.

    Raises:
        DamagedRecord: a file is not what the harness writes.
    """
    try:
        called = calls.parse(content.get(_CALLS, b""))
    except calls.CallsError as error:
        raise DamagedRecord(source, [f"{_CALLS}: {error}"]) from error
    try:
        raw = content.get(_RESOLUTION)
        resolution = None if raw is None else RecordedResolution.model_validate_json(raw)
    except ValidationError as error:
        raise DamagedRecord(source, [f"{_RESOLUTION}: {error.errors()[0]['msg']}"]) from error
    return Statements(tuple(called), resolution)
