"""credentials: what a Secret says is accepted by its database, and what it said before is not.

Before a password is renewed both are the same, and then only that it is accepted is demanded.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import StringConstraints

from faultyard.model.predicates.checking import Answer, Occasion, Phase, State, predicate
from faultyard.model.predicates.probing import MODES, Probing, Round, over_rounds
from faultyard.model.probes import ABSENT

KIND: Final = "login"
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
UNCHANGED: Final = "unchanged"
"""The outcome for what the Secret said before, while it says the same."""
STATED: Final = "stated"
REPLACED: Final = "replaced"
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")]


class Credentials(Probing):
    """`with:` of a credentials check."""

    every_s: float = 4
    secret: Name
    """`namespace/name` of a Secret with `username` and `password`."""
    service: Name
    """`namespace/name` of the Service in front of the database."""
    database: str
    """In which the account is defined."""


def asked(wanted: Credentials) -> list[dict[str, str]]:
    """Return what has to be tried in each round."""
    place = {"secret": wanted.secret, "service": wanted.service, "database": wanted.database}
    return [{**place, "password": which} for which in (STATED, REPLACED)]


@predicate("credentials", Credentials, MODES)
def credentials(wanted: Credentials, occasion: Occasion) -> Answer:
    """Judge the logins that were tried in the phase's window."""
    renewed = occasion.phase is not Phase.HEALTHY
    return over_rounds(
        wanted, occasion, KIND, asked(wanted), lambda tries: _judge(wanted, tries, renewed)
    )


def _judge(wanted: Credentials, tries: Round, renewed: bool) -> Answer:
    seen = {probe.asked["password"]: probe for probe in tries.values()}
    stated, replaced = seen[STATED], seen[REPLACED]
    figures: dict[str, Any] = {"stated": stated.outcome, "replaced": replaced.outcome}
    shown = f"the password of {wanted.secret}"
    if ABSENT in (stated.outcome, replaced.outcome):
        return Answer(State.FAIL, f"{shown} cannot be tried: {stated.detail}", figures)
    if stated.outcome != ACCEPTED:
        return Answer(State.FAIL, f"{shown} is refused by {wanted.service}", figures)
    if replaced.outcome == ACCEPTED:
        return Answer(State.FAIL, f"the old {shown[4:]} is accepted again", figures)
    if renewed and replaced.outcome == UNCHANGED:
        return Answer(State.FAIL, f"{shown} is the old one", figures)
    old = ", the old one is refused" if replaced.outcome == REFUSED else ""
    return Answer(State.PASS, f"{shown} is accepted by {wanted.service}{old}", figures)
