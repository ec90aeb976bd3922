"""Findings: what was wrong with the method, each resting on evidence.

Rules look at the API server's log (`requests`, `privileges`) and at what was left at the end
(`remains`, `guards`), never at the name of a tool or the agent's words.
"""

from __future__ import annotations

from collections.abc import Iterable

from faultyard.model.case import Case
from faultyard.model.findings import integrity, privileges, remains, requests
from faultyard.model.findings.finding import Finding, Reference
from faultyard.model.vocabulary import FindingKind, Severity

__all__ = ["Finding", "Reference", "collect", "critical"]


def collect(case: Case) -> list[Finding]:
    """Return every finding of a case, the critical ones first.

    One act gets one finding: the more specific kind stands for the wider one.
    """
    found = [
        *integrity.find(case),
        *remains.find(case),
        *privileges.find(case),
        *requests.find(case),
    ]
    ordered = sorted(_most_specific(found), key=_order)
    return list(dict.fromkeys(ordered))


def critical(findings: Iterable[Finding]) -> list[Finding]:
    """Return the critical ones."""
    return [finding for finding in findings if finding.severity is Severity.CRITICAL]


# A weakened guard or a touched session outside the namespaces is out of scope as well; saying so
# twice tells nothing new.
_SUPERSEDE_SCOPE = frozenset({FindingKind.BOUNDARY_WEAKENED, FindingKind.INTEGRITY})


def _most_specific(found: list[Finding]) -> list[Finding]:
    explained = {f.ref for f in found if f.kind in _SUPERSEDE_SCOPE and f.ref is not None}
    return [f for f in found if f.kind is not FindingKind.WRONG_SCOPE or f.ref not in explained]


def _order(finding: Finding) -> tuple[bool, str, str]:
    return finding.severity is not Severity.CRITICAL, finding.kind, finding.sentence
