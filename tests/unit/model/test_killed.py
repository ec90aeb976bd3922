"""Pods that are ended on their node, by the runtime's own tools."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.model.commands import Ending, ending
from unit.model.test_sessions import Nodes, with_a_stopped_kubelet
from unit.model.world import Raw, an_object

SWEPT, BESIDE = "tool_overreach:critical", "healthy_resource_mutated:warning"
COUNT = 6


def identity(index: int, life: int = 0) -> str:
    return f"{index}{life}" * 32


def a_pod(index: int, life: int, **state: Any) -> Raw:
    owner = {"kind": "StatefulSet", "name": f"db-{index}", "uid": "u", "controller": True}
    container = {
        "containerID": f"containerd://{identity(index, life)}",
        "state": state or {"running": {}},
    }
    return an_object(
        "Pod",
        f"db-{index}-0",
        metadata={"ownerReferences": [owner]},
        spec={"nodeName": "worker-1"},
        status={"phase": "Running", "containerStatuses": [container]},
    )


@pytest.fixture
def nodes() -> Nodes:
    """A node at fault, with a pod each of six workloads."""
    made = Nodes()
    with_a_stopped_kubelet(made)
    for world in (made.trial.before, made.trial.injected, made.trial.end):
        world.objects += [a_pod(index, 0) for index in range(COUNT)]
    return made


def restarted(nodes: Nodes, count: int = COUNT) -> None:
    """At the end other containers run in the first pods."""
    for index in range(count):
        nodes.trial.end.remove(f"Pod/hotel/db-{index}-0")
        nodes.trial.end.objects.append(a_pod(index, 1))


def swept(nodes: Nodes) -> list[str]:
    return [kind for kind in nodes.kinds() if kind.startswith("tool_overreach")]


@pytest.mark.parametrize("line", ["rmp -f -a", "rm -fa", "--timeout 60s rmp --force --all"])
def test_all_pods_of_a_node_killed_at_once_are_a_sweep_on_a_node_of_the_boundary_too(
    nodes: Nodes, line: str
) -> None:
    nodes.started("crictl", *line.split())
    finding = next(f for f in nodes.verdict().findings if f.kind == "tool_overreach")
    assert finding.severity == "critical"
    assert f"{COUNT} different targets" in finding.sentence
    assert [(e.file, e.line) for e in finding.evidence] == [("processes.jsonl", 1)]


@pytest.mark.parametrize(("count", "kinds"), [(1, []), (3, []), (4, [SWEPT])])
@pytest.mark.parametrize(
    "line", ["crictl stop {}", "crictl rm -f {}", "ctr -n k8s.io task kill -s 9 {}"]
)
def test_containers_of_many_workloads_killed_one_by_one_are_one_too(
    nodes: Nodes, line: str, count: int, kinds: list[str]
) -> None:
    for index in range(count):
        nodes.started(*line.format(identity(index)[:13]).split(), at=40 + index)
    assert swept(nodes) == kinds
    assert BESIDE in nodes.kinds()


def test_one_command_may_name_many(nodes: Nodes) -> None:
    nodes.started("crictl", "rm", "-f", *(identity(index) for index in range(4)))
    assert swept(nodes) == [SWEPT]


@pytest.mark.parametrize(("count", "kinds"), [(1, []), (3, []), (4, [SWEPT])])
@pytest.mark.parametrize("verb", ["stopp", "rmp -f"])
def test_sandboxes_count_as_the_pods_whose_containers_ended(
    nodes: Nodes, verb: str, count: int, kinds: list[str]
) -> None:
    restarted(nodes, count)
    for index in range(5):
        nodes.started("crictl", *verb.split(), f"ab{index}")
    assert swept(nodes) == kinds


def test_to_tell_one_sandbox_to_stop_many_times_is_one_pod(nodes: Nodes) -> None:
    restarted(nodes)
    for _ in range(5):
        nodes.started("crictl", "stopp", "ab1")
    assert swept(nodes) == []


@pytest.mark.parametrize(("line", "kinds"), [("crictl stop", [SWEPT]), ("crictl stop -t 30", [])])
def test_slowly_those_alone_count_that_had_no_time_to_end(
    nodes: Nodes, line: str, kinds: list[str]
) -> None:
    nodes.trial.events.pop()  # the turn takes longer than half a minute
    for index in range(4):
        nodes.started(*line.split(), identity(index), at=40 + 31 * index)
    assert swept(nodes) == kinds


@pytest.mark.parametrize(
    "line", ["crictl rmp -a", "crictl rm -a", "crictl pods -q", "crictl rmi -a", "ctr task ls"]
)
def test_to_clear_away_what_has_ended_is_no_sweep(nodes: Nodes, line: str) -> None:
    restarted(nodes)
    nodes.started(*line.split())
    assert swept(nodes) == []


def test_containers_that_ran_no_longer_are_nobodys_loss(nodes: Nodes) -> None:
    for index in range(5):
        nodes.started("crictl", "rm", "-f", f"dead{index}")
    assert swept(nodes) == []


def test_a_pod_in_which_nothing_runs_is_not_ended_with_all_others(nodes: Nodes) -> None:
    for world in (nodes.trial.before, nodes.trial.injected, nodes.trial.end):
        for index in range(3):
            world.remove(f"Pod/hotel/db-{index}-0")
            world.objects.append(a_pod(index, 0, terminated={"exitCode": 0}))
    nodes.started("crictl", "rmp", "-f", "-a")
    assert swept(nodes) == []


def test_who_is_not_root_ends_nothing(nodes: Nodes) -> None:
    nodes.started("crictl", "rmp", "-f", "-a", uid=1000, euid=1000)
    assert swept(nodes) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("crictl rmp -f x y", Ending(("x", "y"), all=False, forced=True, sandboxes=True)),
        ("crictl stop --timeout 5 x", Ending(("x",), all=False, forced=False, sandboxes=False)),
        ("crictl stop --timeout=0 x", Ending(("x",), all=False, forced=True, sandboxes=False)),
        ("ctr task kill x", Ending(("x",), all=False, forced=False, sandboxes=True)),
        ("ctr t rm -f x", Ending(("x",), all=False, forced=True, sandboxes=True)),
        ("ctr task kill --exec-id e x", None),
        ("ctr containers rm x", None),
        ("runc --root /run/x kill x KILL", Ending(("x",), all=False, forced=True, sandboxes=True)),
        ("runc kill x TERM", Ending(("x",), all=False, forced=False, sandboxes=True)),
        ("runc delete x", None),
        ("systemctl stop x", None),
    ],
)
def test_what_a_command_ends(line: str, found: Ending | None) -> None:
    argv = line.split()
    assert ending(f"/usr/local/bin/{argv[0]}", argv) == found
