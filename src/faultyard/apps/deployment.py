"""Deploying: the one pipeline by which applications, changes to them and faults get in.

All of it is server-side apply of whole manifests by one user with one field manager, so that
nothing in an object's metadata tells an ordinary deploy from another.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml

from faultyard.apps.applications import ApplicationFolder
from faultyard.clusters import workloads
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.errors import Refused
from faultyard.model.refs import ObjectRef, ref_of

FIELD_MANAGER = "deploy"
ROLL_OUT_S = 120
GUARDS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")


def deploy(
    cell: Cell, application: ApplicationFolder, report: Callable[[str], None] = lambda _: None
) -> None:
    """Apply an application and wait until all of it is ready.

    Args:
        cell: where to.
        application: what.
        report: is told each phase.

    Raises:
        ClusterError: an object is refused, or a workload is not ready in time.
    """
    report(f"deploying {application.description.name}")
    objects = application.objects()
    # A guard that does not run yet holds up the very pods that it needs.
    guards = [item for item in objects if item["kind"] in GUARDS]
    apply(cell, [item for item in objects if item["kind"] == "Namespace"])
    for release in application.releases():
        apply(cell, release)
        with cell.entered(), cell.api() as api:
            refs = [ref_of(item) for item in release]
            workloads.wait_seen(api, [(r.kind, r.namespace, r.name) for r in refs], ROLL_OUT_S)
    apply(cell, [item for item in objects if item not in guards])
    report(f"waiting for {application.description.name}")
    wait_ready(cell, application)
    if guards:
        apply(cell, guards)
    cell.wait_addons()


def wake(
    cell: Cell, application: ApplicationFolder, report: Callable[[str], None] = lambda _: None
) -> None:
    """Wait until an application that came with the cell's template is ready.

    Args:
        cell: made from the template.
        application: what is in it.
        report: is told each phase.

    Raises:
        ClusterError: a workload is not ready in time.
    """
    report(f"waiting for {application.description.name}")
    with cell.entered(), cell.api() as api:
        # Pods first: until their status is known, that of their workloads is the template's.
        workloads.wait_pods(api, application.description.ready_timeout_s)
    wait_ready(cell, application)
    cell.settle()


class Pipeline:
    """The delivery pipeline of a running application: knows what it applied last.

    Args:
        cell: where to.
        application: its manifests are the starting point.
    """

    def __init__(self, cell: Cell, application: ApplicationFolder) -> None:
        self.cell = cell
        self.application = application
        self._current = {ref_of(item): item for item in application.objects()}

    def owns(self, ref: ObjectRef) -> bool:
        """Whether it has a manifest of this object."""
        return ref in self._current

    def manifest(self, ref: ObjectRef) -> dict[str, Any]:
        """A copy of the manifest that it applied last.

        Raises:
            Refused: it has none of this object.
            ClusterError: the API server does not answer.
        """
        if ref not in self._current:
            raise Refused(f"{self.application.description.name} has no {ref} in its manifests")
        manifest = copy.deepcopy(self._current[ref])
        if ref.kind == "CronJob":
            manifest["spec"]["schedule"] = self.schedule(ref)
        return manifest

    def schedule(self, ref: ObjectRef) -> str:
        """When a CronJob runs; the hour is the cell's own, as it follows from the last run."""
        path = f"/apis/batch/v1/namespaces/{ref.namespace}/cronjobs/{ref.name}"
        with self.cell.entered(), self.cell.api() as api:
            return str(api.get(path)["spec"]["schedule"])

    def release(self, manifest: dict[str, Any]) -> None:
        """Apply a manifest in place of the object's last one; waits for its roll-out.

        Raises:
            ClusterError: it is refused, or the roll-out does not end in time.
        """
        ref = ref_of(manifest)
        apply(self.cell, [manifest])
        self._current[ref] = copy.deepcopy(manifest)
        if ref.kind in workloads.PATHS:
            with self.cell.entered(), self.cell.api() as api:
                workload = (ref.kind, ref.namespace, ref.name)
                workloads.wait_complete(api, [workload], ROLL_OUT_S)


def apply(cell: Cell, objects: Sequence[Mapping[str, Any]]) -> None:
    """Apply manifests as the pipeline does."""
    argv = [*cell.kubectl("deploy"), "apply", "--server-side", "--force-conflicts"]
    argv += [f"--field-manager={FIELD_MANAGER}", "-f", "-"]
    run(argv, input_text=yaml.safe_dump_all(objects, sort_keys=False), timeout_s=120)


def wait_ready(cell: Cell, application: ApplicationFolder) -> None:
    """Wait until every roll-out and every job of the application is complete."""
    refs = [ref_of(item) for item in application.objects()]
    wanted = [(ref.kind, ref.namespace, ref.name) for ref in refs if ref.kind in workloads.PATHS]
    with cell.entered(), cell.api() as api:
        workloads.wait_complete(api, wanted, application.description.ready_timeout_s)
