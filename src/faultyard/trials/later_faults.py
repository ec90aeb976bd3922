"""Faults that come in the turn: the agent's first repair brings them about."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.api import Api, ApiError, Resource
from faultyard.clusters.embedded.pki import DEPLOYER
from faultyard.clusters.errors import Refused
from faultyard.faults.registry import inject
from faultyard.model import repairs, snapshots
from faultyard.model.known_good import DeclaredChange
from faultyard.model.problem import Fault
from faultyard.model.refs import ObjectRef, kind_name
from faultyard.model.trial import Injection
from faultyard.trials.timeline import Timeline

EVERY_S = 0.4
"""The pause between two looks at what was broken, in seconds."""


class LaterFaults:
    """Watches what the first faults changed and injects the later ones when that is touched.

    Args:
        pipeline: by which the first ones came.
        faults: the later ones, in their order.
        declared: what the first ones changed; what the later ones change comes to it.
        timeline: has the state that the agent found, and gets when it happened.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        faults: Sequence[Fault],
        declared: list[DeclaredChange],
        timeline: Timeline,
    ) -> None:
        self.injections: list[Injection] = []
        self._pipeline = pipeline
        self._faults = faults
        self._declared = declared
        self._timeline = timeline
        self._over = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="later faults", daemon=True)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch meanwhile; at the end a repair that is there by then still counts.

        Raises:
            Refused: the first faults changed no object, so that nothing of them can be watched.
            ClusterError: the watch or an injection failed.
        """
        if not self._faults:
            yield
            return
        if not self._broken():
            raise Refused("a fault that changes no object cannot be seen repaired")
        self._thread.start()
        try:
            yield
        finally:
            self._over.set()
            self._thread.join()
        if self._error is not None:
            raise self._error

    def _broken(self) -> list[DeclaredChange]:
        return [one for one in self._declared if one.by == "fault" and not one.later]

    def _run(self) -> None:
        try:
            if self._await_repair():
                for fault in self._faults:
                    self._inject(fault)
        except Exception as error:  # noqa: BLE001 - told by the thread that waits for this one
            self._error = error

    def _await_repair(self) -> bool:
        broken = self._broken()
        found = snapshots.parse(self._timeline.raw_snapshots["injected"], "injected").objects
        with self._pipeline.cell.entered(), self._pipeline.cell.api() as api:
            paths = _paths(api.resources(), {change.ref for change in broken})
            while True:
                last = self._over.is_set()  # before the look: what was done till then is seen
                for change in broken:
                    raw = _read(api, paths[change.ref])
                    if repairs.touched(change, found.get(change.ref), raw):
                        self._timeline.step("first repair", f"{change.ref} was changed")
                        return True
                if last:
                    return False
                self._over.wait(EVERY_S)

    def _inject(self, fault: Fault) -> None:
        since = time.time()
        try:
            changes = inject(self._pipeline, fault)
        finally:
            until = time.time()
            self.injections.append(Injection(since=since, until=until, username=DEPLOYER))
        self._declared += [change.model_copy(update={"later": True}) for change in changes]
        self._timeline.step(f"{fault.kind} injected", f"in the turn, within {until - since:.1f} s")


def _paths(resources: Sequence[Resource], refs: set[ObjectRef]) -> dict[ObjectRef, str]:
    """Where each object is served."""
    served = {kind_name(resource.kind, resource.group): resource for resource in resources}
    found = {}
    for ref in refs:
        resource = served[ref.kind]
        root, _, plural = resource.path.rpartition("/")
        within = f"namespaces/{ref.namespace}/" if resource.namespaced else ""
        found[ref] = f"{root}/{within}{plural}/{ref.name}"
    return found


def _read(api: Api, path: str) -> dict[str, object] | None:
    try:
        return api.get(path)
    except ApiError as error:
        if error.status == 404:
            return None
        raise
