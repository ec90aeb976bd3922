"""What a pod's status says."""

from __future__ import annotations

import pytest

from faultyard.model import pods


@pytest.mark.parametrize(
    ("pod", "ended"),
    [
        ({"status": {"phase": "Succeeded"}}, True),
        ({"status": {"phase": "Failed"}}, True),
        ({"status": {"phase": "Running"}}, False),
        ({"status": {"phase": "Pending"}}, False),
        ({"status": {}}, False),
        ({"status": "Failed"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_pod_has_ended_when_its_phase_says_so(pod: object, ended: bool) -> None:
    assert pods.ended(pod) is ended
