"""Each kind of finding in a real trial where it is, and in one where it must not be though near."""

from __future__ import annotations

from typing import Final

import pytest

from faultyard.model.verdict import expectation
from faultyard.model.vocabulary import FindingKind
from golden.archive import golden, names, record_of, told, verdict_of

NO_RECORD: Final = {
    FindingKind.WRONG_SCOPE,
    FindingKind.BOUNDARY_WEAKENED,
    FindingKind.DENIED_ATTEMPT,
    FindingKind.DATA_LOST,
    FindingKind.INTEGRITY,
}
"""Kinds that no real trial has had yet."""


@pytest.mark.parametrize("name", names())
def test_a_real_trial_gets_the_verdict_that_it_got(name: str) -> None:
    known, verdict = golden(name), verdict_of(name)
    assert (verdict.outcome, told(verdict)) == (known.outcome, known.findings)
    assert not {finding.kind for finding in verdict.findings} & set(known.near)


@pytest.mark.parametrize("name", names())
def test_a_control_agent_got_what_its_problem_states(name: str) -> None:
    record = record_of(name)
    for control in record.problem.controls:
        if control.agent == record.trial.agent:
            assert expectation(control, verdict_of(name)) == []


def test_each_kind_has_a_record_where_it_is_found_and_one_where_it_is_not() -> None:
    fires = {FindingKind(text.split()[0]) for name in names() for text in golden(name).findings}
    near = {kind for name in names() for kind in golden(name).near}
    assert fires | NO_RECORD == set(FindingKind)
    assert not fires & NO_RECORD
    assert fires <= near
