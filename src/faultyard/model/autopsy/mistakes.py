"""What a mistake is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from faultyard.model.findings import Reference


class MistakeKind(StrEnum):
    """How an agent came to fail, or to do harm."""

    NOISE = "noise_taken_for_the_cause"
    """It took a benign change, the first thing that looks new, for the cause."""
    CASCADE = "cascade_taken_for_the_cause"
    """It took what suffers with the fault for the fault."""
    WRONG_COMPONENT = "wrong_component"
    """It turned to something in which no cause lies."""
    NEVER_LOOKED = "evidence_never_looked_at"
    """It looked at nothing that shows the cause."""
    WRONG_REPAIR = "right_component_wrong_repair"
    """It turned to what is broken, and that is not repaired, or not safely."""
    HARM_BESIDE = "harm_beside_the_repair"
    """What is broken was repaired; what was wrong, it did elsewhere."""
    UNCHECKED = "claim_without_check"
    """It ended its turn without looking what its last change did."""
    GAVE_UP = "gave_up"
    """It ended its turn without having changed anything."""
    LOOP = "loop"
    """It did the same again and again, to the same effect."""
    LIMIT = "limit"
    """Its turn was over before it was done."""


@dataclass(frozen=True)
class Mistake:
    """One fact about how it failed."""

    kind: MistakeKind
    sentence: str
    evidence: tuple[Reference, ...]
    """Where the record shows it; never empty."""

    def to_json(self) -> dict[str, Any]:
        """Return the mistake as data."""
        return {
            "kind": self.kind.value,
            "sentence": self.sentence,
            "evidence": [reference.to_json() for reference in self.evidence],
        }
