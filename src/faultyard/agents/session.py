"""The agent's identity for one trial: minted when its turn starts, refused when it is over.

The user is the same in every trial, and it looks like a company's. What makes a session of it is
its credentials: a certificate and an SSH key that nobody has had before.
"""

from __future__ import annotations

import base64
import datetime
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from faultyard.clusters.api import Api, ApiError
from faultyard.clusters.embedded import pki, sshkeys
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.node_sessions import Quiet
from faultyard.clusters.embedded.nodes import Node
from faultyard.clusters.errors import ClusterError, NotReady
from faultyard.clusters.waiting import wait_for
from faultyard.model.actors import PROBED

USER = "oncall"
GROUP = "sre-oncall"
ROLE = "sre-oncall"
"""The ClusterRole of everybody on call; it is there in every cell."""
BINDING = "sre-oncall"
RBAC = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
PROBE = f"/api/v1/{PROBED}"
"""Cluster-wide: no RoleBinding that the agent may have made for itself can grant it."""


@dataclass(frozen=True)
class Session:
    """The credentials of one turn. Make one with `Session.open`.

    Args:
        cell: where they are valid.
        folder: holds their files; of the harness alone.
    """

    cell: Cell
    folder: Path
    quiet: dict[str, Quiet] = field(default_factory=dict)
    """What belongs to each node while nobody is logged in."""

    username = USER
    session_objects = (f"ClusterRoleBinding//{BINDING}",)
    """References of what opening made in the cluster: no change of the agent's."""

    @classmethod
    def open(
        cls,
        cell: Cell,
        folder: Path,
        *,
        lifetime_s: float,
        healthy: Mapping[str, Quiet] = MappingProxyType({}),
    ) -> Session:
        """Mint the credentials and wait until API server and nodes accept them.

        Args:
            cell: a running cell.
            folder: is made; for the session's files.
            lifetime_s: after it the certificate is void even if nobody closes, seconds.
            healthy: what belonged to each node before anything was broken, by the node's name.

        Raises:
            ClusterError: they were not accepted, or the cell does not answer.
        """
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        session = cls(cell, folder)
        session._issue(datetime.timedelta(seconds=lifetime_s))
        key = sshkeys.create(session.ssh_key, f"{USER}@meridian.internal")
        with cell.api() as admin, cell.entered():
            admin.post(RBAC, _binding())
        for node in cell.nodes:
            name = node.place.name
            session.quiet[name] = node.quiet().with_services_of(healthy.get(name))
            node.authorize(key)
        session._await_api(200, "to be granted")
        for node in cell.nodes:
            session._await_ssh(node, accepted=True)
        return session

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def certificate(self) -> Path:
        """The client certificate; its key lies beside it."""
        return self.folder / "client.crt"

    @property
    def ssh_key(self) -> Path:
        """The private SSH key."""
        return self.folder / "id_ed25519"

    @property
    def credential_id(self) -> str:
        """How the API server's audit log names the certificate."""
        return pki.fingerprint(self.certificate)

    @property
    def kubeconfig(self) -> str:
        """A kubeconfig with everything in it: it tells no path and works anywhere."""
        loaded: dict[str, Any] = yaml.safe_load(
            pki.kubeconfig_text(
                "",
                USER,
                {
                    "client-certificate-data": _base64(self.certificate),
                    "client-key-data": _base64(self.certificate.with_suffix(".key")),
                },
            )
        )
        cluster = loaded["clusters"][0]["cluster"]
        del cluster["certificate-authority"]
        cluster["certificate-authority-data"] = _base64(self.cell.paths.pki / "ca.crt")
        return yaml.safe_dump(loaded, sort_keys=False)

    def api(self) -> Api:
        """A client of the API server with these credentials; use it inside `cell.entered()`."""
        return Api(self._own_kubeconfig)

    def close(self, note: Callable[[str, str], None] = lambda *_: None) -> tuple[str, ...]:
        """End all access, then see that it is refused.

        What the agent left running on the nodes ends; pods stay. The cell's own key is let in
        again, for `faultyard ssh`.

        Args:
            note: is told each refusal that was seen: what, and the answer.

        Returns:
            What could not be ended or still accepts the credentials, a sentence each. All of it
            worked when the session was opened, so somebody broke it since.

        Raises:
            ClusterError: the API server does not answer, or neither yes nor no.
        """
        with self.cell.entered(), self.cell.api() as admin:
            try:
                admin.delete(f"{RBAC}/{BINDING}")
                broken = []
            except ApiError as error:
                broken = [f"the rights could not be taken away: {error}"]
        try:
            self._await_api(403, "to be refused")
            note("API server refuses the certificate", f"403 to GET {PROBE}")
        except NotReady as error:
            if not error.last_seen.endswith("200"):  # no answer that says anything: ours
                raise
            broken.append(f"the rights are still accepted: {error}")
        for node in self.cell.nodes:
            if node.first_process() is None:  # a node that is down holds no session
                note(f"{node.place.name} is down", "")
                continue
            broken += self._close_node(node, note)
        return tuple(dict.fromkeys(broken))

    def _close_node(self, node: Node, note: Callable[[str, str], None]) -> list[str]:
        """End access to one node; returns what failed."""
        name = node.place.name

        def refuse() -> None:
            note(f"{name} refuses the key", self._await_ssh(node, accepted=False))

        own_key = (self.cell.paths.folder / "oncall.pub").read_text()
        broken = []
        for step in (
            partial(node.authorize, ""),
            partial(node.end_sessions, self.quiet[name]),
            refuse,
            partial(node.authorize, own_key),
        ):
            broken += _attempt(f"the login on {name}", step)
        return broken

    def _issue(self, lifetime: datetime.timedelta) -> None:
        issued = self.cell.authority.issue(pki.Identity(USER, USER, (GROUP,)), lifetime)
        shutil.move(issued, self.certificate)
        shutil.move(issued.with_suffix(".key"), self.certificate.with_suffix(".key"))
        credentials = {
            "client-certificate": str(self.certificate),
            "client-key": str(self.certificate.with_suffix(".key")),
        }
        ca_file = str(self.cell.paths.pki / "ca.crt")
        self._own_kubeconfig.write_text(pki.kubeconfig_text(ca_file, USER, credentials))

    @property
    def _own_kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    def _await_api(self, status: int, what: str) -> None:
        def look() -> tuple[bool | None, str]:
            seen = api.request("GET", PROBE, params={"limit": 1}).status_code
            return (True if seen == status else None), f"the API server answered {seen}"

        with self.api() as api, self.cell.entered():
            wait_for(f"the session {what}", look, timeout_s=15, every_s=0.02)

    def _await_ssh(self, node: Node, *, accepted: bool) -> str:
        """Wait until a node lets the key in, or does not; returns what ssh came to."""
        target = f"{USER}@{node.place.address}"
        argv = ["ssh", "-i", str(self.ssh_key), "-o", "IdentitiesOnly=yes", *sshkeys.OPTIONS]
        argv = self.cell.namespaces.in_network([*argv, target, "true"])

        def look() -> tuple[str | None, str]:
            # A daemon that does not answer does not let anybody in either.
            done = run(argv, timeout_s=60, check=False)
            said = f"ssh exited with {done.returncode}: {done.stderr.strip()}"
            return (said if (done.returncode == 0) is accepted else None), said

        what = "accept" if accepted else "refuse"
        return wait_for(f"{node.place.name} to {what} the session's key", look, timeout_s=20)


def _attempt(what: str, step: Callable[[], object]) -> list[str]:
    try:
        step()
    except ClusterError as error:
        return [f"{what} could not be ended: {error}"]
    return []


def _binding() -> dict[str, Any]:
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": BINDING},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": ROLE},
        "subjects": [{"apiGroup": group, "kind": "User", "name": USER}],
    }


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
