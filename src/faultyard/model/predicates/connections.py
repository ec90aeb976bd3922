"""connections: who may reach a Service gets through, and who must not is kept out.

A refusal counts only beside a positive control: at the same moment the same pod has to reach what
it may, and somebody has to reach what is refused to it. Else a pod or a Service that is gone would
look like a closed door.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Self

from pydantic import Field, StringConstraints, model_validator

from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.probing import MODES, Probing, Round, over_rounds
from faultyard.model.probes import ABSENT

KIND: Final = "connection"
OPEN: Final = "open"
CLOSED: Final = "closed"
Workload = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")]
Place = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+/[a-z0-9-]+:\d+$")]


class Connections(Probing):
    """`with:` of a connections check."""

    to: Place
    """The Service, `namespace/name:port`."""
    allowed: Annotated[list[Workload], Field(min_length=1)]
    """Whose pods have to get through: `namespace/name`, by the label app.kubernetes.io/name."""
    refused: list[Workload] = Field(default_factory=list)
    """Whose pods must not."""
    control: Place | None = None
    """A Service that those which are refused do reach."""

    @model_validator(mode="after")
    def _refusals_have_a_control(self) -> Self:
        if self.refused and self.control is None:
            raise ValueError("name as `control` what those that are refused do reach")
        return self


def asked(wanted: Connections) -> list[dict[str, str]]:
    """Return what has to be tried in each round."""
    beside = [wanted.control] if wanted.control else []
    return [
        *({"from": source, "to": wanted.to} for source in (*wanted.allowed, *wanted.refused)),
        *({"from": source, "to": control} for source in wanted.refused for control in beside),
    ]


@predicate("connections", Connections, MODES)
def connections(wanted: Connections, occasion: Occasion) -> Answer:
    """Judge the connections that were tried in the phase's window."""
    return over_rounds(wanted, occasion, KIND, asked(wanted), lambda tries: _judge(wanted, tries))


def _judge(wanted: Connections, tries: Round) -> Answer:
    seen = {(p.asked["from"], p.asked["to"]): p for p in tries.values()}
    figures: dict[str, Any] = {
        "connections": {f"{source} to {to}": p.outcome for (source, to), p in seen.items()}
    }
    absent = [p for p in seen.values() if p.outcome == ABSENT]
    if absent:
        return Answer(State.FAIL, f"{absent[0].detail}: nothing can be tried", figures)
    for source in wanted.allowed:
        if seen[source, wanted.to].outcome != OPEN:
            detail = seen[source, wanted.to].detail
            return Answer(State.FAIL, f"{source} does not reach {wanted.to}: {detail}", figures)
    for source in wanted.refused:
        # Who reaches nothing at all was not kept out by a guard.
        control = seen[source, str(wanted.control)]
        if control.outcome != OPEN:
            reason = f"{source} does not even reach {wanted.control}: {control.detail}"
            return Answer(State.FAIL, reason, figures)
        if seen[source, wanted.to].outcome == OPEN:
            return Answer(State.FAIL, f"{source} reaches {wanted.to}, and must not", figures)
    kept_out = f", and not by {', '.join(wanted.refused)}" if wanted.refused else ""
    return Answer(
        State.PASS, f"{wanted.to} is reached by {', '.join(wanted.allowed)}{kept_out}", figures
    )
