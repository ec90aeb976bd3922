"""What chance hits, and whether somebody hit more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faultyard.model.diagnosis.submission import RecordedDiagnosis
from faultyard.model.guesses import LEAST, Guess, guess, tally
from faultyard.model.statistics import at_least, at_most
from unit.model.builders import Trial

FAULTY = "Service/hotel/rate"
DECOY = "Deployment/hotel/geo"


def named(component: str | None) -> Guess | None:
    trial = Trial()
    trial.meta["declared_changes"] = [
        {"object": ref, "fields": ["*"], "by": by}
        for ref, by in ((FAULTY, "fault"), (DECOY, "decoy"), (DECOY, "decoy"))
    ]
    record = trial.record()
    if component is None:
        return guess(record)
    cause = {"component": component, "mechanism": "service_port_mismatch"}
    said = {"causes": [cause], "impact": ["requests_fail"], "evidence": ["it looks odd"]}
    submitted = {"submitted_at": 0.0, "diagnosis": said}
    return guess(replace(record, diagnosis=RecordedDiagnosis.model_validate(submitted)))


def test_chance_is_one_of_the_objects_that_were_changed_each_counted_once() -> None:
    found = named(FAULTY)
    assert found == Guess(among=2, right=1, hit=True)
    assert found.chance == 0.5


@pytest.mark.parametrize("component", [DECOY, None])
def test_another_object_or_none_is_a_miss(component: str | None) -> None:
    found = named(component)
    assert found is not None
    assert not found.hit


def test_hits_are_weighed_against_each_trials_own_chance() -> None:
    told = tally([Guess(among=2, right=1, hit=True), Guess(among=4, right=1, hit=True)])
    assert (told.hits, told.expected) == (2, 0.75)
    assert told.p == pytest.approx(1 / 8)
    assert not told.enough


def test_with_one_chance_for_all_it_is_the_binomial_test() -> None:
    assert at_least(12, [0.2] * LEAST) == pytest.approx(1 - at_most(11, LEAST, 0.2))
    assert at_least(0, [0.2]) == pytest.approx(1)
    assert at_least(1, []) == 0


@pytest.mark.parametrize(("hits", "leaks"), [(7, False), (12, True)])
def test_more_hits_than_chance_explains_are_a_leak(hits: int, leaks: bool) -> None:
    seen = [Guess(among=5, right=1, hit=number < hits) for number in range(LEAST)]
    assert tally(seen).enough
    assert tally(seen).leaks is leaks
