"""The tools `report_cause` and `resolve`: one diagnosis, one resolution."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from faultyard.model.strict import Strict
from faultyard.tools.arguments import Input, written
from faultyard.tools.errors import Declined, Malformed
from faultyard.tools.tool import Answer, Form, Tool
from faultyard.tools.turn_end import TurnEnd

REPORT_CAUSE = """\
Report the cause of the incident, once: which component, which setting or resource, what was \
observed and what would be right, by which mechanism, what is affected. Report it before you \
repair anything, if you can. It cannot be changed later."""
RESOLVE = """\
Say that you are done: repaired, or there is nothing to repair. It ends your turn: your access is \
revoked and no further call is taken."""


@dataclass
class Reports:
    """What the agent reported in its turn.

    Args:
        end: is told of the resolution.
    """

    end: TurnEnd
    diagnosis: Any = None
    """As it was accepted, in JSON's types."""
    diagnosed_at: float | None = None
    """Unix seconds."""
    resolution: str | None = None
    resolved_at: float | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def report_cause(self, given: BaseModel) -> Answer:
        """Take the diagnosis.

        Raises:
            Malformed: it cannot be written down.
            Declined: there is one already.
        """
        try:
            written_down = json.loads(given.model_dump_json(by_alias=True))
        except ValueError as error:
            raise Malformed("report_cause: it has half a character in it (a surrogate)") from error
        with self._lock:
            if self.diagnosed_at is not None:
                raise Declined(
                    f"a cause was reported at {written(self.diagnosed_at)}; there is one report a "
                    "turn, and it stands. Go on with the repair, then call resolve."
                )
            self.diagnosed_at = time.time()
            self.diagnosis = written_down
        return Answer("The cause is reported. Repair what can be repaired, then call resolve.")

    def resolve(self, given: Resolution) -> Answer:
        """Take the resolution and end the turn.

        Raises:
            Declined: there is one already.
        """
        with self._lock:
            if self.resolved_at is not None:
                raise Declined(f"the incident was resolved at {written(self.resolved_at)}")
            self.resolved_at = time.time()
            self.resolution = given.summary
        self.end.end("resolve")
        missing = "" if self.diagnosis else " No cause was reported."
        return Answer(f"The incident is resolved and your turn is over.{missing}")

    def write(self, folder: Path) -> None:
        """Write diagnosis.json and resolution.json, each if there is one."""
        if self.diagnosed_at is not None:
            submitted = {"submitted_at": self.diagnosed_at, "diagnosis": self.diagnosis}
            _write(folder / "diagnosis.json", submitted)
        if self.resolved_at is not None:
            resolved = {"resolved_at": self.resolved_at, "summary": self.resolution}
            _write(folder / "resolution.json", resolved)


class Resolution(Strict):
    """What `resolve` takes."""

    summary: Input = Field("", description="What you did, in a sentence or two, for the others.")


def tools(reports: Reports, diagnosis: Form[Any]) -> list[Tool[Any]]:
    """Both tools.

    Args:
        reports: gets what is reported.
        diagnosis: the form of a diagnosis.
    """
    return [
        Tool("report_cause", REPORT_CAUSE, diagnosis, reports.report_cause),
        Tool("resolve", RESOLVE, Form.of(Resolution), reports.resolve),
    ]


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps({"schema": 1, **content}, indent=1) + "\n")
