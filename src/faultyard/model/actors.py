"""Who did it: the agent, the harness, the cluster itself, or somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from faultyard.model.audit import Effect, Event
from faultyard.model.trial import Trial

_COMPONENTS: Final = re.compile(
    r"system:(apiserver|kube-[a-z-]+|node:.+|serviceaccount:kube-system:.+)"
)
_NODE: Final = "system:node:"
_SERVICE_ACCOUNT: Final = "system:serviceaccount:"
STORED: Final = frozenset({Effect.WRITE, Effect.UNCERTAIN})


class Actor(StrEnum):
    """Whose request it is."""

    AGENT = "agent"
    HARNESS = "harness"
    CLUSTER = "cluster"
    OTHER = "other"
    """In the turn: somebody's credentials in the agent's hands. Before it: people's deploys."""


@dataclass(frozen=True)
class Actors:
    """Tells actors apart for one trial."""

    trial: Trial
    established: frozenset[str]
    """Service accounts that were writing before the turn: operators, provisioners."""
    nodes: Mapping[str, frozenset[str]]
    """Each node's own addresses, by its name."""

    def of(self, event: Event) -> Actor:
        """Return whose request an event is."""
        identity = self.trial.identity
        if event.username == identity.username:
            known = identity.credential_id in ("", event.credential_id)
            return Actor.AGENT if known else Actor.OTHER
        if event.username in self.trial.harness_users:
            return Actor.HARNESS
        if self._carried_away(event):
            return Actor.OTHER
        if _COMPONENTS.fullmatch(event.username) or event.username in self.established:
            return Actor.CLUSTER
        return Actor.OTHER

    def _carried_away(self, event: Event) -> bool:
        """Tell whether a node's credentials are used from elsewhere than that node."""
        if not event.username.startswith(_NODE) or not event.source:
            return False
        own = self.nodes.get(event.username.removeprefix(_NODE))
        return own is not None and event.source not in own


def actors(
    trial: Trial, before_turn: Iterable[Event], nodes: Mapping[str, frozenset[str]]
) -> Actors:
    """Make the classification from what was seen before the turn."""
    established = frozenset(
        event.username
        for event in before_turn
        if event.username.startswith(_SERVICE_ACCOUNT) and event.effect in STORED
    )
    return Actors(trial, established, nodes)
