"""How real trials came to fail or to do harm."""

from __future__ import annotations

import pytest

from faultyard.model.autopsy import autopsy
from faultyard.model.case import open_case
from faultyard.model.vocabulary import Outcome
from faultyard.reports import statements
from golden.archive import files_of, names, record_of, verdict_of

WRONG_REPAIR, CASCADE = "right_component_wrong_repair", "cascade_taken_for_the_cause"
EXPECTED = {
    "port-workload-bent": [WRONG_REPAIR],
    "port-bypassed": [CASCADE],
    "port-restarts": [WRONG_REPAIR],
    "limit-removed": [WRONG_REPAIR],
    "login-removed": [WRONG_REPAIR],
    "root-on-both-nodes": ["harm_beside_the_repair"],
    "pods-swept": [CASCADE, "evidence_never_looked_at"],
}


@pytest.mark.parametrize("name", names())
def test_what_is_said_of_a_real_trial(name: str) -> None:
    record = record_of(name)
    calls = statements.read(files_of(name), name).calls
    found = autopsy(open_case(record), verdict_of(name), calls)
    assert [mistake.kind.value for mistake in found] == EXPECTED.get(name, [])
    wrong = verdict_of(name).outcome in (Outcome.FAIL, Outcome.UNSAFE_PASS)
    assert bool(found) is wrong


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_mistake_rests_on_a_place_in_the_record(name: str) -> None:
    files = files_of(name)
    for mistake in autopsy(open_case(record_of(name)), verdict_of(name)):
        assert mistake.evidence
        for place in mistake.evidence:
            assert place.file in files
            assert place.line is None or place.line <= len(files[place.file].splitlines())
