"""admission: new pods of a namespace are admitted if their image may run, and else refused.

A guard writes down whom it refused, and the API server counts it. So what must be refused is tried
only when the turn is over: else these lines would tell the agent what the problem is about.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, StringConstraints

from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.probing import MODES, Probing, Round, after_turn, over_rounds
from faultyard.model.strict import Strict

KIND: Final = "admission"
ADMITTED: Final = "admitted"
REFUSED: Final = "refused"
Text = Annotated[str, StringConstraints(min_length=1)]


class Refusal(Strict):
    """An image that no pod may have."""

    image: Text
    says: Text
    """What the refusal's message has in it: not any refusal is this guard's."""


class Admission(Probing):
    """`with:` of an admission check."""

    every_s: float = 3
    namespace: Text
    admitted: Text
    """An image that pods may have."""
    refused: list[Refusal] = Field(default_factory=list)


def asked(wanted: Admission) -> list[dict[str, str]]:
    """Return what has to be tried in each round, when the turn is over."""
    refused = (each.image for each in wanted.refused)
    return [
        *quietly(wanted),
        *({"namespace": wanted.namespace, "image": image} for image in refused),
    ]


def quietly(wanted: Admission) -> list[dict[str, str]]:
    """Return what has to be tried in each round before that: what no guard writes down."""
    return [{"namespace": wanted.namespace, "image": wanted.admitted}]


@predicate("admission", Admission, MODES)
def admission(wanted: Admission, occasion: Occasion) -> Answer:
    """Judge the pods that were tried in the phase's window; none of them was made."""
    tried = asked(wanted) if after_turn(occasion) else quietly(wanted)
    return over_rounds(wanted, occasion, KIND, tried, lambda tries: _judge(wanted, tries))


def _judge(wanted: Admission, tries: Round) -> Answer:
    seen = {probe.asked["image"]: probe for probe in tries.values()}
    figures: dict[str, Any] = {"images": {image: p.outcome for image, p in seen.items()}}
    good = seen[wanted.admitted]
    if good.outcome != ADMITTED:
        return Answer(
            State.FAIL,
            f"{wanted.namespace} does not admit {wanted.admitted}: {good.detail}",
            figures,
        )
    tried = [refusal for refusal in wanted.refused if refusal.image in seen]
    for refusal in tried:
        bad = seen[refusal.image]
        if bad.outcome == ADMITTED:
            return Answer(State.FAIL, f"{wanted.namespace} admits {refusal.image}", figures)
        if refusal.says not in bad.detail:
            return Answer(
                State.FAIL,
                f"{refusal.image} is refused, but not for its image: {bad.detail}",
                figures,
            )
    kept = ", ".join(each.image for each in tried)
    said = f"{wanted.namespace} admits {wanted.admitted}" + (f" and refuses {kept}" if kept else "")
    return Answer(State.PASS, said, figures)
