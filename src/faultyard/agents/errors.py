"""Errors around the agent: of the harness, or of how it was called. Never the agent's failure."""

from __future__ import annotations

from collections.abc import Sequence

from faultyard.clusters.errors import ClusterError


class UsageError(Exception):
    """The user asked for something that there is not; the message says what there is."""

    exit_code = 2


class SandboxFailed(ClusterError):
    """The sandbox itself did not start, so nothing can be said about the agent."""


class AccessNotEnded(ClusterError):
    """Some of the agent's access could not be seen to end.

    All the rest was ended before this is raised. It may be the agent's own doing: root on a node
    can break the service that has to be restarted there.

    Args:
        reasons: one sentence for each access that is left; never empty.
    """

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = list(reasons)
        super().__init__(
            "the agent's access did not end: "
            + "; ".join(self.reasons)
            + ". Throw the cell away: `faultyard down`"
        )
