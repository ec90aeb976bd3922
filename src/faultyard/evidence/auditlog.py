"""The API server's audit log, from the host's side."""

from __future__ import annotations

import secrets
from pathlib import Path

from faultyard.clusters.api import Api
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

MARKER_PATH = "/api/v1/namespaces/default/configmaps"
MOST = 512 << 20
"""Bytes of a log that are kept."""
TAIL = 64 << 20
"""Bytes in which a marker is looked for; a request's line has a few million at most."""


class AuditLog:
    """One stretch of an audit log.

    Args:
        file: the log, written by the API server.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.start = 0
        self._earlier: frozenset[Path] = frozenset()

    def begin(self) -> None:
        """What is recorded starts with the next whole line."""
        self._earlier = frozenset(self._rotated())
        self.start = self.file.stat().st_size

    def mark(self, api: Api) -> str:
        """Leave a marker: ask for an object that has a nonce for its name.

        Returns:
            The nonce, once it is seen in the log.

        Raises:
            NotReady: it does not show up, so the log cannot be trusted.
        """
        nonce = f"m-{secrets.token_hex(8)}"
        answer = api.request("GET", f"{MARKER_PATH}/{nonce}")
        if answer.status_code != 404:
            raise ClusterError(f"a marker request was answered {answer.status_code}, not 404")
        needle = nonce.encode()

        def look() -> tuple[bool | None, str]:
            return (True if needle in self._tail() else None), f"not in {self.file.name}"

        wait_for("a marker in the audit log", look, timeout_s=10, every_s=0.05)
        return nonce

    def read(self) -> bytes:
        """All whole lines since `begin`, of files too that the server has put aside meanwhile.

        Of more than `MOST` bytes the first: who filled the log shows in them.
        """
        content, start = b"", self.start
        for file in (*sorted(set(self._rotated()) - self._earlier), self.file):
            with file.open("rb") as log:
                log.seek(start)
                content += log.read(MOST - len(content))
            start = 0
        return content[: content.rfind(b"\n") + 1]

    def _tail(self) -> bytes:
        """The end of the log: a marker that was just left is in it."""
        with self.file.open("rb") as log:
            log.seek(max(self.file.stat().st_size - TAIL, 0))
            return log.read()

    def _rotated(self) -> list[Path]:
        """Earlier parts of the log, in the server's naming: `audit-TIME.jsonl`."""
        return list(self.file.parent.glob(f"{self.file.stem}-*{self.file.suffix}"))
