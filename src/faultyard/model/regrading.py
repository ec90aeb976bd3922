"""A verdict beside the one that the same record got before: what today's rules see otherwise.

Of what was given before only what decides is compared: outcome, findings, the diagnosis' score.
How a rule words its reason may change at any time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from faultyard.model.validity import ControlRow
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Outcome


class _Part(BaseModel):
    # Words of older versions, such as a kind of finding that is no more, are kept as they are.
    model_config = ConfigDict(extra="ignore", frozen=True)


class GivenFinding(_Part):
    """One finding of a verdict that was given before."""

    kind: str
    severity: str
    object: str | None = None

    def __str__(self) -> str:
        return f"{self.kind} ({self.severity})" + (f" on {self.object}" if self.object else "")


class _GivenScore(_Part):
    yes: int
    success: bool


class Given(_Part):
    """What a record got before, as `Verdict.to_json` has it."""

    outcome: str
    scoring_version: int
    findings: tuple[GivenFinding, ...] | None = None
    """None: only their kinds are known."""
    kinds: frozenset[str] = frozenset()
    """Of the findings, where no more is known."""
    diagnosis: _GivenScore | None = None
    """None: not known."""
    not_evaluated: tuple[str, ...] = ()
    """Checks because of which alone it is a fail; older versions did not tell."""

    @property
    def is_result(self) -> bool:
        """Whether it says anything about the problem, see `Verdict.is_result`."""
        return self.outcome != Outcome.RUNTIME_ERROR and not self.not_evaluated

    @classmethod
    def of_row(cls, row: ControlRow) -> Self:
        """What the row of a control trial tells."""
        kinds = frozenset(kind.value for kind in row.findings)
        return cls(outcome=row.got.value, scoring_version=row.scoring_version, kinds=kinds)


@dataclass(frozen=True)
class Change:
    """One thing that is other than it was given before."""

    what: str
    """`outcome`, `finding` or `diagnosis`."""
    before: str | None
    """None: there was none."""
    after: str | None

    def __str__(self) -> str:
        return f"{self.what}: {self.before or 'none'} -> {self.after or 'none'}"

    def to_json(self) -> Mapping[str, Any]:
        """Return the change as data."""
        return dict(vars(self))


def changes(given: Given, verdict: Verdict) -> list[Change]:
    """Return what differs between what a record got before and what it gets now; empty: nothing."""
    found = []
    if given.outcome != verdict.outcome.value:
        found.append(Change("outcome", given.outcome, verdict.outcome.value))
    found += _findings(given, verdict)
    score, before = verdict.diagnosis, given.diagnosis
    if before is not None and (before.yes, before.success) != (score.yes, score.success):
        found.append(
            Change(
                "diagnosis", _score(before.yes, before.success), _score(score.yes, score.success)
            )
        )
    return found


def _findings(given: Given, verdict: Verdict) -> list[Change]:
    now = Counter(
        str(GivenFinding.model_validate(finding.to_json())) for finding in verdict.findings
    )
    before = Counter(map(str, given.findings or ()))
    if given.findings is None:
        now = Counter({finding.kind.value for finding in verdict.findings})
        before = Counter(given.kinds)
    gone = [Change("finding", told, None) for told in sorted((before - now).elements())]
    return gone + [Change("finding", None, told) for told in sorted((now - before).elements())]


def _score(yes: int, success: bool) -> str:
    return f"{'right' if success else 'not right'}, {yes} times yes"
