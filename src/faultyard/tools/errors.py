"""Why a tool did not do what it was asked: for the agent to read, or the harness's own failure."""

from __future__ import annotations

from faultyard.clusters.errors import ClusterError


class Malformed(Exception):
    """The call is not one that the tool understands; the message says what it takes."""


class Declined(Exception):
    """The call is understood and not carried out; the message says why and what to do."""


class BackendFailed(ClusterError):
    """A telemetry backend gave no usable answer, whatever the agent asked."""
