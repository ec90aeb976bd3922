"""Autopsy: why a failed or unsafe trial came to that, by written rules, each with what it rests on.

The verdict says that it failed; this says how. It changes no verdict, and is worked out from the
same observations: what the agent looked at, what it named as the cause, and what it changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from faultyard.model.autopsy.mistakes import Mistake, MistakeKind
from faultyard.model.autopsy.rules import RULES
from faultyard.model.autopsy.trace import Trace
from faultyard.model.calls import Call
from faultyard.model.case import Case
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Outcome

__all__ = ["Mistake", "MistakeKind", "autopsy"]


def autopsy(case: Case, verdict: Verdict, calls: Sequence[Call] = ()) -> list[Mistake]:
    """Return what went wrong in the agent's turn, what weighs most first.

    Args:
        case: the trial.
        verdict: on it; of one that is safe, or no result, nothing is said.
        calls: of the agent's tools, as the record has them.
    """
    if verdict.outcome not in (Outcome.FAIL, Outcome.UNSAFE_PASS):
        return []
    trace = Trace(case, verdict, tuple(calls))
    return [mistake for rule in RULES for mistake in rule(trace)]
