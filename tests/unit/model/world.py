"""A small cluster made by hand: a hotel of three services, and requests to its API server."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from typing import Any, TypeVar

T0 = 1_780_000_000
PORTS = {"frontend": 5000, "search": 8082, "rate": 8084}
Raw = dict[str, Any]
T = TypeVar("T")

KINDS = [
    ("", "services", "Service", True),
    ("", "pods", "Pod", True),
    ("", "nodes", "Node", False),
    ("", "namespaces", "Namespace", False),
    ("", "persistentvolumes", "PersistentVolume", False),
    ("", "configmaps", "ConfigMap", True),
    ("", "secrets", "Secret", True),
    ("", "serviceaccounts", "ServiceAccount", True),
    ("", "resourcequotas", "ResourceQuota", True),
    ("apps", "deployments", "Deployment", True),
    ("apps", "replicasets", "ReplicaSet", True),
    ("apps", "controllerrevisions", "ControllerRevision", True),
    ("batch", "jobs", "Job", True),
    ("autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler", True),
    ("discovery.k8s.io", "endpointslices", "EndpointSlice", True),
    ("networking.k8s.io", "networkpolicies", "NetworkPolicy", True),
    ("policy", "poddisruptionbudgets", "PodDisruptionBudget", True),
    ("rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", False),
    ("rbac.authorization.k8s.io", "rolebindings", "RoleBinding", True),
    ("rbac.authorization.k8s.io", "roles", "Role", True),
    ("apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", False),
    ("example.com", "widgets", "Widget", True),
]
GROUPS = {kind: (group, resource) for group, resource, kind, _ in KINDS}


def an_object(kind: str, name: str, namespace: str = "hotel", **parts: Any) -> Raw:
    group = GROUPS[kind][0]
    metadata = {"name": name, "uid": f"uid-{kind}-{name}", "resourceVersion": "1"}
    if namespace:
        metadata["namespace"] = namespace
    version = f"{group}/v1" if group else "v1"
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": metadata | parts.pop("metadata", {}),
        **parts,
    }


def a_deployment(name: str, namespace: str = "hotel") -> Raw:
    container = {
        "name": name,
        "image": f"registry.meridian.internal:5000/hotel/{name}:2.4.0",
        "ports": [{"name": "grpc", "containerPort": PORTS.get(name, 80), "protocol": "TCP"}],
        "env": [{"name": "LOG_LEVEL", "value": "info"}],
        "envFrom": [{"configMapRef": {"name": "settings"}}],
        "readinessProbe": {"grpc": {"port": PORTS.get(name, 80)}},
        "resources": {"limits": {"memory": "64Mi"}},
        "securityContext": {"runAsNonRoot": True},
    }
    spec = {
        "replicas": 2,
        "selector": {"matchLabels": {"app": name}},
        "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}},
    }
    return an_object("Deployment", name, namespace, spec=spec)


def a_service(name: str, namespace: str = "hotel") -> Raw:
    port = {
        "name": "grpc",
        "port": PORTS.get(name, 80),
        "protocol": "TCP",
        "targetPort": PORTS.get(name, 80),
    }
    return an_object("Service", name, namespace, spec={"selector": {"app": name}, "ports": [port]})


class World:
    """The objects that people decide; what controllers make of them is derived."""

    def __init__(self) -> None:
        self.objects: list[Raw] = [an_object("Namespace", "hotel", "")]
        for name in PORTS:
            self.objects += [a_deployment(name), a_service(name)]
        self.objects.append(an_object("ConfigMap", "settings", data={"city": "Oslo"}))
        self.objects += [
            a_deployment("billing", "finance"),
            an_object("Node", "worker-1", "", spec={}),
        ]

    def get(self, text: str) -> Raw:
        kind, namespace, name = text.split("/")
        return next(
            o
            for o in self.objects
            if (o["kind"], o["metadata"].get("namespace", ""), o["metadata"]["name"])
            == (kind, namespace, name)
        )

    def remove(self, text: str) -> None:
        self.objects.remove(self.get(text))

    def container(self, name: str) -> Raw:
        return self.get(f"Deployment/hotel/{name}")["spec"]["template"]["spec"]["containers"][0]

    def copy(self) -> World:
        return _copied(self)

    def snapshot(self, at: float, errors: list[Raw]) -> Raw:
        derived = []
        for raw in self.objects:
            if raw["kind"] == "Deployment":
                derived += _pods(raw)
        for raw in self.objects:
            if raw["kind"] == "Service":
                derived.append(_slice(raw, derived))
        resources = [
            {"group": g, "version": "v1", "kind": k, "resource": r, "namespaced": n}
            for g, r, k, n in KINDS
        ]
        return {
            "schema": 1,
            "taken_at": T0 + at,
            "resources": resources,
            "objects": [
                o | {"status": o.get("status", {}) | {"observed": at}} if o["kind"] != "Pod" else o
                for o in self.objects
            ]
            + derived,
            "errors": errors,
        }


def _copied(value: T) -> T:
    """Several times as fast as `copy.deepcopy`."""
    made: T = pickle.loads(pickle.dumps(value))
    return made


def _owned(kind: str, name: str, owner: Raw, **parts: Any) -> Raw:
    reference = {
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": "u",
        "controller": True,
    }
    metadata = {"ownerReferences": [reference], **parts.pop("metadata", {})}
    return an_object(kind, name, owner["metadata"]["namespace"], metadata=metadata, **parts)


def _pods(deployment: Raw) -> list[Raw]:
    name, template = deployment["metadata"]["name"], deployment["spec"]["template"]
    replicas = _owned("ReplicaSet", f"{name}-5d", deployment, spec={"template": template})
    pods = []
    for index in range(deployment["spec"]["replicas"]):
        number = sum(map(ord, name)) % 200
        status = {
            "podIP": f"10.240.{number}.{index + 2}",
            "conditions": [{"type": "Ready", "status": "True"}],
        }
        labels = template["metadata"]["labels"]
        pods.append(
            _owned(
                "Pod",
                f"{name}-5d-{index}",
                replicas,
                metadata={"labels": dict(labels)},
                spec=_copied(template["spec"]),
                status=status,
            )
        )
    return [replicas, *pods]


def _slice(service: Raw, derived: list[Raw]) -> Raw:
    selector, namespace = service["spec"]["selector"], service["metadata"]["namespace"]
    pods = [
        o
        for o in derived
        if o["kind"] == "Pod"
        and o["metadata"]["namespace"] == namespace
        and selector.items() <= o["metadata"]["labels"].items()
    ]
    ports = []
    for port in service["spec"]["ports"]:
        number = port["targetPort"]
        if isinstance(number, str) and pods:
            declared = pods[0]["spec"]["containers"][0]["ports"]
            number = next((p["containerPort"] for p in declared if p["name"] == number), None)
        if number is not None:
            ports.append({"name": port["name"], "port": number, "protocol": "TCP"})
    name = service["metadata"]["name"]
    return _owned(
        "EndpointSlice",
        f"{name}-x1",
        service,
        metadata={"labels": {"kubernetes.io/service-name": name}},
        addressType="IPv4",
        ports=ports,
        endpoints=[
            {"addresses": [p["status"]["podIP"]], "conditions": {"ready": True}} for p in pods
        ],
    )


def an_event(
    at: float, verb: str, text: str, user: str = "oncall", code: int = 200, **parts: Any
) -> Raw:
    """`text` is Kind/namespace/name[/subresource]; the resource's plural follows from the kind."""
    kind, namespace, name, *sub = text.split("/")
    group, resource = GROUPS.get(kind, ("authorization.k8s.io", kind))
    reference = {"resource": resource, "namespace": namespace, "name": name, "apiGroup": group}
    if sub:
        reference["subresource"] = sub[0]
    if kind == "Namespace":
        reference["namespace"] = name  # as the API server does
    when = datetime.fromtimestamp(T0 + at, UTC).isoformat().replace("+00:00", "Z")
    event = {
        "kind": "Event",
        "apiVersion": "audit.k8s.io/v1",
        "level": "RequestResponse",
        "auditID": f"{at}-{verb}-{text}-{user}-{len(parts)}",
        "stage": "ResponseComplete",
        "requestURI": "/apis/x",
        "verb": verb,
        "user": {"username": user},
        "objectRef": {key: value for key, value in reference.items() if value},
        "responseStatus": {"code": code},
        "requestReceivedTimestamp": when,
        "stageTimestamp": when,
    }
    return event | parts
