"""The nine questions, answered by code.

Reasons speak of what was submitted and keep the right answer to themselves: whoever reads a
score may still want to solve the problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from faultyard.model.diagnosis import references, spellings
from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.diagnosis.scope import Components, Scope, scope_of
from faultyard.model.diagnosis.score import Answer, Question, Score
from faultyard.model.diagnosis.submission import Cause, Diagnosis
from faultyard.model.truth import GroundTruth, TrueCause

_UNLOCALISED = "the cause is not localised, so nothing is told apart"


@dataclass(frozen=True)
class Grounds:
    """What a diagnosis is compared with."""

    truth: GroundTruth
    components: Components
    impact: frozenset[Impact] | None
    """What befell users, measured and stated; None: neither."""

    @cached_property
    def scope(self) -> Scope:
        """Who suffers with the causes."""
        return scope_of(self.truth, self.components)


def grade(diagnosis: Diagnosis, grounds: Grounds, after_first_write: bool = False) -> Score:
    """Answer the nine questions.

    Args:
        diagnosis: what was submitted.
        grounds: what it is compared with.
        after_first_write: whether it was sent after the agent had changed something.
    """
    comparison = _Comparison(diagnosis, grounds)
    found = {
        Question.COMPONENT: comparison.component(),
        Question.CASCADES: comparison.cascades(),
        Question.HEALTHY: comparison.healthy(),
        Question.MECHANISM: comparison.mechanism(),
        Question.DETAIL: comparison.detail(),
        Question.NEIGHBOUR: comparison.neighbour(),
        Question.OVER_ATTRIBUTED: comparison.over_attributed(),
        Question.AFFECTED: comparison.affected(),
        Question.IMPACT: comparison.impact(),
    }
    answers = tuple(Answer(question, *found[question]) for question in Question)
    return Score(True, answers, after_first_write)


@dataclass(frozen=True)
class _Comparison:
    """One diagnosis beside the truth; each method answers one question with its reason."""

    diagnosis: Diagnosis
    grounds: Grounds

    @cached_property
    def matches(self) -> list[tuple[TrueCause, list[Cause]]]:
        """The true causes, each with the submitted ones in the same component."""
        said = self.diagnosis.causes
        return [
            (true, [cause for cause in said if _in(cause.component, true)])
            for true in self.grounds.truth.causes
        ]

    @cached_property
    def localised(self) -> bool:
        """Every true cause's component is named as a cause."""
        return all(found for _, found in self.matches)

    @cached_property
    def blamed(self) -> list[str]:
        """Components that are named as causes and are none."""
        causes = (*self.grounds.truth.causes, *self.grounds.truth.later)
        return [
            cause.component or "no_fault"
            for cause in self.diagnosis.causes
            if not any(_in(cause.component, true) for true in causes)
        ]

    def component(self) -> tuple[bool, str]:
        if self.localised and self.grounds.truth.no_fault:
            return True, "nothing is broken, and nothing is said to be"
        if self.localised:
            return True, f"the cause lies in {_listed(c.component for c in self._right)}"
        hit = sum(bool(found) for _, found in self.matches)
        if hit:
            return False, f"{hit} of {len(self.matches)} causes are named"
        if self.diagnosis.no_fault:
            return False, "something is broken, but the answer is that nothing is"
        return False, f"the cause does not lie in {_listed(self.blamed)}"

    def cascades(self) -> tuple[bool, str]:
        wrong = [text for text in self.blamed if self._is_cascade(text)]
        if wrong:
            return False, f"{_listed(wrong)} suffers with the fault and is not its cause"
        if not self.localised:
            return False, _UNLOCALISED
        return True, "no consequence is taken for a cause"

    def healthy(self) -> tuple[bool, str]:
        wrong = [t for t in self.blamed if "/" in t and not self._is_cascade(t)]
        if wrong:
            return False, f"{_listed(wrong)} is well and was blamed"
        if not self.localised:
            return False, _UNLOCALISED
        return True, "nothing healthy is blamed"

    def mechanism(self) -> tuple[bool, str]:
        missed = [
            said
            for true, found in self._candidates
            if not any(cause.mechanism in true.mechanisms for cause in found)
            for said in found
        ]
        if missed:
            return False, f"{_listed(cause.mechanism for cause in missed)} is not what happened"
        return True, "the kind of what happened is named"

    def detail(self) -> tuple[bool, str]:
        for true, found in self._candidates:
            lacks = [_detail_lacks(true, cause) for cause in found]
            if all(lacks):
                return False, min(lacks, key=len)
        return True, "setting and values are right, as far as there are any to name"

    def neighbour(self) -> tuple[bool, str]:
        if not self.localised:
            return False, _UNLOCALISED
        for true, found in self.matches:
            allowed = self._allowed(true)
            wrong = {cause.mechanism for cause in found} - allowed
            if near := wrong & true.neighbouring:
                return False, f"{_listed(sorted(near))} is a neighbouring kind, not this one"
            if wrong:
                return False, f"it is also, or only, said to be {_listed(sorted(wrong))}"
        return True, "it is not taken for a neighbouring kind"

    def over_attributed(self) -> tuple[bool, str]:
        if not self.localised:
            return False, _UNLOCALISED
        scope = self.grounds.scope
        may = scope.affected | scope.tolerated | scope.outside
        surplus = [text for text, key in self._affected if key not in may]
        if surplus:
            return False, f"{_listed(surplus)} is said to be affected and is not"
        return True, "nothing is said to be affected that is not"

    def affected(self) -> tuple[bool, str]:
        named = {key for _, key in self._affected}
        named |= {self.grounds.components.of(text) for text in self.blamed if "/" in text}
        missing = self.grounds.scope.affected - named
        if self.diagnosis.no_fault and not self.grounds.truth.no_fault:
            return False, "something is affected, but the answer is that nothing is broken"
        if missing and self.localised:
            return False, f"{_listed(sorted(missing))} is affected and not named"
        if missing:
            return False, f"{len(missing)} of those affected are not named"
        return True, "all that is affected is named"

    def impact(self) -> tuple[bool, str]:
        said, real = frozenset(self.diagnosis.impact), self.grounds.impact
        if real is None:
            return False, "the record holds no figures with which the impact could be compared"
        if Impact.NONE in said and Impact.NONE not in real:
            return False, "users did suffer"
        if surplus := said - real:
            return False, f"users' figures do not show {_listed(sorted(surplus))}"
        return True, f"{_listed(sorted(said))} is what befell users"

    @property
    def _right(self) -> list[Cause]:
        return [cause for _, found in self.matches for cause in found]

    @property
    def _candidates(self) -> list[tuple[TrueCause, list[Cause]]]:
        """As `matches`; where a cause was not localised, what was said may still describe it."""
        return [(true, found or self.diagnosis.causes) for true, found in self.matches]

    @cached_property
    def _affected(self) -> list[tuple[str, str]]:
        return [(text, self.grounds.components.of(text)) for text in self.diagnosis.affected]

    def _allowed(self, true: TrueCause) -> frozenset[str]:
        """Mechanisms that may be named in this component: two true causes may share it."""
        shared = set(true.mechanisms)
        for other in self.grounds.truth.causes:
            if other.component == true.component:
                shared |= other.mechanisms
        return frozenset(shared)

    def _is_cascade(self, text: str) -> bool:
        if "/" not in text:
            return False
        said = references.read(text)
        truth = self.grounds.truth
        if any(references.same(references.read(well), said) for well in truth.healthy):
            return False
        return self.grounds.components.of(text) in self.grounds.scope.cascades


def _in(component: str | None, true: TrueCause) -> bool:
    if component is None or true.component is None:
        return component is None and true.component is None
    said = references.read(component)
    return any(references.same(references.read(text), said) for text in true.components)


def _detail_lacks(true: TrueCause, said: Cause) -> str:
    """Return why a cause is not concrete enough; empty: it is."""
    if (said.component is None) != (true.component is None):
        return "what is described is not there"
    also = true.also
    if true.setting is not None and not spellings.same_setting(
        (true.setting, *also.settings), said.setting
    ):
        return f"{said.setting!r} is not the setting" if said.setting else "no setting is named"
    for what, real, more, value in (
        ("observed", true.observed, also.observed, said.observed),
        ("expected", true.expected, also.expected, said.expected),
    ):
        if real is None:
            continue
        if value is None:
            return f"no {what} value is named"
        if not spellings.same_value((real, *more), value, said.setting, true.setting):
            return f"{value!r} is not the {what} value"
    return ""


def _listed(items: Iterable[object]) -> str:
    texts = list(dict.fromkeys(str(item) for item in items))
    return ", ".join(texts) or "anything"
