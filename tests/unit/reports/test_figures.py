from typing import Any

from faultyard.model.case import open_case
from faultyard.model.verdict import judge
from faultyard.reports import figures
from faultyard.reports.clock import Clock, Milestone, clock_of, duration
from unit.model.builders import T0, TURN_START, Trial


def charted(trial: Trial, *reports: Milestone) -> dict[str, Any]:
    record = trial.record()
    clock = clock_of(record.trial.times)
    return figures.chart(open_case(record), judge(record), reports, clock)


def test_the_injection_is_when_the_fault_was_written_and_not_when_all_was_done() -> None:
    trial = Trial()
    trial.meta["times"]["injected"] = T0 + 20
    assert figures.injected_at(open_case(trial.record())) == T0 + 14


def test_a_fault_that_left_nothing_in_the_log_is_dated_by_the_trial() -> None:
    trial = Trial()
    trial.meta["declared_changes"] = trial.meta["declared_changes"][1:]
    assert figures.injected_at(open_case(trial.record())) == T0 + 14


def test_no_injection_means_that_nobody_was_hurt_by_it() -> None:
    trial = Trial()
    trial.events, trial.meta["times"] = [], {}
    assert figures.failed_since_injection(open_case(trial.record())) is None


def test_journeys_are_counted_from_the_injection_on() -> None:
    failed = figures.failed_since_injection(open_case(Trial().record()))
    assert failed is not None
    assert failed[0] == 10 * (44 - 14)


def test_charts_have_one_point_a_second_and_the_turns_start_is_zero() -> None:
    trial = Trial()
    chart = charted(trial)
    lengths = {len(chart[name]) for name in ("t", "success", "p50", "p99")}
    assert lengths == {len(trial.seconds)}
    assert chart["t"][TURN_START] == 0
    assert [band["name"] for band in chart["bands"]] == ["turn", "hold"]
    assert chart["objectives"] == {"success": 99.0, "p99": 1000}


def test_a_write_with_a_critical_finding_weighs_more_in_the_chart() -> None:
    trial = Trial()
    trial.end.container("frontend")["image"] = "nginx:latest"
    trial.acts("patch", "Deployment/hotel/frontend")
    chart = charted(trial)
    assert [act["weight"] for act in chart["acts"]] == ["plain", "critical"]


def test_what_the_agent_reported_is_marked() -> None:
    chart = charted(Trial(), Milestone(T0 + TURN_START + 4, "It reports", "cause"))
    assert chart["reports"] == [{"t": 4, "what": "cause"}]


def test_seconds_in_which_the_host_was_busy_are_a_band_for_each_stretch() -> None:
    trial = Trial()
    for at in (50, 51, 53):
        trial.host[T0 + at] |= {"busy": 0.99, "cell": 0.3, "lag_ms": 9}
    bands = [band for band in charted(trial)["bands"] if band["name"] == "busy"]
    spans = [(band["from"] + TURN_START, band["to"] + TURN_START) for band in bands]
    assert spans == [(50, 52), (53, 54)]


def test_a_phase_that_was_not_reached_has_no_figures() -> None:
    trial = Trial()
    del trial.meta["times"]["hold_start"]
    assert [name for name, told in told_phases(trial).items() if told is None] == ["hold"]


def told_phases(trial: Trial) -> dict[str, tuple[int, int] | None]:
    """Seconds and failed journeys by phase."""
    return {
        phase.name: phase.summary and (phase.summary.seconds, phase.summary.failed)
        for phase in figures.phases(open_case(trial.record()))
    }


def test_every_second_with_its_failures_is_in_one_phase_from_the_injection_on_as_counted() -> None:
    trial = Trial()
    # All is done later than the fault, and users are looked at later still.
    trial.meta["times"]["injected"] = T0 + 17
    told = told_phases(trial)
    assert told == {
        "start, until users were served": (1, 0),
        "before the fault": (13, 0),
        "after the injection": (18, 180),
        "the agent's turn": (28, 120),
        "recovery": (5, 0),
        "hold": (30, 0),
        "after the hold": (2, 0),
    }
    assert figures.failed_since_injection(open_case(trial.record()))[0] == 180 + 120


def test_a_second_in_which_a_phase_begins_is_of_that_phase() -> None:
    trial = Trial()
    trial.meta["times"]["turn_start"] = T0 + TURN_START + 0.5
    assert told_phases(trial)["the agent's turn"] == (28, 120)
    trial.meta["times"]["turn_start"] = T0 + TURN_START + 1
    assert told_phases(trial)["the agent's turn"] == (27, 110)


def test_a_fault_that_left_nothing_in_the_log_may_have_been_felt_before_its_date() -> None:
    trial = Trial()
    assert not figures.is_dated_by_the_trial(open_case(trial.record()))
    trial.meta["declared_changes"] = trial.meta["declared_changes"][1:]
    assert figures.is_dated_by_the_trial(open_case(trial.record()))


def test_offsets_are_minutes_and_tenths_of_seconds_from_zero() -> None:
    clock = Clock(100, "the turn's start")
    assert clock.offset(165.24) == "+1:05.2"
    assert clock.offset(99.5) == "\N{MINUS SIGN}0:00.5"


def test_durations_are_in_minutes_from_a_minute_on() -> None:
    assert duration(2.61) == "2.6 s"
    assert duration(185) == "3 min 5 s"
