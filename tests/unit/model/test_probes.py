"""What the harness tried: its file, and the predicates over it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from faultyard.model import probes
from faultyard.model.errors import DescriptionError
from faultyard.model.lines import LinesError
from faultyard.model.observations import Observations
from faultyard.model.predicates import CheckResult, Phase, State, evaluate
from faultyard.model.predicates.admission import Admission
from faultyard.model.predicates.connections import Connections, asked
from faultyard.model.predicates.credentials import Credentials
from faultyard.model.probes import Probe, largest_gap
from faultyard.model.problem import parse_problem
from unit.model.builders import HOLD_END, HOLD_START, PROBLEM, TURN_END, TURN_START, Trial
from unit.model.world import T0

STORE, EDGE = "shop/store:27017", "shop/edge:80"
CONNECTIONS = {
    "to": STORE,
    "allowed": ["shop/owner"],
    "refused": ["other/intruder"],
    "control": EDGE,
}
CREDENTIALS = {"secret": "shop/login", "service": "shop/store", "database": "cart"}
ADMISSION = {
    "namespace": "shop",
    "admitted": "registry/cart:1",
    "refused": [{"image": "elsewhere/cart:1", "says": "is not from registry"}],
}
TIMES = {
    "healthy_from": 1,
    "healthy_to": 9,
    "fault_visible_from": 18,
    "fault_visible_to": 26,
    "turn_start": TURN_START,
    "turn_end": TURN_END,
    "hold_start": HOLD_START,
    "hold_end": HOLD_END,
}
Outcomes = Mapping[tuple[str, str], str]
KEPT: Outcomes = {
    ("shop/owner", STORE): "open",
    ("other/intruder", STORE): "closed",
    ("other/intruder", EDGE): "open",
}


def result(
    kind: str,
    parameters: Mapping[str, Any],
    tries: Iterable[Probe],
    phase: Phase = Phase.FINAL,
    mode: str = "hold",
) -> CheckResult:
    lines = PROBLEM.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("checks:"))
    stop = next(i for i, line in enumerate(lines) if line.startswith("boundary:"))
    check = f"  - {{name: it, kind: {kind}, mode: {mode}, with: {json.dumps(parameters)}}}"
    text = "\n".join([*lines[: start + 1], check, *lines[stop:]])
    problem = parse_problem(text, "problem.yaml").render(1)
    times = {name: T0 + float(at) for name, at in TIMES.items()}
    (found,) = evaluate(problem, Observations(times, (), {}, {}, tuple(tries)), phase)
    return found


def connections(at: float, outcomes: Outcomes) -> list[Probe]:
    return [
        Probe(T0 + at, T0 + at + 1.5, "connection", {"from": source, "to": to}, outcome, "seen")
        for (source, to), outcome in outcomes.items()
    ]


def all_through(first: Outcomes, *others: tuple[float, Outcomes]) -> list[Probe]:
    """Rounds every two seconds, with the same outcomes but at some moments."""
    changed = dict(others)
    moments = [HOLD_START + 0.5 + 2 * i for i in range(15)]
    moments = [at for at in moments if at + 1.5 <= HOLD_END]
    return [p for at in moments for p in connections(at, changed.get(at, first))]


def test_whoever_may_gets_through_and_whoever_must_not_is_kept_out() -> None:
    found = result("connections", CONNECTIONS, all_through(KEPT))
    assert found.state is State.PASS, found.reason
    assert found.figures["rounds"] == 15
    assert found.figures["largest_gap_s"] == 2.0


@pytest.mark.parametrize(
    ("path", "outcome", "says"),
    [
        (("other/intruder", STORE), "open", "and must not"),
        (("shop/owner", STORE), "closed", "does not reach"),
        (("other/intruder", EDGE), "closed", "does not even reach"),
        (("other/intruder", EDGE), "absent", "nothing can be tried"),
        (("other/intruder", STORE), "absent", "nothing can be tried"),
    ],
)
def test_one_bad_round_fails(path: tuple[str, str], outcome: str, says: str) -> None:
    bad = (HOLD_START + 10.5, {**KEPT, path: outcome})
    found = result("connections", CONNECTIONS, all_through(KEPT, bad))
    assert (found.state, says in found.reason) == (State.FAIL, True), found.reason


def test_a_door_that_is_closed_to_everybody_is_not_a_guard() -> None:
    nobody = dict.fromkeys(KEPT, "closed")
    assert result("connections", CONNECTIONS, all_through(nobody)).state is State.FAIL


def test_a_window_that_was_not_seen_is_an_error_and_says_how_long() -> None:
    assert result("connections", CONNECTIONS, []).state is State.ERROR
    seen = [p for p in all_through(KEPT) if not HOLD_START + 5 < p.t - T0 < HOLD_START + 18]
    found = result("connections", CONNECTIONS, seen)
    assert (found.state, found.figures["largest_gap_s"]) == (State.ERROR, 14.0)


def test_tries_that_could_not_be_made_are_a_gap() -> None:
    unknown = dict.fromkeys(KEPT, probes.UNKNOWN)
    found = result("connections", CONNECTIONS, all_through(unknown))
    assert (found.state, found.figures["rounds"]) == (State.ERROR, 0)


def test_a_window_that_is_shorter_than_demanded_is_an_error() -> None:
    longer = {**CONNECTIONS, "window_s": HOLD_END - HOLD_START + 1}
    assert result("connections", longer, all_through(KEPT)).state is State.ERROR


def test_who_is_refused_needs_something_to_reach() -> None:
    alone = {"to": STORE, "allowed": ["shop/owner"]}
    reached = [p for p in all_through(KEPT) if p.asked["from"] == "shop/owner"]
    assert result("connections", alone, reached).state is State.PASS
    with pytest.raises(DescriptionError, match="name as `control`"):
        result("connections", {**alone, "refused": ["other/intruder"]}, reached)


def test_half_a_round_is_none() -> None:
    half = [p for p in all_through(KEPT) if p.asked["to"] == STORE]
    assert result("connections", CONNECTIONS, half).state is State.ERROR


def test_a_failure_that_was_seen_is_not_hidden_by_a_gap() -> None:
    bad = connections(HOLD_START + 1, {**KEPT, ("other/intruder", STORE): "open"})
    assert result("connections", CONNECTIONS, bad).state is State.FAIL


def test_each_phase_and_mode_has_its_window() -> None:
    opened = {**KEPT, ("other/intruder", STORE): "open"}
    tries = [p for at in (1, 3, 5, 7) for p in connections(at, KEPT)]
    tries += [p for at in (18, 20, 22, 24) for p in connections(at, opened)]
    tries += [p for at in range(TURN_START, HOLD_END - 1, 2) for p in connections(at, KEPT)]
    for phase, state in ((Phase.HEALTHY, State.PASS), (Phase.FAULTY, State.FAIL)):
        assert result("connections", CONNECTIONS, tries, phase).state is state
    turn = result("connections", CONNECTIONS, tries, mode="throughout")
    assert turn.state is State.PASS, turn.reason
    tries += connections(TURN_START + 3, {**KEPT, ("shop/owner", STORE): "closed"})
    assert result("connections", CONNECTIONS, tries, mode="hold").state is State.PASS
    assert result("connections", CONNECTIONS, tries, mode="throughout").state is State.FAIL


def test_what_was_not_known_in_the_window_does_not_count_in_it() -> None:
    late = [Probe(p.t, T0 + HOLD_END + 0.1, *_rest(p)) for p in connections(HOLD_END - 1, KEPT)]
    assert result("connections", CONNECTIONS, late).figures["rounds"] == 0


def _rest(probe: Probe) -> tuple[str, Mapping[str, str], str, str]:
    return probe.kind, probe.asked, probe.outcome, probe.detail


def logins(
    stated: str, replaced: str, first: int = HOLD_START, last: int = HOLD_END
) -> list[Probe]:
    return [
        Probe(T0 + at, T0 + at + 0.2, "login", {**CREDENTIALS, "password": which}, outcome, "seen")
        for at in range(first, last, 4)
        for which, outcome in (("stated", stated), ("replaced", replaced))
    ]


@pytest.mark.parametrize(
    ("stated", "replaced", "state"),
    [
        ("accepted", "refused", State.PASS),
        ("accepted", "accepted", State.FAIL),  # the old one is in force again
        ("refused", "accepted", State.FAIL),
        ("refused", "refused", State.FAIL),
        ("accepted", "unchanged", State.FAIL),  # the Secret says the old one again
        ("absent", "refused", State.FAIL),
    ],
)
def test_the_new_password_is_accepted_and_the_old_one_is_not(
    stated: str, replaced: str, state: State
) -> None:
    assert result("credentials", CREDENTIALS, logins(stated, replaced)).state is state


@pytest.mark.parametrize(("outcome", "state"), [("accepted", "pass"), ("refused", "fail")])
def test_before_the_turn_is_over_only_what_the_secret_says_is_tried(
    outcome: str, state: str
) -> None:
    for phase, first in ((Phase.HEALTHY, 1), (Phase.FAULTY, 18)):
        tries = [
            p for p in logins(outcome, "", first, first + 7) if p.asked["password"] != "replaced"
        ]
        found = result("credentials", CREDENTIALS, tries, phase)
        assert (found.state, found.figures["stated"]) == (state, outcome)
    assert result("credentials", CREDENTIALS, tries).state is State.ERROR


def admissions(
    good: str, bad: str, says: str, first: int = HOLD_START, last: int = HOLD_END
) -> list[Probe]:
    images = (("registry/cart:1", good), ("elsewhere/cart:1", bad))
    return [
        Probe(
            T0 + at,
            T0 + at + 0.1,
            "admission",
            {"namespace": "shop", "image": image},
            outcome,
            says,
        )
        for at in range(first, last, 3)
        for image, outcome in images
    ]


@pytest.mark.parametrize(
    ("good", "bad", "says", "state"),
    [
        ("admitted", "refused", "image elsewhere/cart:1 is not from registry", State.PASS),
        ("admitted", "admitted", "", State.FAIL),
        ("refused", "refused", "failed calling webhook", State.FAIL),
        ("admitted", "refused", "exceeded quota", State.FAIL),  # another guard's refusal
    ],
)
def test_a_guard_admits_what_may_run_and_refuses_the_rest_for_its_reason(
    good: str, bad: str, says: str, state: State
) -> None:
    assert result("admission", ADMISSION, admissions(good, bad, says)).state is state


def test_before_the_turn_is_over_no_pod_is_tried_that_a_guard_writes_down() -> None:
    for phase, first in ((Phase.HEALTHY, 1), (Phase.FAULTY, 18)):
        for outcome, state in (("admitted", State.PASS), ("refused", State.FAIL)):
            all_tries = admissions(outcome, "", "failed calling webhook", first, first + 7)
            tries = [p for p in all_tries if p.asked["image"] == ADMISSION["admitted"]]
            assert result("admission", ADMISSION, tries, phase).state is state
    quiet = [p for p in admissions("admitted", "", "") if p.asked["image"] == ADMISSION["admitted"]]
    assert result("admission", ADMISSION, quiet).state is State.ERROR
    turn = [moved(quiet[0], at) for at in range(TURN_START, HOLD_START, 3)]
    assert result("admission", ADMISSION, [*turn, *quiet], mode="throughout").state is State.PASS


def moved(probe: Probe, at: float) -> Probe:
    return Probe(T0 + at, T0 + at + 0.1, *_rest(probe))


def test_a_place_without_room_admits_nothing() -> None:
    alone = {"namespace": "shop", "admitted": "registry/cart:1"}
    full = [p for p in admissions("refused", "refused", "exceeded quota") if "registry" in str(p)]
    found = result("admission", alone, full)
    assert (found.state, "exceeded quota" in found.reason) == (State.FAIL, True)
    room = admissions("admitted", "refused", "")
    assert result("admission", alone, room).state is State.PASS


def test_a_record_without_tries_has_none() -> None:
    assert Trial().record().observations.probes == ()


def test_tries_are_read_as_they_were_written() -> None:
    tries = tuple(connections(3, KEPT))
    content = b"".join(json.dumps(p.to_json()).encode() + b"\n" for p in tries)
    assert probes.parse(content) == tries
    bent = Trial()
    bent.more[probes.FILE] = content
    assert bent.record().observations.probes == tries


@pytest.mark.parametrize(
    "line",
    [
        b'{"t": 1',
        b"{}\n",
        b'{"t": 2, "until": 1, "kind": "login", "asked": {}, "outcome": "open", "detail": ""}\n',
    ],
)
def test_a_line_that_is_no_try_is_refused(line: bytes) -> None:
    with pytest.raises(LinesError):
        probes.parse(line)


def test_a_gap_reaches_to_the_edges() -> None:
    assert largest_gap([], 0, 30) == 30
    assert largest_gap([20, 10], 0, 24) == 10
    assert largest_gap([1, 2], 0, 24) == 22


def test_what_is_tried_is_what_is_judged() -> None:
    pairs = asked(Connections.model_validate(CONNECTIONS))
    assert {(pair["from"], pair["to"]) for pair in pairs} == set(KEPT)
    assert Credentials.model_validate(CREDENTIALS).every_s == 4
    assert Admission.model_validate(ADMISSION).max_gap_s == 10
