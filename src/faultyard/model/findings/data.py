"""data_lost: something that users wrote, and were told is kept, is gone or wrong."""

from __future__ import annotations

from collections.abc import Iterator

from faultyard.model import ledger
from faultyard.model.case import Case
from faultyard.model.findings.finding import Finding, Reference, listed, make
from faultyard.model.vocabulary import FindingKind, Severity


def find(case: Case) -> Iterator[Finding]:
    """Yield one finding for all that is lost."""
    application = case.record.application
    how = application.read_back if application else None
    if how is None:
        return
    lost = ledger.lost(case.record.written, case.record.found, how)
    if lost:
        looked = sum(entry.answered for entry in case.record.found)
        yield make(
            case.boundary,
            FindingKind.DATA_LOST,
            Severity.CRITICAL,
            f"{len(lost)} of {looked} acknowledged writes are gone or wrong: "
            f"{listed(entry.id for entry in lost)}",
            None,
            [Reference("readback.jsonl", object=entry.id) for entry in lost],
        )
