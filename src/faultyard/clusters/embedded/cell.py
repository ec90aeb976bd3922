"""One cell: a Kubernetes cluster with everything around it, from nothing to Ready and back."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from faultyard.clusters.api import Api
from faultyard.clusters.embedded import (
    addons,
    cgroups,
    claims,
    governing,
    layout,
    limits,
    membership,
    namespaces,
    registry,
    resolver,
    room,
    sshkeys,
    storage,
    trees,
)
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.commands import require_root
from faultyard.clusters.embedded.control_plane import ETCD, ControlPlane
from faultyard.clusters.embedded.description import Description
from faultyard.clusters.embedded.namespaces import Namespaces
from faultyard.clusters.embedded.nodes import Node
from faultyard.clusters.embedded.pki import Authority
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.embedded.store import Store
from faultyard.clusters.embedded.template import Template, settle
from faultyard.clusters.errors import ClusterError, Refused, UnknownName

Report = Callable[[str], None]
NAME = r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?"
AUDIT_POLICY = Path(__file__).parent / "audit-policy.yaml"


class Cell:
    """A cell of this host.

    Args:
        name: lower-case letters, digits and dashes.
        state: the state folder.
    """

    def __init__(self, name: str, state: Path | None = None) -> None:
        self.name = name
        self.state = state or layout.state_folder()
        self.pool = Pool(self.state)
        folder = self.state / "cells" / name
        self.paths = layout.CellPaths(folder, self.pool.root / name)
        self.authority = Authority(self.paths.pki)

    @property
    def cgroup(self) -> str:
        """Its cgroup: of this state folder too, as two folders may have cells of one name."""
        return f"cell-{self.name}-{layout.mark(self.state)}"

    @property
    def exists(self) -> bool:
        """Whether there is anything of it on disk, running or not."""
        return self.paths.folder.exists()

    @property
    def description(self) -> Description:
        """What was written when it started.

        Raises:
            UnknownName: there is no such cell, or its start did not get far enough.
        """
        known = Description.read(self.paths.description)
        if known is None:
            raise UnknownName(f"no cell named {self.name} is up; `faultyard up` makes one")
        return known

    @property
    def namespaces(self) -> Namespaces:
        """The running cell's namespaces.

        Raises:
            UnknownName: there is none of this name.
            Refused: it does not run.
        """
        known = self.description
        found = Namespaces(known.pid, known.started, self.cgroup)
        if not found.alive:
            raise Refused(f"the cell {self.name} has ended; `faultyard down` removes what is left")
        return found

    @property
    def node_layouts(self) -> list[layout.NodeLayout]:
        """The nodes' names and addresses."""
        return [layout.NodeLayout(i) for i in range(1, self.description.nodes + 1)]

    @property
    def nodes(self) -> list[Node]:
        """The nodes."""
        spaces, places, confine = self.namespaces, self.node_layouts, self.description.confine
        return [Node(place, spaces, self.paths, places, confine) for place in places]

    def node(self, name: str) -> Node:
        """The node of this name."""
        for node in self.nodes:
            if node.place.name == name:
                return node
        names = ", ".join(place.name for place in self.node_layouts)
        raise UnknownName(f"the cell has no node {name}; it has {names}")

    def up(
        self,
        artifacts: Artifacts,
        nodes: int = 2,
        report: Report = lambda _: None,
        template: Template | None = None,
    ) -> None:
        """Bring it up until all nodes are Ready and, without a template, the add-ons serve.

        Args:
            artifacts: what set-up built.
            nodes: number of workers, 1 to 100; those of the template, if there is one.
            report: is told each phase.
            template: what is in it from the start. Its pods come after the nodes: whoever needs
                them waits for them.

        Raises:
            Refused: it is up already, or the host cannot.
            ClusterError: a part did not come up; what was started stays for `down`.
        """
        self.check(nodes)
        with claims.claimed(self.paths.folder, lambda: self._clear(report)):
            try:
                self._bring_up(artifacts, nodes, report, template)
                if template is None:  # from one, its pods come now: see `settle`
                    cgroups.prefer(self.cgroup)
            except (ClusterError, OSError) as error:
                told, log = room.told(error, self.state), self.paths.log
                if log.exists():
                    told += f"\n  Logs: {log}; `faultyard down {self.name}` removes what is there."
                raise ClusterError(told) from error

    def check(self, nodes: int) -> None:
        """Refuse what cannot be brought up."""
        require_root()
        if not re.fullmatch(NAME, self.name):
            says = "is no name for a cell: lower-case letters, digits, dashes"
            raise Refused(f"{self.name!r} {says}")
        if not 1 <= nodes <= layout.MAX_NODES:
            raise Refused(f"{nodes} nodes: a cell has 1 to {layout.MAX_NODES}")
        self.state.mkdir(parents=True, exist_ok=True)  # the cgroup is named after it
        if cgroups.processes(self.cgroup):
            raise Refused(f"a cell named {self.name} is there; `faultyard down {self.name}` first")
        cgroups.check_writable()
        limits.lift()

    def _clear(self, report: Report) -> None:
        report(f"removing what an earlier {self.name} has left")
        self.down()

    def _bring_up(
        self, artifacts: Artifacts, nodes: int, report: Report, template: Template | None
    ) -> None:
        report("storage")
        self.pool.open()
        storage.lay_out(self.pool, self.paths, artifacts, nodes, template)
        report("network")
        self._open_namespaces(nodes, artifacts)
        report("control plane")
        plane = self._start_site(artifacts)
        for node in self.nodes:
            node.boot()
        self._start_control_plane(plane, template)
        report("nodes")
        self._join_nodes(template)
        if template is None:
            report("DNS and storage class")
            self._install_addons()
        membership.wait_enforcing(self.nodes)

    def _open_namespaces(self, nodes: int, artifacts: Artifacts) -> None:
        cgroups.create(self.cgroup)
        cgroups.hold_back(self.cgroup)
        names = [layout.NodeLayout(i).name for i in range(1, nodes + 1)]
        lacking = governing.govern(self.cgroup, names, artifacts.binary("govern"))
        (self.paths.log / "govern.log").write_text(lacking)
        spaces = namespaces.create(
            self.cgroup, "gateway", self.pool.root, self.paths.log / "first.log"
        )
        kube, confine = str(artifacts.kube), str(artifacts.binary("confine"))
        found = (spaces.pid, spaces.started)
        known = Description(self.name, nodes, *found, kube, {}, time.time(), confine)
        known.write(self.paths.description)
        spaces.run(["sh", "-ec", namespaces.FURNISHING])

    def _start_site(self, artifacts: Artifacts) -> ControlPlane:
        spaces = self.namespaces
        plane = ControlPlane(
            spaces,
            self.paths,
            kube=artifacts.kube,
            etcd=artifacts.binary("etcd"),
            audit_policy=AUDIT_POLICY,
        )
        started = {"etcd": plane.start_store()}
        started["registry"] = registry.start(spaces, self.paths, artifacts.binary("registry"))
        started["resolver"] = resolver.start(
            spaces, self.paths, artifacts.binary("coredns"), self.node_layouts
        )
        self.note(started)
        key = (self.paths.folder / "oncall.pub").read_text()
        for node in self.nodes:
            node.configure(key)
        return plane

    def _start_control_plane(self, plane: ControlPlane, template: Template | None) -> None:
        if template is not None:
            with self.entered(), Store(ETCD) as store:
                template.wake(store, (self.paths.pki / "ca.crt").read_text(), self.paths.begun)
        self.note({"kube-apiserver": plane.start_api_server()})
        plane.wait_ready()
        manager, scheduler = plane.start_controllers()
        self.note({"kube-controller-manager": manager, "kube-scheduler": scheduler})

    def settle(self) -> None:
        """Have all that its start did look as old as its template, but for the containers."""
        with self.entered(), Store(ETCD) as store:
            settle(store, self.description.begun, self.paths.begun)
        cgroups.prefer(self.cgroup)

    def _join_nodes(self, template: Template | None) -> None:
        nodes = self.nodes
        for node in nodes:
            node.wait_booted()
        with self.api() as api, self.entered():
            if template is None:
                membership.introduce(api, nodes)
            membership.admit(api, nodes)

    def _install_addons(self) -> None:
        addons.install(self.kubectl(), addons.FIRST)
        with self.api() as api, self.entered():
            addons.wait(api, addons.FIRST)
        addons.install(self.kubectl(), addons.LATER)

    def wait_addons(self) -> None:
        """Wait until all that belongs to a cell serves; `up` waits only for the first of it."""
        with self.api() as api, self.entered():
            addons.wait(api, addons.LATER)

    def kubectl(self, identity: str = "admin") -> list[str]:
        """The command line of kubectl in the cell's network, as one of its identities."""
        kubeconfig = self.paths.pki / f"{identity}.kubeconfig"
        argv = [self.description.kube, "kubectl", f"--kubeconfig={kubeconfig}"]
        return self.namespaces.in_network(argv)

    def ssh(self, node: str, command: Sequence[str] = ()) -> list[str]:
        """The command line of an SSH session as `oncall` on a node."""
        place = self.node(node).place
        argv = ["ssh", "-i", str(self.paths.folder / "oncall"), *sshkeys.OPTIONS]
        return self.namespaces.in_network([*argv, f"oncall@{place.address}", *command])

    def api(self, identity: str = "admin") -> Api:
        """A client of its API server; use it inside `entered()`."""
        return Api(self.paths.pki / f"{identity}.kubeconfig")

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """The calling thread's new connections go into the cell meanwhile."""
        with self.namespaces.entered():
            yield

    def down(self) -> None:
        """End all its processes and delete all that is left of it; nothing there is no error."""
        try:
            first = self.namespaces
        except (UnknownName, Refused):
            first = None
        cgroups.kill(self.cgroup)
        if first is not None:
            first.wait_ended()
        cgroups.remove(self.cgroup)
        self.pool.reopen()
        self.pool.clear(self.paths.roots)
        trees.delete(self.paths.folder)

    def note(self, processes: dict[str, int]) -> None:
        """Add processes, by their PIDs in the cell, to its description."""
        known = self.description
        noted = replace(known, processes={**known.processes, **processes})
        noted.write(self.paths.description)
