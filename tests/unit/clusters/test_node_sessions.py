"""What is ended on a node when an agent's turn is over, with real processes in real cgroups."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import pytest

from faultyard.clusters.embedded import cgroups, node_sessions

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make cgroups")

OWN = ("payload/init.scope", "payload/system.slice/cron.service", "supervisor")
PODS = "kubepods/burstable/pod1"
SSHD = "payload/system.slice/ssh.service"


class PlayedNode:
    """The cgroups of a node, and a process that does nothing wherever one is wanted."""

    def __init__(self, cgroup: str) -> None:
        self.cgroup = cgroup
        self.machine = cgroups.create_for_machine(cgroup)
        self.started: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, place: str, name: str = "") -> None:
        folder = cgroups.MOUNT / self.machine / place
        folder.mkdir(parents=True, exist_ok=True)
        script = f"echo $$ > {folder}/cgroup.procs; echo joined; exec sleep 60"
        process = subprocess.Popen(["sh", "-ec", script], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"joined\n"
        self.started[name or place] = process

    def alive(self) -> set[str]:
        return {name for name, process in self.started.items() if process.poll() is None}


@pytest.fixture
def node(unified: str) -> Iterator[PlayedNode]:
    cgroups.create(unified)
    made = PlayedNode(unified)
    for place in (*OWN, PODS, SSHD):
        made.start(place)
    yield made
    for process in made.started.values():
        process.kill()
        process.communicate()


def test_a_nodes_own_services_and_pods_stay(node: PlayedNode) -> None:
    quiet = node_sessions.look(node.cgroup)
    node.start("kubepods/besteffort/pod2")  # the cluster's, whenever it came
    node_sessions.end(node.cgroup, quiet)
    assert node.alive() == {*OWN, PODS, SSHD, "kubepods/besteffort/pod2"}


@pytest.mark.parametrize(
    "place", [SSHD, "payload/user.slice/session-1.scope", "payload/system.slice/mine.service"]
)
def test_logins_and_new_services_are_ended(node: PlayedNode, place: str) -> None:
    quiet = node_sessions.look(node.cgroup)
    node.start(place, "the agent's")
    assert "the agent's" in node.alive()
    node_sessions.end(node.cgroup, quiet)
    assert node.alive() == {*OWN, PODS, SSHD}


def test_a_service_of_the_healthy_node_that_a_fault_had_stopped_stays_too(node: PlayedNode) -> None:
    healthy = node_sessions.look(node.cgroup)
    cron = OWN[1]
    node.started[cron].kill()
    node.started.pop(cron).communicate()
    (cgroups.MOUNT / node.machine / cron).rmdir()
    quiet = node_sessions.look(node.cgroup)
    node.start(cron)
    node_sessions.end(node.cgroup, quiet.with_services_of(healthy))
    assert cron in node.alive()
    node_sessions.end(node.cgroup, quiet.with_services_of(None))
    assert cron not in node.alive()
