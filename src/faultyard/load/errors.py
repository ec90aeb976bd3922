"""Errors of the load: never the agent's failure."""

from __future__ import annotations

from faultyard.clusters.errors import ClusterError


class LoadError(ClusterError):
    """The load generator could not be started, ended by itself, or lost figures."""
