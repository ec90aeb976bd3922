"""What the live tests ask a cell's cluster, in one line each."""

from __future__ import annotations

import json
from typing import Any

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for

TOOLBOX = "registry.meridian.internal:5000/toolbox:12"
SERVER = [
    "bash",
    "-c",
    r"""cat > /tmp/answer <<'END'
while read -r line && [ "${line%$'\r'}" ]; do :; done
printf 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n'
END
echo started
exec socat TCP-LISTEN:8080,fork,reuseaddr EXEC:'bash /tmp/answer'""",
]
"""A program of the toolbox that answers `hi` to every request on port 8080."""
SERVICE_LABEL = "kubernetes.io/service-name"


def kubectl(cell: Cell, *arguments: str, timeout_s: float = 150) -> str:
    """What kubectl prints, as the cell's administrator."""
    return run([*cell.kubectl(), *arguments], timeout_s=timeout_s).stdout


def get(cell: Cell, *arguments: str) -> Any:
    """What `kubectl get` finds, as data."""
    return json.loads(kubectl(cell, "get", *arguments, "-o", "json"))


def apply(cell: Cell, *objects: dict[str, Any]) -> None:
    """Apply objects as the administrator."""
    content = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    run([*cell.kubectl(), "apply", "-f", "-"], input_text=content)


def toolbox_pod(name: str, **spec: Any) -> dict[str, Any]:
    """A pod with a shell in it that waits."""
    container = {"name": "toolbox", "image": TOOLBOX, "command": ["sleep", "infinity"]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "terminationGracePeriodSeconds": 0,
            "containers": [{**container, **spec.pop("container", {})}],
            **spec,
        },
    }


def wait_pod_ready(cell: Cell, name: str) -> None:
    """Wait until a pod of the default namespace is ready."""
    kubectl(cell, "wait", "--for=condition=Ready", f"pod/{name}", "--timeout=60s")


def ready_addresses(cell: Cell, namespace: str, service: str) -> list[str]:
    """The addresses of a Service's ready endpoints."""
    slices = get(cell, "endpointslices", "-n", namespace, "-l", f"{SERVICE_LABEL}={service}")
    return [
        address
        for piece in slices["items"]
        for endpoint in piece.get("endpoints") or ()
        if (endpoint.get("conditions") or {}).get("ready") is not False
        for address in endpoint["addresses"]
    ]


def wait_no_ready_address(cell: Cell, namespace: str, service: str) -> None:
    """Wait until a Service leads nowhere."""

    def look() -> tuple[bool | None, str]:
        found = ready_addresses(cell, namespace, service)
        return (None if found else True), f"ready: {', '.join(found)}"

    wait_for(f"the endpoints of {service} to be empty", look, timeout_s=60, every_s=0.5)
