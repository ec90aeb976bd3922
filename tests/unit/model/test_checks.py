"""Checks: behaviour rather than spelling, and error where nothing could be seen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from faultyard.model.errors import DescriptionError
from faultyard.model.observations import Observations
from faultyard.model.predicates import CheckResult, Phase, State, check_parameters, evaluate
from faultyard.model.problem import parse_problem
from unit.model.builders import HOLD_END, HOLD_START, TURN_END, Trial
from unit.model.world import T0, World


@pytest.fixture
def trial() -> Trial:
    return Trial()


def results(trial: Trial, phase: Phase = Phase.FINAL) -> dict[str, CheckResult]:
    record = trial.record()
    return {r.name: r for r in evaluate(record.problem, record.observations, phase)}


def port(world: World) -> dict[str, object]:
    found: dict[str, object] = world.get("Service/hotel/rate")["spec"]["ports"][0]
    return found


def test_the_checks_pass_before_fail_after_injection_and_pass_at_the_end(trial: Trial) -> None:
    for phase, state in (
        (Phase.HEALTHY, State.PASS),
        (Phase.FAULTY, State.FAIL),
        (Phase.FINAL, State.PASS),
    ):
        assert {r.state for r in results(trial, phase).values()} == {state}


def test_the_figures_are_told(trial: Trial) -> None:
    figures = results(trial)["clients-served"].figures
    assert (figures["ok"], figures["failed"], figures["seconds"]) == (360, 0, 30)


@pytest.mark.parametrize("target", [8084, "grpc"])
def test_any_spelling_of_the_right_port_passes(trial: Trial, target: object) -> None:
    port(trial.end)["targetPort"] = target
    assert results(trial)["endpoints"].state is State.PASS


def test_another_port_that_the_container_serves_passes(trial: Trial) -> None:
    port(trial.end)["targetPort"] = 9000
    trial.end.container("rate")["ports"].append({"name": "alt", "containerPort": 9000})
    assert results(trial)["endpoints"].state is State.PASS


def named_wrongly(world: World) -> None:
    port(world)["targetPort"] = "http"


def numbered_wrongly(world: World) -> None:
    port(world)["targetPort"] = 8091


def without_service(world: World) -> None:
    world.remove("Service/hotel/rate")


def without_selector(world: World) -> None:
    del world.get("Service/hotel/rate")["spec"]["selector"]
    world.get("Service/hotel/rate")["spec"]["selector"] = {}


def with_a_label_too_many(world: World) -> None:
    world.get("Service/hotel/rate")["spec"]["selector"]["tier"] = "x"


def scaled_to_zero(world: World) -> None:
    world.get("Deployment/hotel/rate")["spec"]["replicas"] = 0


@pytest.mark.parametrize(
    "bend",
    [
        named_wrongly,
        numbered_wrongly,
        without_service,
        without_selector,
        with_a_label_too_many,
        scaled_to_zero,
    ],
    ids=lambda bend: bend.__name__,
)
def test_a_service_that_reaches_no_pod_fails_the_check(
    trial: Trial, bend: Callable[[World], None]
) -> None:
    bend(trial.end)
    assert results(trial)["endpoints"].state is State.FAIL


def test_endpoints_that_are_not_the_ready_pods_fail(trial: Trial) -> None:
    observations = trial.record().observations
    end = observations.snapshots["end"]
    for ref, raw in end.objects.items():
        if ref.kind == "EndpointSlice" and ref.name.startswith("rate"):
            raw["endpoints"].pop()  # type: ignore[index]
    (result,) = [
        r
        for r in evaluate(trial.record().problem, observations, Phase.FINAL)
        if r.name == "endpoints"
    ]
    assert result.state is State.FAIL
    assert "not its ready pods" in result.reason


def test_a_snapshot_without_pods_is_an_error(trial: Trial) -> None:
    trial.errors["end"] = [{"resource": "pods", "message": "time-out"}]
    assert results(trial)["endpoints"].state is State.ERROR


def test_nothing_observed_is_an_error(trial: Trial) -> None:
    problem = trial.record().problem
    empty = Observations({}, (), {})
    assert {r.state for p in Phase for r in evaluate(problem, empty, p)} == {State.ERROR}


@pytest.mark.parametrize(
    ("phase", "gone", "said"),
    [
        (Phase.HEALTHY, "healthy_from", "its users were served as they must be"),
        (Phase.HEALTHY, "healthy_to", "its users were served as they must be"),
        (Phase.FAULTY, "fault_visible_from", "its users could see the fault"),
        (Phase.FAULTY, "fault_visible_to", "its users could see the fault"),
        (Phase.FINAL, "hold_start", "the hold, in which users are watched after the turn"),
        (Phase.FINAL, "hold_end", "the end of the hold, in which users are watched after the turn"),
    ],
)
def test_a_check_of_a_trial_that_was_broken_off_names_no_field_of_the_record(
    trial: Trial, phase: Phase, gone: str, said: str
) -> None:
    del trial.meta["times"][gone]
    result = results(trial, phase)["clients-served"]
    assert (result.state, result.reason) == (
        State.ERROR,
        f"the trial was broken off before {said}",
    )


@pytest.mark.parametrize(
    ("gone", "said"),
    [("turn_start", "the agent's turn"), ("turn_end", "the end of the agent's turn")],
)
def test_a_check_of_a_turn_that_was_not_says_so(trial: Trial, gone: str, said: str) -> None:
    trial.problem = trial.problem.replace("mode: hold", "mode: throughout")
    del trial.meta["times"][gone]
    result = results(trial)["clients-served"]
    assert (result.state, result.reason) == (
        State.ERROR,
        f"the trial was broken off before {said}",
    )


@pytest.mark.parametrize(("replicas", "said"), [(1, "one ready pod"), (3, "3 ready pods")])
def test_one_pod_is_no_pods(trial: Trial, replicas: int, said: str) -> None:
    trial.end.get("Deployment/hotel/rate")["spec"]["replicas"] = replicas
    assert results(trial)["endpoints"].reason == f"Service hotel/rate reaches its {said}"


def test_what_lies_outside_the_window_does_not_count(trial: Trial) -> None:
    trial.seconds[T0 + HOLD_START - 1]["journeys"]["search"] |= {
        "ok": 0,
        "failed": 12,
        "errors": {"x": 12},
    }
    assert results(trial)["clients-served"].state is State.PASS


def test_a_journey_can_be_asked_for_by_itself(trial: Trial) -> None:
    trial.problem = trial.problem.replace(
        "window_s: 30}", "window_s: 30, journeys: [search, login]}"
    )
    other = {"ok": 100, "failed": 0, "latencies_ms": [1.0] * 100, "errors": {}}
    for second in trial.seconds.values():
        second["journeys"]["login"] = dict(other)
    figures = trial.seconds[T0 + HOLD_START + 3]["journeys"]["search"]
    figures |= {"ok": 0, "failed": 12, "errors": {"x": 12}}
    result = results(trial)["clients-served"]
    assert (result.state, result.figures["journeys"]) == (State.FAIL, "search")


def test_a_check_throughout_looks_at_the_whole_turn(trial: Trial) -> None:
    trial.problem = trial.problem.replace("mode: hold", "mode: throughout")
    trial.healed_at = 0
    trial.seconds = {t: trial._second(t - T0) for t in trial.seconds}
    assert results(trial)["clients-served"].state is State.PASS
    figures = trial.seconds[T0 + TURN_END - 5]["journeys"]["search"]
    figures |= {"ok": 0, "failed": 12, "errors": {"x": 12}}
    trial.seconds[T0 + TURN_END - 6]["journeys"]["search"] = figures
    trial.seconds[T0 + TURN_END - 7]["journeys"]["search"] = figures
    assert results(trial)["clients-served"].state is State.FAIL


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("kind: client_slo", "kind: all_green", "unknown kind"),
        ("mode: hold", "mode: at_end", "no mode"),
        ("success_rate: 0.99, ", "", "success_rate"),
        ("p99_ms: 1000", "p99: 1000", "p99"),
    ],
)
def test_a_check_that_cannot_be_asked_is_a_mistake_of_the_problem(
    trial: Trial, old: str, new: str, said: str
) -> None:
    problem = parse_problem(trial.problem.replace(old, new), "problem.yaml").render(1)
    with pytest.raises(DescriptionError, match=said):
        check_parameters(problem)


def fails(trial: Trial, first: int, last: int, failed: int = 6) -> None:
    """Users fail in some seconds of the hold window."""
    for at in range(HOLD_START + first, HOLD_START + last):
        figures = trial.seconds[T0 + at]["journeys"]["search"]
        figures |= {"ok": 12 - failed, "failed": failed, "errors": {"x": failed}}


def late(trial: Trial, *seconds: int) -> None:
    for at in seconds:
        trial.seconds[T0 + HOLD_START + at]["lateness_ms"] = 251.0


def unseen(trial: Trial, number: int) -> None:
    """The last seconds of the hold window, and what comes after it, were not measured."""
    for at in [at for at in trial.seconds if at >= T0 + HOLD_END - number]:
        del trial.seconds[at]


def one_late_second(trial: Trial) -> None:
    late(trial, 20)


def one_second_unseen(trial: Trial) -> None:
    unseen(trial, 1)


GAPS = pytest.mark.parametrize("gap", [one_late_second, one_second_unseen])


@GAPS
def test_a_failure_that_no_better_second_could_make_up_for_is_one(
    trial: Trial, gap: Callable[[Trial], None]
) -> None:
    fails(trial, 0, 30)
    gap(trial)
    result = results(trial)["clients-served"]
    assert (result.state, result.figures["seconds"]) == (State.FAIL, 29)
    assert result.figures["success_rate"] == 0.5
    assert result.figures["success_rate_at_best"] == round(1 - 29 * 6 / 360, 5)
    assert "in 29 of 30 seconds, and the others could not make up for it" in result.reason


@GAPS
def test_slow_journeys_that_no_better_second_could_make_up_for_are_a_failure(
    trial: Trial, gap: Callable[[Trial], None]
) -> None:
    for at in range(HOLD_START, HOLD_START + 6):
        trial.seconds[T0 + at]["journeys"]["search"]["latencies_ms"] = [1400.0] * 12
    gap(trial)
    result = results(trial)["clients-served"]
    assert (result.state, result.figures["p99_ms_at_best"]) == (State.FAIL, 1400.0)


@GAPS
def test_a_pass_needs_the_whole_window(trial: Trial, gap: Callable[[Trial], None]) -> None:
    gap(trial)
    assert results(trial)["clients-served"].state is State.ERROR


def test_failures_in_what_is_not_believed_itself_are_none(trial: Trial) -> None:
    fails(trial, 20, 23)
    late(trial, 20, 21, 22)
    assert results(trial)["clients-served"].state is State.ERROR


@pytest.mark.parametrize(("failed", "state"), [(3, State.ERROR), (4, State.FAIL)])
def test_failures_that_better_seconds_could_have_made_up_for_stay_unknown(
    trial: Trial, failed: int, state: State
) -> None:
    fails(trial, 0, 1, failed)  # of 240 journeys too many either way, of 360 only four
    late(trial, *range(20, 30))
    assert results(trial)["clients-served"].state is state


def test_a_few_believed_seconds_say_nothing(trial: Trial) -> None:
    fails(trial, 0, 30, failed=12)
    late(trial, *range(4, 30))
    assert results(trial)["clients-served"].state is State.ERROR


def test_a_journey_that_failed_for_sure_decides_before_one_of_which_nothing_is_known(
    trial: Trial,
) -> None:
    trial.problem = trial.problem.replace(
        "window_s: 30}", "window_s: 30, journeys: [login, search]}"
    )
    for second in trial.seconds.values():
        second["journeys"]["login"] = {"ok": 1, "failed": 0, "latencies_ms": [1.0], "errors": {}}
    fails(trial, 0, 20)
    late(trial, 25)
    result = results(trial)["clients-served"]
    assert (result.state, result.figures["journeys"]) == (State.FAIL, "search")
