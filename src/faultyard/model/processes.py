"""Programs that were started in the cell during a trial, as the host's kernel told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from faultyard.model import lines

FILE: Final = "processes.jsonl"


class Loss(BaseModel):
    """Events for which there was no room, some time between two moments."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    from_: float = Field(alias="from")
    """Unix seconds."""
    until: float
    events: int


class Taking(BaseModel):
    """Events that somebody else took from the recorder, some time between two moments."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    from_: float = Field(alias="from")
    """Unix seconds."""
    until: float
    bytes: int


class Recording(BaseModel):
    """processes.json: whether what was started is known, and from when to when."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    schema_: Literal[1] = Field(1, alias="schema")
    state: Literal["recorded", "unavailable", "broken"]
    """`unavailable`: this host's kernel has no way; `broken`: it ended before it was to."""
    message: str = ""
    """Why it is not `recorded`."""
    from_: float | None = Field(None, alias="from")
    """Unix seconds."""
    until: float | None = None
    lost: tuple[Loss, ...] = ()
    taken: tuple[Taking, ...] = ()

    def lost_since(self, start: float) -> list[Loss]:
        """Return the losses that may lie after a moment."""
        return [loss for loss in self.lost if loss.until >= start]

    def taken_since(self, start: float) -> list[Taking]:
        """Return what was taken, perhaps, after a moment."""
        return [taking for taking in self.taken if taking.until >= start]


@dataclass(frozen=True)
class Process:
    """One program that a process started in its own place; PIDs are the host's."""

    line: int
    """1-based line in processes.jsonl."""
    t: float
    """Unix seconds."""
    where: str
    """`node`, `pod`, `sandbox` (the agent's machine), or `host` (the cell outside of nodes)."""
    node: str
    """Name; empty outside of nodes."""
    pod: str
    """`namespace/name`, or empty."""
    container: str
    """Its name, or empty."""
    session: str
    """`ssh`, `exec`, `debug` (a container that the agent added, or one of its own pods), `agent`
    (in the sandbox), `harness`, `service` (anything else that belongs there), `other`."""
    sid: int
    """PID of the session's first process: one login, one exec; 0 for none."""
    pid: int
    ppid: int
    uid: int
    """To whom the process belongs."""
    euid: int
    """Whose rights it has."""
    exe: str
    """The path by which the program was started."""
    argv: tuple[str, ...]
    cut: bool
    """Whether there were more arguments than were kept."""
    pod_uid: str = ""
    container_id: str = ""

    def where_recorded(self) -> str:
        """Return the process's place, for people."""
        return f"{FILE}:{self.line}"

    @property
    def command(self) -> str:
        """The command line, for people."""
        return " ".join(self.argv) + (" …" if self.cut else "")

    def to_json(self) -> dict[str, Any]:
        """Return the line's content."""
        content = {key: value for key, value in vars(self).items() if key != "line"}
        return content | {"pod": self.pod or None, "container": self.container or None}


def parse(content: bytes) -> tuple[Process, ...]:
    """Read processes.jsonl.

    Raises:
        LinesError: a line is not JSON or lacks a field, or the last one is cut off.
    """
    return lines.parse(content, _process)


def _process(number: int, raw: dict[str, Any]) -> Process:
    return Process(
        line=number,
        t=float(raw["t"]),
        where=str(raw["where"]),
        node=str(raw.get("node") or ""),
        pod=str(raw.get("pod") or ""),
        container=str(raw.get("container") or ""),
        session=str(raw["session"]),
        sid=int(raw.get("sid", 0)),
        pid=int(raw["pid"]),
        ppid=int(raw["ppid"]),
        uid=int(raw["uid"]),
        euid=int(raw.get("euid", raw["uid"])),
        exe=str(raw.get("exe", "")),
        argv=tuple(str(word) for word in raw["argv"]),
        cut=bool(raw["cut"]),
        pod_uid=str(raw.get("pod_uid", "")),
        container_id=str(raw.get("container_id", "")),
    )
