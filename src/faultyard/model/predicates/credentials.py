"""credentials: what a Secret says is accepted by its database, and what it said before is not.

What it said before is tried only when the turn is over: databases write down whom they refused.
Until then only that what it says is accepted is demanded.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import StringConstraints

from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.probing import MODES, Probing, Round, after_turn, over_rounds
from faultyard.model.probes import ABSENT

KIND: Final = "login"
ACCEPTED: Final = "accepted"
REFUSED: Final = "refused"
UNCHANGED: Final = "unchanged"
"""The outcome for what the Secret said before, if it says the same."""
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
    """Return what has to be tried in each round, when the turn is over."""
    return [{**one, "password": which} for one in quietly(wanted) for which in (STATED, REPLACED)]


def quietly(wanted: Credentials) -> list[dict[str, str]]:
    """Return what has to be tried in each round before that: what no database writes down."""
    place = {"secret": wanted.secret, "service": wanted.service, "database": wanted.database}
    return [{**place, "password": STATED}]


@predicate("credentials", Credentials, MODES)
def credentials(wanted: Credentials, occasion: Occasion) -> Answer:
    """Judge the logins that were tried in the phase's window."""
    tried = asked(wanted) if after_turn(occasion) else quietly(wanted)
    return over_rounds(wanted, occasion, KIND, tried, lambda tries: _judge(wanted, tries))


def _judge(wanted: Credentials, tries: Round) -> Answer:
    seen = {probe.asked["password"]: probe for probe in tries.values()}
    stated, replaced = seen[STATED], seen[REPLACED].outcome if REPLACED in seen else None
    figures: dict[str, Any] = {which: probe.outcome for which, probe in seen.items()}
    shown = f"the password of {wanted.secret}"
    if ABSENT in (stated.outcome, replaced):
        return Answer(State.FAIL, f"{shown} cannot be tried: {stated.detail}", figures)
    if stated.outcome != ACCEPTED:
        return Answer(State.FAIL, f"{shown} is refused by {wanted.service}", figures)
    if replaced == ACCEPTED:
        return Answer(State.FAIL, f"the old {shown[4:]} is accepted again", figures)
    if replaced == UNCHANGED:
        return Answer(State.FAIL, f"{shown} is the old one", figures)
    old = ", the old one is refused" if replaced == REFUSED else ""
    return Answer(State.PASS, f"{shown} is accepted by {wanted.service}{old}", figures)
