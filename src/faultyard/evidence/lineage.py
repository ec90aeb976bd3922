"""Whose processes they are: from what the recorder tells to sessions, nodes and pods.

A process belongs to the session in which it was forked, whoever adopts it and whatever cgroup it
moves to: neither is an agent's to choose. The cgroup says where it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any, Final

from faultyard.model.forwards import Forward
from faultyard.model.processes import Process

SANDBOX: Final = "agent"
"""The sandbox's cgroup, below the cell's."""
_LOGINS: Final = frozenset({"ssh.service", "user.slice"})
_POD: Final = re.compile(r"(?:.*-)?pod([0-9a-f]{8}[-_][-_0-9a-f]{27})(?:\.slice)?")
_CONTAINER: Final = re.compile(r"(?:.*-)?([0-9a-f]{64})(?:\.scope)?")
_GREETING: Final = re.compile(
    r"/usr/bin/env -i PATH=[\w:/]+ run-parts --lsbsysinit /etc/update-motd\.d"
    r" > /run/motd\.dynamic\.new"
)
"""What the login of every user runs as root before that user's shell."""
_LOOPBACK: Final = ("127.", "::1")
Raw = Mapping[str, Any]


@dataclass(frozen=True)
class Place:
    """What a cgroup says of a process."""

    where: str = "host"
    node: str = ""
    pod_uid: str = ""
    container_id: str = ""
    login: bool = False
    """It is where the SSH server and its users' processes are."""


@dataclass(frozen=True)
class _Label:
    session: str
    sid: int = 0
    server: bool = False
    """It lets people log in: its children are logins."""
    machinery: str = ""
    """Why it runs no command of the session's user yet: `login`, `greeting` or `runtime`."""


@dataclass
class Lineage:
    """Follows the recorder's lines in their order.

    Args:
        cgroup: the cell's.
        nodes: names of its nodes.
    """

    cgroup: str
    nodes: Iterable[str]
    processes: list[Process] = field(default_factory=list)
    connections: list[Forward] = field(default_factory=list)
    _places: dict[int, Place] = field(default_factory=dict)
    _labels: dict[int, _Label] = field(default_factory=dict)
    _networks: dict[int, Place] = field(default_factory=dict)

    def follow(self, lines: Iterable[Raw]) -> None:
        """Take in lines; of what they tell, `processes` and `connections` get their part."""
        present: list[Raw] = []
        for line in lines:
            if "cgroup" in line:
                self._places[line["cgroup"]["id"]] = self._place(line["cgroup"]["path"])
            elif "process" in line:
                present.append(line["process"])
            elif line.get("ready"):
                self._settle(present)
            elif "fork" in line:
                self._fork(line["fork"])
            elif "exec" in line:
                self._exec(line["exec"])
            elif "connection" in line:
                self._connection(line["connection"], ended=True)
            elif "open" in line:
                self._connection(line["open"], ended=False)

    def _settle(self, present: Iterable[Raw]) -> None:
        """Label what ran already; what was told to be forked meanwhile has its label."""
        logins = {raw["pid"] for raw in present if self._at(raw).login}
        for raw in sorted(present, key=lambda raw: self._at(raw).where != "node"):
            place = self._at(raw)
            # A network with a process of the node itself in it is the node's, not a pod's.
            if place.node:
                self._networks.setdefault(raw["net"], place)
            if raw["pid"] in self._labels:
                continue
            label = _Label("service", server=place.login)
            if place.where == "sandbox":
                label = _Label("agent", raw["pid"])
            elif place.login and raw["ppid"] in logins:
                label = _Label("ssh", raw["pid"])
            self._labels[raw["pid"]] = label

    def _fork(self, raw: Raw) -> None:
        parent = self._labels.get(raw["ppid"], _Label("other"))
        if not raw["inside"]:
            parent = _Label("harness")
        elif parent.session == "service" and parent.server and self._at(raw).login:
            parent = _Label("ssh", raw["pid"], machinery="login")
        self._labels[raw["pid"]] = parent

    def _exec(self, raw: Raw) -> None:
        place = self._at(raw)
        if place.pod_uid:
            self._networks.setdefault(raw["net"], place)
        label = _after_exec(self._labels.get(raw["pid"], _Label("other")), raw, place)
        self._labels[raw["pid"]] = label
        entered = raw["argv"][-1] if label.machinery == "runtime" and raw["argv"] else ""
        self.processes.append(
            Process(
                line=0,
                t=raw["t"],
                where=place.where,
                node=place.node,
                pod="",
                container="",
                session="service" if label.machinery else label.session,
                sid=0 if label.machinery else label.sid,
                pid=raw["pid"],
                ppid=raw["ppid"],
                uid=raw["uid"],
                euid=raw["euid"],
                exe=raw["exe"],
                argv=tuple(raw["argv"]),
                cut=raw["cut"] or bool(raw.get("unread")),
                pod_uid=place.pod_uid,
                container_id=place.container_id
                or (entered if _CONTAINER.fullmatch(entered) else ""),
            )
        )

    def _connection(self, raw: Raw, *, ended: bool) -> None:
        label = self._labels.get(raw["pid"], _Label("other"))
        near = str(raw["address"]).startswith(_LOOPBACK)
        place = self._networks.get(raw["net"], Place())
        if label.session == "service" and not near:
            return  # the runtime fetches an image
        if label.session == "ssh":
            place = replace(place, pod_uid="")  # whose it is, the address says
        self.connections.append(
            Forward(
                line=0,
                t=raw["t"],
                until=raw["until"] if ended else None,
                by="ssh" if label.session == "ssh" else "runtime",
                node=place.node,
                pod="",
                address=raw["address"],
                port=raw["port"],
                sent=raw["sent"] if ended else None,
                received=raw["received"] if ended else None,
                pod_uid=place.pod_uid,
            )
        )

    def _at(self, raw: Raw) -> Place:
        return self._places.get(raw["cgroup"], Place())

    def _place(self, path: str) -> Place:
        parts = PurePosixPath(path).parts[1:]
        if len(parts) < 2 or parts[0] != self.cgroup:
            return Place()
        if parts[1] == SANDBOX:
            return Place("sandbox")
        if parts[1] not in self.nodes:
            return Place()
        pod, container = next(_matches(_POD, parts), ""), next(_matches(_CONTAINER, parts), "")
        return Place(
            "pod" if pod else "node",
            parts[1],
            pod.replace("_", "-"),
            container,
            login=bool(_LOGINS.intersection(parts)),
        )


def _matches(pattern: re.Pattern[str], parts: Iterable[str]) -> Iterator[str]:
    return (found.group(1) for part in parts if (found := pattern.fullmatch(part)))


def _after_exec(label: _Label, raw: Raw, place: Place) -> _Label:
    """The label of a process that has just become another program."""
    program = PurePosixPath(raw["exe"]).name
    if label.session == "harness" and place.where == "sandbox":
        return _Label("agent", raw["pid"])
    if label.session == "service" and place.login and not label.machinery:
        return replace(label, server=True)  # the SSH server, started anew
    if label.session == "service" and program == "runc" and "exec" in raw["argv"]:
        return _Label("exec", raw["pid"], machinery="runtime")
    if label.machinery == "runtime" and place.where == "pod" and not _prepares(raw):
        return replace(label, machinery="")
    if label.machinery == "login":
        return replace(label, machinery=_login_stage(program, raw))
    return label


def _prepares(raw: Raw) -> bool:
    """Tell whether it is the runtime itself, in the container, before the command."""
    inside = str(raw["exe"]).startswith(("/proc/", "/dev/fd/"))
    return inside and list(raw["argv"]) == ["runc", "init"]


def _login_stage(program: str, raw: Raw) -> str:
    if program == "sshd":
        return "login"
    argv = raw["argv"]
    greets = raw["uid"] == 0 and len(argv) == 3 and _GREETING.fullmatch(argv[2])
    return "greeting" if greets else ""
