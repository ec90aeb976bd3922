"""Errors around the agent: of the harness, or of how it was called. Never the agent's failure."""

from __future__ import annotations

from faultyard.clusters.errors import ClusterError


class UsageError(Exception):
    """The user asked for something that there is not; the message says what there is."""

    exit_code = 2


class SandboxFailed(ClusterError):
    """The sandbox itself did not start, so nothing can be said about the agent."""
