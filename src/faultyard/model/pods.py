"""What a pod's status says of it, wherever it is read."""

from __future__ import annotations

from faultyard.model.shapes import mapping


def ended(pod: object) -> bool:
    """Whether a pod has run to its end, well or not: it will not run again.

    Args:
        pod: the object as the API server has it.
    """
    return mapping(mapping(pod).get("status")).get("phase") in ("Succeeded", "Failed")
