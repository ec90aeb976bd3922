"""watch.jsonl as it grows: a line for each change, and for what the watch has to say of itself."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from faultyard.clusters.api import Resource
from faultyard.model.watch import Entry, resource_name


class WatchFile:
    """Writes the file; use it as a context.

    Args:
        path: appended to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> WatchFile:
        self._out = self.path.open("ab")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._out.close()

    def read(self) -> bytes:
        """All whole lines so far."""
        content = self.path.read_bytes()
        return content[: content.rfind(b"\n") + 1]

    def changed(self, entry: Entry, body: Mapping[str, Any]) -> None:
        """Write down an object, without who managed it.

        Raises:
            KeyError: it has no metadata.
        """
        kept = {key: value for key, value in body["metadata"].items() if key != "managedFields"}
        self.write(entry, object={**body, "metadata": kept})

    def opened(self, kind: Resource) -> None:
        """Write down that a kind is watched."""
        self.write(
            Entry.OPENED,
            group=kind.group,
            plural=kind.resource,
            kind=kind.kind,
            namespaced=kind.namespaced,
        )

    def say(self, entry: Entry, kind: Resource, message: str) -> None:
        """Write down something on the watch of a kind."""
        self.write(entry, resource=resource_name(kind.group, kind.resource), message=message)

    def write(self, entry: Entry, **parts: Any) -> None:
        """Write a line, at once."""
        line = {"t": round(time.time(), 3), "type": entry.value, **parts}
        self._out.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        self._out.flush()
