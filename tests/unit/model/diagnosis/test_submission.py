"""What an agent is told when its diagnosis cannot be read."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from faultyard.model.diagnosis import submission
from faultyard.model.diagnosis.submission import RefusedDiagnosis
from unit.model.diagnosis.examples import grounds, right


def a_diagnosis() -> Any:
    return right(grounds())


def test_json_text_and_data_are_read_alike() -> None:
    given = a_diagnosis()
    assert submission.read(json.dumps(given)) == submission.read(given)


def test_what_is_read_fits_the_published_schema() -> None:
    jsonschema.validate(a_diagnosis(), submission.json_schema())
    example = submission.json_schema()["examples"][0]
    jsonschema.validate(example, submission.json_schema())
    submission.read(example)


def test_the_schema_explains_every_field() -> None:
    schema = submission.json_schema()
    fields = {**schema["properties"], **schema["$defs"]["Cause"]["properties"]}
    assert [name for name, field in fields.items() if "description" not in field] == []


def test_the_schema_names_nobody_who_grades() -> None:
    assert "faultyard" not in json.dumps(submission.json_schema()).lower()


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("causes", 0, "mechanism"), "wrong_port", "did you mean .*service_port_mismatch"),
        (("causes", 0, "mechanism"), "wrong_port", "the mechanisms are: service_selector"),
        (("causes", 0, "component"), "rate", r"causes\[0\]\.component: 'rate' is no object ref"),
        (("causes", 0, "component"), "Service//rate", "lacks the namespace"),
        (("causes", 0, "component"), None, r"causes\[0\]: component is missing"),
        (("causes", 0, "cause"), "x", "there are: component, setting, observed, expected, mech"),
        (("causes", 0, "mechanism"), "no_fault", "no_fault has no component"),
        (("causes",), [], "causes: .*at least 1"),
        (("causes",), "the port", "causes: .*list"),
        (("causes", 0, "observed"), "x" * 600, r"causes\[0\]\.observed: name the value only"),
        (("causes", 0, "setting"), "x" * 600, r"causes\[0\]\.setting: .*500"),
        (("impact",), ["outage"], "choose from: requests_fail, requests_slow"),
        (("impact",), [], "impact: "),
        (("evidence",), [], "evidence: "),
        (("evidence",), [" "], r"evidence\[0\]"),
        (("affected",), ["Service/frontend"], r"affected\[0\]: .*write Kind/namespace/name"),
        (("root_cause",), "x", "there are: causes, affected, impact, evidence, explanation"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_is_allowed(
    path: tuple[str | int, ...], value: Any, said: str
) -> None:
    given = a_diagnosis()
    inner = given
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    with pytest.raises(RefusedDiagnosis, match=said):
        submission.read(given)


def test_every_mistake_is_told_at_once() -> None:
    with pytest.raises(RefusedDiagnosis) as caught:
        submission.read({"causes": [{"component": "rate", "mechanism": "port"}]})
    told = "\n".join(caught.value.complaints)
    assert all(word in told for word in ("component", "'port' is no mechanism", "impact", "evid"))


def test_a_bottomless_value_is_refused_like_any_other() -> None:
    given = a_diagnosis()
    for _ in range(5000):
        given["causes"][0]["observed"] = [given["causes"][0]["observed"]]
    with pytest.raises(RefusedDiagnosis, match="name the value only"):
        submission.read(given)
    with pytest.raises(RefusedDiagnosis):
        submission.read("[" * 100_000)


@pytest.mark.parametrize("given", ["{", "[]", "null", '"the port"', "{}"])
def test_what_is_no_diagnosis_at_all_is_refused(given: str) -> None:
    with pytest.raises(RefusedDiagnosis, match="send it again"):
        submission.read(given)


def test_no_fault_stands_alone() -> None:
    given = a_diagnosis()
    given["causes"].append({"mechanism": "no_fault"})
    with pytest.raises(RefusedDiagnosis, match="stands alone"):
        submission.read(given)
