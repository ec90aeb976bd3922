"""Watching every kind of object, so that nothing is changed and changed back unseen.

One thread, in the cell's network, with one long request a kind. Each goes on from the last version
that it saw when it is broken off; if the server does not know that version any more, that is
written down, and the kind is listed anew and followed from there.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import httpx

from faultyard.clusters import api
from faultyard.clusters.api import Resource
from faultyard.clusters.errors import ClusterError, NotReady
from faultyard.clusters.waiting import wait_for
from faultyard.evidence.watch_file import WatchFile
from faultyard.model import cluster_json
from faultyard.model.watch import Entry

LEFT_OUT: Final = {
    ("", "events"): "reports, not states, and more of them than of anything else",
    ("events.k8s.io", "events"): "the same reports in another group",
    ("coordination.k8s.io", "leases"): "each is renewed by its holder every few seconds",
}
START_S: Final = 60
CATCH_UP_S: Final = 5
"""How long the end waits for what is under way, in seconds."""
CONNECT_S: Final = 10
SILENCE_S: Final = 180
"""The server says every minute that it is there; a longer silence is a broken connection."""
RETRY_S: Final = 0.1
LONGEST_RETRY_S: Final = 3
DISCOVER_S: Final = (0.1, 0.5, 1, 2, 4, 8)
"""When discovery is asked again after a change of what defines kinds: it lags behind it."""
LONGEST_LINE: Final = 64 << 20
"""Bytes; the store refuses objects of a fortieth of it."""
MALFORMED: Final = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
)
_DEFINING: Final = frozenset({"CustomResourceDefinition", "APIService"})


class Expired(Exception):
    """The server does not know any more what came after a version."""


class Watcher:
    """Watches a cell from `start` to `stop`.

    Args:
        kubeconfig: of an administrator.
        entered: makes the calling thread's new connections go into the cell's network.
        file: gets the lines of watch.jsonl.
    """

    def __init__(
        self, kubeconfig: Path, entered: Callable[[], AbstractContextManager[None]], file: Path
    ) -> None:
        self.file = file
        self._file = WatchFile(file)
        self._server, self._tls = api.connection(kubeconfig)
        self._entered = entered
        self._following: dict[Resource, asyncio.Task[None]] = {}
        self._open: set[Resource] = set()
        self._unserved: set[Resource] = set()
        self._told: set[Resource] = set()
        self._error: str | None = None
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def start(self) -> None:
        """Begin; what changes after this call is seen.

        Raises:
            ClusterError: the API server does not answer, or a kind cannot be watched.
        """
        self._thread.start()

        def look() -> tuple[bool | None, str]:
            self._raise()
            return (True if self._started.is_set() else None), f"{len(self._open)} are"

        wait_for("every kind to be watched", look, timeout_s=START_S, every_s=0.02)

    def read(self) -> bytes:
        """All whole lines so far."""
        return self._file.read()

    def stop(self, caught_up: Callable[[bytes], bool] = lambda _: True) -> None:
        """End, once everything was seen or `CATCH_UP_S` are over.

        Args:
            caught_up: tells from the lines so far whether they lead to the last snapshot.

        Raises:
            ClusterError: it failed meanwhile.
        """

        def look() -> tuple[bool | None, str]:
            settled = len(self._open) + len(self._unserved) == len(self._following)
            over = self._error is not None or (settled and caught_up(self.read()))
            return (True if over else None), ""

        with contextlib.suppress(NotReady):  # what is missing shows in the record itself
            wait_for("the watch to catch up", look, timeout_s=CATCH_UP_S)
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._main.cancel)
        self._thread.join()
        self._raise()

    def _raise(self) -> None:
        if self._error is not None:
            raise ClusterError(f"watching the cluster failed: {self._error}")

    def _run(self) -> None:
        try:
            with self._entered(), self._file, asyncio.Runner() as runner:
                self._loop = runner.get_loop()
                self._main = self._loop.create_task(self._watch())
                with contextlib.suppress(asyncio.CancelledError):
                    self._loop.run_until_complete(self._main)
        except Exception as error:  # noqa: BLE001 - whoever starts or stops it is told
            self._error = str(error) or repr(error)

    async def _watch(self) -> None:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        timeout = httpx.Timeout(CONNECT_S, read=SILENCE_S)
        async with httpx.AsyncClient(
            base_url=self._server, verify=self._tls, timeout=timeout, limits=limits, trust_env=False
        ) as self._http:
            self._changed = asyncio.Event()
            try:
                # A version is the whole store's: what any kind becomes after it is seen.
                await self._discover(await self._version())
                while self._open != set(self._following):
                    await asyncio.sleep(0.02)
                self._started.set()
                await self._keep_up()
            finally:
                await self._end()

    async def _keep_up(self) -> None:
        """Follow kinds that come."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            for pause in DISCOVER_S:
                await asyncio.sleep(pause)
                # It is asked again; and somebody's own server may say anything of its kinds.
                with contextlib.suppress(httpx.HTTPError, *MALFORMED):
                    await self._discover("")

    async def _end(self) -> None:
        for task in self._following.values():
            task.cancel()
        await asyncio.gather(*self._following.values(), return_exceptions=True)
        for kind in set(self._following) - self._open:
            if kind in self._unserved:
                self._file.say(Entry.CLOSED, kind, "it is not served any more")
            else:
                self._file.say(Entry.GAP, kind, "it was not watched at the end")
        self._file.write(Entry.ENDED)

    async def _version(self) -> str:
        answer = await self._http.get("/api/v1/namespaces", params={"limit": 1})
        answer.raise_for_status()
        return str(answer.json()["metadata"]["resourceVersion"])

    async def _discover(self, version: str) -> None:
        """Begin to follow kinds that are new.

        Those that are gone are asked for until the end: a server that has just begun leaves out
        what it serves a moment later.

        Args:
            version: from where on; empty: from what is there.
        """
        listings = []
        for root in api.ROOTS:
            answer = await self._http.get(root, headers={"Accept": api.DISCOVERY})
            if answer.status_code != 200:  # a group's own server may be away: the kinds stay
                return
            listings.append(answer.json())
        served = set(api.discovered(listings))
        for kind in sorted(served - set(self._following) - self._told):
            self._begin(kind, version)

    def _begin(self, kind: Resource, version: str) -> None:
        reason = LEFT_OUT.get((kind.group, kind.resource))
        if "watch" not in kind.verbs:
            reason = "the server has no watch for it"
        if reason is not None:
            self._told.add(kind)
            self._file.say(Entry.SKIPPED, kind, reason)
            return
        task = self._loop.create_task(self._follow(kind, version))
        task.add_done_callback(self._check)
        self._following[kind] = task

    def _check(self, task: asyncio.Task[None]) -> None:
        """A mistake of ours in one kind ends the whole watch: nobody must believe the rest."""
        if not task.cancelled() and task.exception() is not None:
            self._error = f"unexpected: {task.exception()!r}"
            self._main.cancel()

    async def _follow(self, kind: Resource, version: str) -> None:
        pause = RETRY_S
        while True:
            try:
                version = version or await self._list(kind)
                async with contextlib.aclosing(self._lines(kind, version)) as lines:
                    async for line in lines:
                        version, pause = self._take(line) or version, RETRY_S
            except Expired as error:
                if self._started.is_set():
                    self._file.say(Entry.RELISTED, kind, str(error))
                    version = ""
                else:  # the kind is served only now, and nothing is counted yet
                    version = await self._version()
            except MALFORMED as error:
                self._file.say(Entry.GAP, kind, f"its server cannot be understood: {error!r}")
                self._open.discard(kind)
                self._told.add(kind)  # it is not begun again
                del self._following[kind]
                return
            except httpx.HTTPStatusError as error:
                # Not yet, or not any more: which of them, the end tells.
                if error.response.status_code == 404:
                    self._unserved.add(kind)
                pause = min(2 * pause, LONGEST_RETRY_S)
            except httpx.HTTPError:
                pause = min(2 * pause, LONGEST_RETRY_S)  # from the last version: nothing is lost
            self._open.discard(kind)
            await asyncio.sleep(pause)

    async def _lines(self, kind: Resource, version: str) -> AsyncGenerator[bytes]:
        """Yield what one request brings, until the server ends it.

        Raises:
            Expired: the server does not know the version any more.
        """
        params = {"watch": "1", "allowWatchBookmarks": "1", "resourceVersion": version}
        async with self._http.stream("GET", kind.path, params=params) as answer:
            if answer.status_code == 410:
                raise Expired(f"the server does not know version {version} any more")
            answer.raise_for_status()
            self._open.add(kind)
            self._unserved.discard(kind)
            self._file.opened(kind)
            rest = b""
            async for piece in answer.aiter_bytes():  # lines end with \n alone: no text is split
                *lines, rest = (rest + piece).split(b"\n")
                for line in filter(None, lines):
                    yield line
                if len(rest) > LONGEST_LINE:
                    raise ValueError(f"a line of more than {LONGEST_LINE} bytes")

    async def _list(self, kind: Resource) -> str:
        """Write down what is there; returns the version of that state.

        Not by a watch without a version: after its first bookmark Kubernetes 1.37 says no more.
        """
        answer = await self._http.get(kind.path)
        answer.raise_for_status()
        found = cluster_json.loads(answer.content)
        for item in found["items"]:
            self._changed_to(
                Entry.ADDED, {"apiVersion": kind.api_version, "kind": kind.kind, **item}
            )
        return str(found["metadata"]["resourceVersion"])

    def _take(self, line: bytes) -> str:
        """Write a change down; returns the version that it leads to."""
        change = cluster_json.loads(line)
        kind, body = change["type"], change["object"]
        if kind == "ERROR":
            if body.get("code") == 410:
                raise Expired(str(body.get("message")))
            raise httpx.ReadError(f"the watch was ended: {body.get('message')}")
        if kind != "BOOKMARK":
            self._changed_to(Entry(kind), body)
        return str(body["metadata"]["resourceVersion"])

    def _changed_to(self, entry: Entry, body: Mapping[str, Any]) -> None:
        self._file.changed(entry, body)
        if body["kind"] in _DEFINING:
            self._changed.set()
