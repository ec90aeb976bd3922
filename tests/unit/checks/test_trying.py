"""Trying checks: rounds are written down whole, and rest while nobody may see them."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Sequence
from typing import Any, cast

import pytest

from faultyard.apps import applications
from faultyard.checks import admissions, connections
from faultyard.checks.admissions import manifest
from faultyard.checks.registry import Plan, Round, Tried, kinds
from faultyard.checks.trying import Trying
from faultyard.clusters.api import ApiError
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from faultyard.model.predicates.connections import CLOSED, OPEN
from faultyard.model.probes import UNKNOWN, Asked, Probe
from faultyard.model.problem import Check

ASKED = [{"from": "a"}, {"from": "b"}]


def a_plan(round_: Round, mode: str = "hold") -> Plan:
    check = Check.model_validate({"name": "it", "kind": "connections", "mode": mode})
    return Plan(check, "connection", ASKED, ASKED[:1], 0.01, round_)


def seen(probes: list[Probe], number: int) -> None:
    wait_for(
        "rounds",
        lambda: (True if len(probes) >= number else None, f"{len(probes)} tries"),
        timeout_s=5,
        every_s=0.01,
    )


def well(asked: Sequence[Asked]) -> list[Tried]:
    return [Tried(one, "open", "connected", 2e9) for one in asked]


def test_the_tries_of_a_round_have_one_beginning() -> None:
    probes: list[Probe] = []
    trying = Trying([a_plan(well)], probes)
    trying.resume()
    trying.start()
    seen(probes, 6)
    trying.stop()
    trying.stop()
    assert len(probes) % 2 == 0
    assert all(first.t == second.t for first, second in zip(probes[::2], probes[1::2], strict=True))
    assert [probe.asked for probe in probes[:2]] == ASKED


def test_what_leaves_a_trace_is_tried_when_the_turn_is_over_and_not_before() -> None:
    probes: list[Probe] = []
    trying = Trying([a_plan(well)], probes)
    trying.start()
    seen(probes, 4)
    trying.rest()
    before = list(probes)
    trying.resume()
    seen(probes, len(before) + 4)
    trying.stop()
    assert [probe.asked for probe in before] == ASKED[:1] * len(before)
    assert [probe.asked for probe in probes[-2:]] == ASKED


def test_what_cannot_be_tried_is_unknown_and_tried_again() -> None:
    def fails(_: Sequence[Asked]) -> list[Tried]:
        raise ClusterError("the API server does not answer")

    probes: list[Probe] = []
    trying = Trying([a_plan(fails)], probes)
    trying.start()
    seen(probes, 4)
    trying.stop()
    assert {probe.outcome for probe in probes} == {UNKNOWN}
    assert probes[0].detail == "the API server does not answer"


def test_a_mistake_of_ours_is_told_at_the_end() -> None:
    def wrong(_: Sequence[Asked]) -> list[Tried]:
        raise KeyError("spec")

    trying = Trying([a_plan(wrong)], [])
    trying.start()
    with pytest.raises(ClusterError, match="trying checks failed: KeyError"):
        trying.stop()


def test_in_the_turn_only_what_must_hold_throughout_is_tried() -> None:
    turns = {"hold": threading.Event(), "throughout": threading.Event()}
    probes: list[Probe] = []

    def noting(mode: str) -> Round:
        def round_(_: Sequence[Asked]) -> list[Tried]:
            turns[mode].set()
            return []

        return round_

    trying = Trying([a_plan(noting(mode), mode) for mode in turns], probes)
    trying.rest()
    trying.start()
    assert turns["throughout"].wait(5)
    assert not turns["hold"].wait(0.3)
    trying.resume()
    assert turns["hold"].wait(5)
    trying.stop()


def test_a_port_on_which_somebody_listens_is_open_and_another_is_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = server.getsockname()
        assert connections.knock(socket.socket(), place) == (OPEN, "connected")
    assert connections.knock(socket.socket(), place) == (CLOSED, "Connection refused")


def test_what_is_not_answered_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "TIMEOUT_S", 0.2)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        with socket.create_connection(full.getsockname()):
            outcome, detail = connections.knock(socket.socket(), full.getsockname())
    assert (outcome, "no answer" in detail) == (CLOSED, True)


def test_a_tried_pod_breaks_no_other_rule() -> None:
    (container,) = manifest("registry/cart:1")["spec"]["containers"]
    assert container["image"] == "registry/cart:1"
    assert container["resources"]["requests"] == container["resources"]["limits"]
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


class Answering:
    """A cell whose API server answers a creation with one status after the other."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.images: list[str] = []

    def entered(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def api(self) -> contextlib.AbstractContextManager[Answering]:
        return contextlib.nullcontext(self)

    def post(self, path: str, body: Any, params: Any) -> None:
        assert (path, params) == ("/api/v1/namespaces/hotel/pods", {"dryRun": "All"})
        self.images.append(body["spec"]["containers"][0]["image"])
        status = self.answers.pop(0)
        if status != 201:
            raise ApiError(status, "failed calling webhook")


def test_every_trial_asks_the_guards_once_and_waits_until_they_answer() -> None:
    cell = Answering(500, 201)
    admissions.ask_once(cast(Cell, cell), applications.find("hotel"))
    assert (cell.answers, len(set(cell.images))) == ([], 1)
    assert cell.images[0].startswith("registry.meridian.internal:5000/")


def test_every_kind_that_is_tried_is_one_that_is_judged() -> None:
    assert set(kinds()) == {"connections", "credentials", "admission"}
