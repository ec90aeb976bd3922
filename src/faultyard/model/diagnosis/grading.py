"""Grading a record's diagnosis, and the answer that would have been right."""

from __future__ import annotations

from faultyard.model.audit import Effect
from faultyard.model.case import Case
from faultyard.model.diagnosis.impacts import Impact, measured
from faultyard.model.diagnosis.outsiders import callers_outside
from faultyard.model.diagnosis.placement import placement_of
from faultyard.model.diagnosis.questions import Grounds, grade
from faultyard.model.diagnosis.scope import Components
from faultyard.model.diagnosis.score import Score, not_submitted
from faultyard.model.diagnosis.submission import Cause, Diagnosis
from faultyard.model.predicates.client_slo import ClientSlo
from faultyard.model.problem import RenderedProblem
from faultyard.model.record import Record


def grade_case(case: Case) -> Score:
    """Return the score of a record's diagnosis; without one, every answer is no."""
    submitted = case.record.diagnosis
    if submitted is None:
        return not_submitted()
    writes = [event.received for event in case.acts if event.effect is Effect.WRITE]
    late = bool(writes) and submitted.submitted_at > min(writes)
    return grade(submitted.diagnosis, grounds_of(case.record), late)


def grounds_of(record: Record) -> Grounds:
    """Return what a record's diagnosis is compared with."""
    truth = record.problem.ground_truth
    seen = measured(record.observations, _objectives(record.problem))
    stated = frozenset(truth.impact)
    impact = stated | (seen or frozenset())
    if len(impact) > 1:
        impact -= {Impact.NONE}
    return Grounds(truth, _components(record), impact or None)


def _components(record: Record) -> Components:
    shot = record.snapshots.get("injected")
    known = record.application
    if known is None or shot is None:
        return Components(known)
    return Components(known, placement_of(known, shot), callers_outside(known, shot))


def right_answer(grounds: Grounds) -> Diagnosis:
    """Return the diagnosis that the ground truth amounts to."""
    return Diagnosis(
        causes=[
            Cause(
                component=cause.component,
                setting=cause.setting or "",
                observed=cause.observed,
                expected=cause.expected,
                mechanism=cause.mechanism,
            )
            for cause in grounds.truth.causes
        ],
        affected=sorted(grounds.scope.affected),
        impact=sorted(grounds.impact or {Impact.NONE}),
        evidence=["the problem's ground truth"],
    )


def _objectives(problem: RenderedProblem) -> list[tuple[float, float, list[str] | None]]:
    wanted = [ClientSlo.model_validate(c.with_) for c in problem.checks if c.kind == "client_slo"]
    return [(one.success_rate, one.p99_ms, one.journeys) for one in wanted]
