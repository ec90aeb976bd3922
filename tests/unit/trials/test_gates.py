"""Gates over the users' figures, played from a list instead of a load generator."""

from __future__ import annotations

import json

import pytest

from faultyard.clusters.errors import ClusterError, NotReady
from faultyard.model.client import Second, parse_seconds
from faultyard.model.host import HostSecond
from faultyard.model.probes import Probe
from faultyard.model.problem import parse_problem
from faultyard.trials import gates
from faultyard.trials.timeline import Timeline
from unit.model.builders import T0, Trial
from unit.model.test_restraint import restraint

GOOD, BAD = True, False


def seconds(*good: bool) -> list[Second]:
    lines = []
    for at, well in enumerate(good):
        figures = {
            "ok": 12 if well else 2,
            "failed": 0 if well else 10,
            "latencies_ms": [20.0] * 12,
            "errors": {} if well else {"step search: status 503": 10},
        }
        line = {"t": T0 + at, "journeys": {"search": figures}, "lateness_ms": 1, "in_flight": 1}
        lines.append(json.dumps(line))
    return parse_seconds(lines)


class Played:
    """Shows one more second at each look."""

    def __init__(self, *good: bool) -> None:
        self.all = seconds(*good)
        self.shown = 0

    def require_running(self) -> None:
        """It does."""

    def seconds(self) -> list[Second]:
        self.shown = min(self.shown + 1, len(self.all))
        return self.all[: self.shown]


@pytest.fixture
def timeline(monkeypatch: pytest.MonkeyPatch) -> Timeline:
    quiet = {T0 + at: HostSecond(T0 + at, 0.5, 0.45, 0.2) for at in range(-2, 100)}
    monkeypatch.setattr(gates, "HEALTHY_TIMEOUT_S", 2)
    monkeypatch.setattr(gates, "VISIBLE_TIMEOUT_S", 2)
    monkeypatch.setattr(gates, "LOOK_S", 0.01)
    return Timeline(host=quiet)


def snapshots_of(timeline: Timeline, name: str) -> None:
    timeline.raw_snapshots[name] = Trial().files()[f"snapshots/{name}.json"]


def rendered() -> gates.RenderedProblem:
    return Trial().record().problem


def test_healthy_is_the_first_stretch_of_good_seconds_that_is_long_enough(
    timeline: Timeline,
) -> None:
    played = Played(*[BAD] * 5, *[GOOD] * 20)
    gates.wait_healthy(rendered(), played, timeline)  # type: ignore[arg-type]
    assert timeline.times["healthy_from"] == T0 + 5
    assert timeline.times["healthy_to"] == T0 + 5 + gates.GATE_S


def test_an_application_that_is_never_healthy_ends_the_trial(timeline: Timeline) -> None:
    with pytest.raises(NotReady, match="for the application to be healthy"):
        gates.wait_healthy(rendered(), Played(*[GOOD, BAD] * 10), timeline)  # type: ignore[arg-type]


def test_an_application_that_broke_by_itself_before_the_injection_ends_the_trial(
    timeline: Timeline,
) -> None:
    played = Played(*[GOOD] * 8, *[BAD] * 30)
    gates.wait_healthy(rendered(), played, timeline)  # type: ignore[arg-type]
    snapshots_of(timeline, "before")
    while played.shown < 12:  # that long the snapshot took
        played.seconds()
    with pytest.raises(NotReady, match="for the application to be healthy"):
        gates.require_healthy(rendered(), played, timeline)  # type: ignore[arg-type]


def test_the_seconds_that_show_it_healthy_are_those_before_the_injection(
    timeline: Timeline,
) -> None:
    played = Played(*[GOOD] * 30)
    gates.wait_healthy(rendered(), played, timeline)  # type: ignore[arg-type]
    snapshots_of(timeline, "before")
    played.shown = 20
    gates.require_healthy(rendered(), played, timeline)  # type: ignore[arg-type]
    assert timeline.times["healthy_to"] == T0 + 21


def test_a_fault_counts_as_seen_only_by_seconds_after_the_injection(timeline: Timeline) -> None:
    timeline.mark("injected", T0 + 10.0)
    played = Played(*[GOOD] * 10, *[BAD] * 30)
    gates.wait_broken(
        rendered(),
        played,  # type: ignore[arg-type]
        timeline,
        lambda: snapshots_of(timeline, "injected"),
    )
    assert timeline.times["fault_visible_from"] >= T0 + 10
    assert "injected" in timeline.raw_snapshots


def test_a_fault_that_users_do_not_see_ends_the_trial(timeline: Timeline) -> None:
    timeline.mark("injected", float(T0))
    with pytest.raises(NotReady, match="for users to see the fault"):
        gates.wait_broken(rendered(), Played(*[GOOD] * 30), timeline, list)  # type: ignore[arg-type]


CONNECTIONS = """
  - {name: kept-out, kind: connections, mode: hold,
     with: {to: "shop/store:1", control: "shop/edge:1", allowed: [shop/owner],
            refused: [other/intruder]}}
boundary:"""


def test_a_fault_that_no_user_feels_is_seen_by_what_was_tried(timeline: Timeline) -> None:
    trial = Trial()
    trial.problem = trial.problem.replace("\nboundary:", CONNECTIONS)
    paths = [("shop/owner", "shop/store:1"), ("other/intruder", "shop/store:1")]
    paths.append(("other/intruder", "shop/edge:1"))
    timeline.probes += [
        Probe(T0 + at, T0 + at + 0.1, "connection", {"from": source, "to": to}, "open", "connected")
        for at in range(40)
        for source, to in paths
    ]
    timeline.mark("injected", float(T0))
    gates.wait_broken(
        trial.record().problem,
        Played(*[GOOD] * 30),  # type: ignore[arg-type]
        timeline,
        lambda: snapshots_of(timeline, "injected"),
    )
    assert timeline.times["fault_visible_to"] == T0 + gates.GATE_S


def unbroken() -> gates.RenderedProblem:
    return parse_problem(restraint(), "problem.yaml").render(1)


def test_where_nothing_was_broken_users_have_to_be_served_as_before(timeline: Timeline) -> None:
    timeline.mark("injected", T0 + 10.0)
    trial = Trial()
    trial.injected = trial.before
    timeline.raw_snapshots["before"] = trial.files()["snapshots/before.json"]

    def snapshot() -> None:
        timeline.raw_snapshots["injected"] = trial.files()["snapshots/injected.json"]

    gates.wait_broken(unbroken(), Played(*[GOOD] * 30), timeline, snapshot)  # type: ignore[arg-type]
    assert timeline.times["fault_visible_from"] >= T0 + 10
    trial.injected = Trial().injected
    with pytest.raises(ClusterError, match="nothing was broken, but a check fails: endpoints"):
        gates.wait_broken(unbroken(), Played(*[GOOD] * 30), timeline, snapshot)  # type: ignore[arg-type]


def test_where_nothing_was_broken_users_that_suffer_end_the_trial(timeline: Timeline) -> None:
    timeline.mark("injected", float(T0))
    with pytest.raises(NotReady, match="for users to be served as before"):
        gates.wait_broken(unbroken(), Played(*[BAD] * 30), timeline, list)  # type: ignore[arg-type]
