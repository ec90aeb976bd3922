"""The seconds file while the load generator writes it."""

from __future__ import annotations

from pathlib import Path

from faultyard.model.client import Second, parse_seconds


class SecondsTail:
    """Reads what was added since the last look, complete lines only.

    Args:
        path: the file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._seconds: list[Second] = []

    def read(self) -> list[Second]:
        """Every second so far.

        Raises:
            DamagedClientFile: a line is not what the generator writes.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                added = file.read()
        except FileNotFoundError:
            return []
        complete = added[: added.rfind(b"\n") + 1]
        self._seconds += parse_seconds(
            complete.decode("utf-8", errors="replace").splitlines(),
            after=self._seconds[-1] if self._seconds else None,
            first_line=len(self._seconds) + 1,
        )
        self._offset += len(complete)
        return list(self._seconds)
