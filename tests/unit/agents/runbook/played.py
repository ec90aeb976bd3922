"""A cluster that is played: kubectl's answers made of manifests, and what was called."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from faultyard.agents.runbook.objects import FIELDS, KINDS
from faultyard.agents.runbook.tools import Answer

Manifest = dict[str, Any]
STAMP = "2026-01-31T08:00:00Z"


@dataclass
class Played:
    """Tools over a list of manifests; see `faultyard.agents.runbook.tools.Tools`."""

    manifests: list[Manifest]
    alert: str = "Customers' requests are failing."
    telemetry: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Rows of the answers of tools of telemetry; those that are left out are not there."""
    kubectl: Callable[[list[str], str], Answer] = lambda _args, _stdin: Answer("")
    """What kubectl does beside listing."""
    node: Callable[[str, str], Answer] = lambda _node, _command: Answer("")
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def names(self) -> frozenset[str]:
        own = {"kubectl", "node_exec", "events", "change_history", "report_cause", "resolve"}
        return frozenset(own | set(self.telemetry))

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        self.calls.append((tool, arguments))
        if tool == "node_exec":
            return self.node(arguments["node"], arguments["command"])
        if tool == "kubectl":
            return self._kubectl(list(arguments["args"]), arguments.get("stdin", ""))
        if tool in self.telemetry:
            return Answer("\n".join(json.dumps(row) for row in self.telemetry[tool]) or "nothing")
        return Answer(f"{tool}: taken", failed=tool not in self.names)

    def asked(self, tool: str) -> list[dict[str, Any]]:
        return [arguments for name, arguments in self.calls if name == tool]

    def _kubectl(self, args: list[str], stdin: str) -> Answer:
        if args[0] == "get" and args[1] in FIELDS and str(args[-1]).startswith("jsonpath={range"):
            return Answer("".join(self._rows(args, re.findall(r"{\.([^{}]+)}", args[-1]))))
        return self.kubectl(args, stdin)

    def _rows(self, args: list[str], columns: list[str]) -> list[str]:
        plural, found = args[1], []
        named = args[4 : args.index("-o")] if "-n" in args and "-l" not in args else []
        for each in self.manifests:
            space = each["metadata"].get("namespace", "")
            if each["kind"] != KINDS[plural] or ("-n" in args and space != args[3]):
                continue
            if named and each["metadata"]["name"] not in named:
                continue
            if "-l" in args:
                wanted = dict(part.split("=") for part in args[args.index("-l") + 1].split(","))
                labels = each["metadata"].get("labels") or {}
                if any(labels.get(key) != value for key, value in wanted.items()):
                    continue
            found.append("\t".join(_printed(each, path) for path in columns) + "\n")
        return found


def _printed(value: Any, path: str) -> str:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, dict | list) else str(value)


def node(name: str, ready: bool = True) -> Manifest:
    condition = {"type": "Ready", "status": "True" if ready else "Unknown"}
    return {
        "kind": "Node",
        "metadata": {"name": name, "creationTimestamp": STAMP},
        "spec": {},
        "status": {"conditions": [condition]},
    }


def service(name: str, port: int = 8080, target: Any = None, **more: Any) -> Manifest:
    ports = [{"name": "http", "port": port, "targetPort": target or port, "protocol": "TCP"}]
    spec = {"selector": {"app": name}, "ports": ports, "clusterIP": f"10.0.0.{len(name)}", **more}
    return _made("Service", name, {"spec": spec})


def deployment(name: str, port: int = 8080, **more: Any) -> list[Manifest]:
    """A Deployment with its ReplicaSet and one pod."""
    kind = more.pop("kind", "Deployment")
    container = {
        "name": name,
        "image": f"registry/{name}:1",
        "ports": [{"name": "http", "containerPort": port, "protocol": "TCP"}],
        "env": [{"name": key, "value": value} for key, value in more.pop("env", {}).items()],
        "resources": {"limits": {"cpu": "1", "memory": "128Mi"}},
        **more.pop("container", {}),
    }
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    spec = {
        "replicas": more.pop("replicas", 1),
        "selector": {"matchLabels": {"app": name}},
        "template": template,
    }
    made = _made(kind, name, {"spec": spec, "status": {"updatedReplicas": 1}})
    owner = {"kind": kind, "name": name}
    own: list[Manifest] = [made]
    if kind == "Deployment":
        own.append(revision(name, 9, container))
        owner = {"kind": "ReplicaSet", "name": f"{name}-9"}
    if spec["replicas"]:
        own.append(pod(name, owner, container, **more))
    return own


def revision(name: str, number: int, container: Manifest) -> Manifest:
    found = _made(
        "ReplicaSet",
        f"{name}-{number}",
        {"spec": {"template": {"spec": {"containers": [container]}}}},
    )
    found["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": name}]
    found["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": str(number)}
    return found


def pod(name: str, owner: Manifest, container: Manifest, **more: Any) -> Manifest:
    waiting = more.get("waiting")
    status: Manifest = {
        "podIP": "10.1.0.5",
        "conditions": [{"type": "Ready", "status": "False" if waiting else "True"}],
        "containerStatuses": [
            {
                "name": container["name"],
                "containerID": f"containerd://id-of-{name}",
                "state": {"waiting": waiting} if waiting else {"running": {}},
                **more.get("status", {}),
            }
        ],
    }
    status["conditions"] += more.get("conditions", [])
    spec = {"nodeName": more.get("on", "node-1"), "containers": [container]}
    made = _made("Pod", f"{name}-0", {"spec": spec, "status": status})
    made["metadata"]["ownerReferences"] = [owner]
    made["metadata"]["labels"] = {"app": name}
    return made


def config(name: str, **data: str) -> Manifest:
    return _made("ConfigMap", name, {"data": data})


def slice_(name: str, port: int) -> Manifest:
    made = _made("EndpointSlice", f"{name}-x", {"ports": [{"port": port}]})
    made["endpoints"] = [{"conditions": {"ready": True}}]
    made["metadata"]["labels"] = {"kubernetes.io/service-name": name}
    return made


def _made(kind: str, name: str, rest: Manifest) -> Manifest:
    meta = {"name": name, "namespace": "shop", "creationTimestamp": STAMP}
    return {"kind": kind, "metadata": meta, **rest}


def shop() -> list[Manifest]:
    """Web asks cart, cart asks stock, all of them well; and a node."""
    return [
        node("node-1"),
        node("node-2"),
        *deployment("web", env={"CART_URL": "http://cart:8080/v1"}),
        *deployment("cart", env={"STOCK": "stock:8080"}),
        *deployment("stock"),
        service("web"),
        service("cart"),
        service("stock"),
    ]


UNIT = "Id={0}.service\nLoadState=loaded\nActiveState={1}\nSubState={2}\nUnitFileState=enabled"


def nodes_answer(
    listening: tuple[int, ...] = (8080,), down: tuple[str, ...] = ()
) -> Callable[[str, str], Answer]:
    """How nodes answer: which ports of pods accept connections, and where the kubelet is down."""

    def answer(name: str, command: str) -> Answer:
        if command.startswith("systemctl show"):
            state = ("inactive", "dead") if name in down else ("active", "running")
            kubelet = UNIT.format("kubelet", *state)
            return Answer("\n\n".join([kubelet, UNIT.format("containerd", "active", "running")]))
        if "/dev/tcp/" in command:
            found = re.search(r"for p in ([\d ]+);", command)
            ports = [int(p) for p in found[1].split()] if found else []
            lines = [f"{'open' if p in listening else 'shut'} {p}" for p in ports]
            return Answer("\n".join(lines))
        return Answer("")

    return answer
