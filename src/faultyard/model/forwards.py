"""Connections that were made for a forwarded port, as the host's kernel told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from faultyard.model import lines

FILE: Final = "forwards.jsonl"


@dataclass(frozen=True)
class Forward:
    """One connection from a node to where a port is forwarded."""

    line: int
    """1-based line in forwards.jsonl."""
    t: float
    """When it was opened, unix seconds."""
    until: float | None
    """When it ended; None: it was open when the recording ended."""
    by: str
    """`runtime`: for the API server's port-forward; `ssh`: for a login's tunnel."""
    node: str
    pod: str
    """`namespace/name`; empty: a pod in the node's own network, or none."""
    address: str
    port: int
    sent: int | None
    """Bytes to the pod; None: not known."""
    received: int | None
    """Bytes from the pod."""
    pod_uid: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the line's content."""
        content = {key: value for key, value in vars(self).items() if key != "line"}
        return content | {"pod": self.pod or None}

    def __str__(self) -> str:
        """Return what is known of it, for people."""
        if self.until is None or self.sent is None or self.received is None:
            return f"port {self.port}, still open"
        seconds = self.until - self.t
        return (
            f"port {self.port} for {seconds:.1f} s, {self.sent} bytes sent, "
            f"{self.received} received"
        )


def parse(content: bytes) -> tuple[Forward, ...]:
    """Read forwards.jsonl.

    Raises:
        LinesError: a line is not JSON or lacks a field, or the last one is cut off.
    """
    return lines.parse(content, _forward)


def _forward(number: int, raw: dict[str, Any]) -> Forward:
    return Forward(
        line=number,
        t=float(raw["t"]),
        until=None if raw["until"] is None else float(raw["until"]),
        by=str(raw.get("by", "runtime")),
        node=str(raw.get("node") or ""),
        pod=str(raw.get("pod") or ""),
        address=str(raw.get("address", "")),
        port=int(raw["port"]),
        sent=None if raw["sent"] is None else int(raw["sent"]),
        received=None if raw["received"] is None else int(raw["received"]),
        pod_uid=str(raw.get("pod_uid", "")),
    )
