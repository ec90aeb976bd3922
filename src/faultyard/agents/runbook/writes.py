"""Writes to objects, and what a Service's endpoints say of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .objects import Object, dig, read
from .tools import Answer, Tools

Act = Callable[[Tools], Answer]


def patch(target: Object, content: Any) -> Act:
    """A patch of an object: a list is a JSON patch, a map is merged as kubectl does."""
    kind = ["--type=json"] if isinstance(content, list) else []
    words = ["-n", target.namespace, "patch", target.kind.lower(), target.name, *kind]
    return lambda tools: tools.call("kubectl", args=[*words, "-p", json.dumps(content)])


def replace(target: Object, path: str, old: Any, new: Any) -> Act:
    """A field of an object set from one value to another; refused when it is not the former."""
    return patch(
        target,
        [
            {"op": "test", "path": path, "value": old},
            {"op": "replace", "path": path, "value": new},
        ],
    )


def set_in_container(workload: Object, container: str, **fields: Any) -> Act:
    """Fields of a container of a workload's template set."""
    one = {"name": container, **fields}
    return patch(workload, {"spec": {"template": {"spec": {"containers": [one]}}}})


def ready_ports(tools: Tools, service: Object) -> set[int]:
    """The ports at which a Service's ready endpoints take connections."""
    label = f"kubernetes.io/service-name={service.name}"
    found = set()
    for each in read(tools, "endpointslices", "-n", service.namespace, "-l", label):
        ends = each.fields.get("endpoints") or ()
        if any(dig(end, "conditions", "ready") for end in ends):
            found |= {port.get("port") for port in each.fields.get("ports") or ()}
    return found
