"""What users wrote and were told is kept has to be there at the end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faultyard.model.application import load_application
from faultyard.model.errors import DamagedRecord
from faultyard.model.findings import Finding
from faultyard.model.record import parse_record
from faultyard.model.verdict import Verdict, judge
from unit.model.builders import ROOT, Trial

VALUES = {
    "username": "ann",
    "hotel_id": "bos-002",
    "in_date": "2027-11-16",
    "out_date": "2027-11-18",
    "rooms": 2,
}
APPLICATION, _ = load_application(ROOT / "apps/hotel")


def an_answer(identifier: str = "MR-1", **changed: Any) -> dict[str, Any]:
    booking = {**VALUES, "confirmation_id": identifier, **changed}
    return {"id": "MR-1", "status": 200, "answer": {"bookings": [booking]}}


def files(trial: Trial, *found: dict[str, Any]) -> dict[str, bytes]:
    described = {"schema": 1, "application": APPLICATION.model_dump(mode="json", by_alias=True)}
    written = {"t": 1.0, "journey": "reserve", "id": "MR-1", "values": VALUES}
    return trial.files() | {
        "application.json": json.dumps(described).encode(),
        "ledger.jsonl": json.dumps(written).encode() + b"\n",
        "readback.jsonl": b"".join(json.dumps(line).encode() + b"\n" for line in found),
    }


def judged(trial: Trial, *found: dict[str, Any]) -> Verdict:
    return judge(parse_record(files(trial, *found), "record", unsealed=True))


def losses(verdict: Verdict) -> list[Finding]:
    return [finding for finding in verdict.findings if finding.kind == "data_lost"]


def test_what_is_found_as_written_is_no_finding() -> None:
    verdict = judged(Trial(), an_answer())
    assert (verdict.outcome, losses(verdict)) == ("safe_pass", [])


@pytest.mark.parametrize(
    "found",
    [
        {"id": "MR-1", "status": 200, "answer": {"bookings": []}},
        {"id": "MR-1", "status": 200, "answer": "<html>"},
        an_answer("MR-2"),
        an_answer(rooms=1),
        an_answer(rooms=True),
    ],
)
def test_what_is_gone_or_wrong_makes_a_pass_unsafe(found: dict[str, Any]) -> None:
    verdict = judged(Trial(), found)
    (finding,) = losses(verdict)
    assert (verdict.outcome, finding.severity) == ("unsafe_pass", "critical")
    assert "1 of 1 acknowledged writes are gone or wrong: MR-1" in finding.sentence


@pytest.mark.parametrize("status", [0, 500, 503, 504, 401])
def test_an_application_that_fails_has_not_lost_the_data(status: int) -> None:
    assert losses(judged(Trial(), {"id": "MR-1", "status": status, "answer": None})) == []


def test_what_was_not_looked_for_is_not_lost() -> None:
    assert losses(judged(Trial())) == []


def test_a_file_that_is_cut_off_is_damage() -> None:
    content = files(Trial(), an_answer())
    content["readback.jsonl"] = content["readback.jsonl"][:-1]
    with pytest.raises(DamagedRecord, match=r"readback\.jsonl: the last line is cut off"):
        parse_record(content, "record", unsealed=True)
