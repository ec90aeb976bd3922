"""A cell's etcd, read and written beside the API server: what no API call can do.

Only the harness comes near it: it listens on the cell's loopback. Keys and values travel as base64
in JSON (etcd's gRPC gateway, https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

OBJECTS = "/registry/"
"""Under it the API server keeps everything."""
EVENTS = f"{OBJECTS}events/"
PAGE = 200
BATCH = 64
"""Writes in one transaction; etcd takes 128."""
READY_S = 30
ATTEMPTS = 20
"""How often an object is tried that others write at the same time."""

Change = Callable[[str, str], str]
"""Makes of a key and its value the new value."""


@dataclass(frozen=True)
class Entry:
    """A key and its value, as of one revision."""

    key: str
    value: str
    revision: int


class Store:
    """A client of etcd; use it inside the cell's network, as a context.

    Args:
        url: of its client port.
    """

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=20, trust_env=False)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def wait_serving(self) -> None:
        """Wait until it answers.

        Raises:
            NotReady: it did not within `READY_S` seconds.
        """

        def look() -> tuple[bool | None, str]:
            try:
                status = self._http.get("/health").status_code
            except httpx.TransportError as error:
                return None, type(error).__name__
            return (True if status == httpx.codes.OK else None), f"status {status}"

        wait_for("etcd", look, timeout_s=READY_S, every_s=0.02)

    def entries(self, prefix: str = OBJECTS) -> Iterator[Entry]:
        """Everything below a prefix, in the order of the keys."""
        start, end = prefix.encode(), _end(prefix)
        while True:
            asked = {"key": _b64(start), "range_end": _b64(end), "limit": PAGE}
            answer = self._ask("range", asked)
            found = [_entry(item) for item in answer.get("kvs", [])]
            yield from found
            if not answer.get("more"):
                return
            start = found[-1].key.encode() + b"\0"

    def rewrite(self, change: Change, prefix: str = OBJECTS) -> int:
        """Change values, each only if nobody wrote it since it was read; else it is read again.

        Args:
            change: makes the new value; leaves it as it is by returning it.
            prefix: of the keys.

        Returns:
            How many values were changed.

        Raises:
            ClusterError: others wrote the same all the time, or etcd refuses.
        """
        written, waiting = 0, list(self.entries(prefix))
        for _ in range(ATTEMPTS):
            made = [(entry, change(entry.key, entry.value)) for entry in waiting]
            wanted = [(entry, value) for entry, value in made if value != entry.value]
            lost = self._write(wanted)
            written += len(wanted) - len(lost)
            if not lost:
                return written
            waiting = [again for key in lost for again in self.entries(key) if again.key == key]
        raise ClusterError(f"etcd: {', '.join(e.key for e in waiting)} was written all the time")

    def delete(self, prefix: str) -> int:
        """Delete everything below a prefix; returns how much it was."""
        asked = {"key": _b64(prefix.encode()), "range_end": _b64(_end(prefix))}
        return int(self._ask("deleterange", asked).get("deleted", 0))

    def _write(self, wanted: Sequence[tuple[Entry, str]]) -> list[str]:
        """Write in batches; of a batch in which anything was written meanwhile, one by one."""
        lost: list[str] = []
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            if not self._commit(batch):
                lost += [pair[0].key for pair in batch if not self._commit([pair])]
        return lost

    def _commit(self, batch: Sequence[tuple[Entry, str]]) -> bool:
        compare = [
            {
                "key": _b64(entry.key.encode()),
                "target": "MOD",
                "result": "EQUAL",
                "mod_revision": str(entry.revision),
            }
            for entry, _ in batch
        ]
        puts = [
            {"key": _b64(entry.key.encode()), "value": _b64(value.encode()), "ignore_lease": True}
            for entry, value in batch
        ]
        asked = {"compare": compare, "success": [{"request_put": put} for put in puts]}
        return bool(self._ask("txn", asked).get("succeeded", False))

    def _ask(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = self._http.post(f"/v3/kv/{what}", json=body)
        except httpx.HTTPError as error:
            raise ClusterError(f"no answer from etcd ({what}): {error}") from error
        if answer.status_code != httpx.codes.OK:
            raise ClusterError(f"etcd answered {answer.status_code} ({what}): {answer.text[:300]}")
        loaded: dict[str, Any] = answer.json()
        return loaded


def _entry(item: dict[str, str]) -> Entry:
    key = base64.b64decode(item["key"]).decode()
    # Values of the API server are JSON; what is not (its own marks) is kept by being looked at
    # only as text that survives the way back.
    value = base64.b64decode(item.get("value", "")).decode("utf-8", "surrogateescape")
    return Entry(key, value, int(item["mod_revision"]))


def _b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _end(prefix: str) -> bytes:
    """The first key after all that begin with the prefix."""
    raw = prefix.encode()
    return raw[:-1] + bytes([raw[-1] + 1])
