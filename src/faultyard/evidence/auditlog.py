"""The API server's audit log, from the host's side."""

from __future__ import annotations

import secrets
from pathlib import Path

from faultyard.clusters.api import Api
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

MARKER_PATH = "/api/v1/namespaces/default/configmaps"


class AuditLog:
    """One stretch of an audit log.

    Args:
        file: the log, written by the API server.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self.start = 0

    def begin(self) -> None:
        """What is recorded starts with the next whole line."""
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
            return (True if needle in self.read() else None), f"{len(self.read())} bytes"

        wait_for("a marker in the audit log", look, timeout_s=10, every_s=0.05)
        return nonce

    def read(self) -> bytes:
        """All whole lines since `begin`."""
        with self.file.open("rb") as log:
            log.seek(self.start)
            content = log.read()
        return content[: content.rfind(b"\n") + 1]
