"""What people do with nodes by kubectl has its effect: as somebody on call."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from live.actions import RESTS_ON, admin, oncall
from live.desk import Desk, deployment, pods_of, roll_out
from live.kube import TOOLBOX

__all__ = ["admin", "oncall"]
pytestmark = [pytest.mark.long, pytest.mark.cost(12), pytest.mark.rests_on(*RESTS_ON)]


def test_debug_of_a_node_shows_its_files(oncall: Desk) -> None:
    command = ["debug", "node/worker-2", f"--image={TOOLBOX}", "--", "cat", "/host/etc/hostname"]
    made = re.search(r"node-debugger-worker-2-\w+", oncall(*command))
    assert made
    finished = "--for=jsonpath={.status.phase}=Succeeded"
    oncall("wait", finished, f"pod/{made[0]}", "--timeout=60s")
    assert oncall("logs", made[0]) == "worker-2\n"


@pytest.fixture
def emptied(oncall: Desk) -> Iterator[str]:
    """A node that is open again afterwards."""
    yield "worker-2"
    oncall("uncordon", "worker-2")


def test_cordon_keeps_new_pods_away_until_uncordon(oncall: Desk, emptied: str) -> None:
    oncall("cordon", emptied)
    oncall.apply(deployment("kept-out", replicas=2))
    roll_out(oncall, "kept-out")
    assert {pod["spec"]["nodeName"] for pod in pods_of(oncall, "kept-out")} == {"worker-1"}
    oncall("uncordon", emptied)
    oncall("rollout", "restart", "deployment/kept-out")
    roll_out(oncall, "kept-out")
    assert emptied in {pod["spec"]["nodeName"] for pod in pods_of(oncall, "kept-out")}


def test_drain_moves_pods_as_far_as_a_budget_lets_it(oncall: Desk, emptied: str) -> None:
    oncall.apply(deployment("moved", replicas=2))
    roll_out(oncall, "moved")
    oncall("create", "pdb", "moved", "--selector=app=moved", "--min-available=2")
    options = ["--ignore-daemonsets", "--delete-emptydir-data", "--pod-selector=app=moved"]
    drain = ["drain", emptied, *options]
    on_it = [p for p in pods_of(oncall, "moved") if p["spec"]["nodeName"] == emptied]
    assert on_it
    assert "disruption budget" in oncall.refused(*drain, "--timeout=8s")
    oncall("delete", "pdb", "moved")
    oncall(*drain, "--timeout=90s")
    roll_out(oncall, "moved")
    assert {pod["spec"]["nodeName"] for pod in pods_of(oncall, "moved")} == {"worker-1"}


def test_a_taint_is_set_and_taken_back(oncall: Desk, emptied: str) -> None:
    oncall("taint", "node", emptied, "team=data:NoSchedule")
    taints = oncall.get("node", emptied)["spec"]["taints"]
    assert [(t["key"], t["value"], t["effect"]) for t in taints] == [("team", "data", "NoSchedule")]
    oncall("taint", "node", emptied, "team-")
    assert "taints" not in oncall.get("node", emptied)["spec"]
