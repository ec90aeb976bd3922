"""Bodies of requests, and whose they are."""

from __future__ import annotations

from typing import Any

ADMIN, AGENT, LEAD, KUBELET = "kubernetes-admin", "oncall", "lead", "system:node:worker-1"
CORE, APPS = "/api/v1", "/apis/apps/v1"
HOTEL = f"{CORE}/namespaces/hotel"
RATE = f"{APPS}/namespaces/hotel/deployments/rate"
PODS, POD_1 = f"{HOTEL}/pods", f"{HOTEL}/pods/rate-1"
SETTINGS = f"{HOTEL}/configmaps/settings"
DRY = "?dryRun=All"
MERGE = {"Content_Type": "application/merge-patch+json"}
STRATEGIC = {"Content_Type": "application/strategic-merge-patch+json"}
JSON_PATCH = {"Content_Type": "application/json-patch+json"}
APPLY = {"Content_Type": "application/apply-patch+yaml"}
ALL: dict[str, Any] = {"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]}


def an_object(kind: str, name: str, namespace: str = "", version: str = "v1", **parts: Any) -> Any:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **place}, **parts}


def a_pod(name: str, **spec: Any) -> Any:
    container = {"name": "rate", "image": "registry.meridian.internal:5000/hotel/rate:2.4.0"}
    return an_object("Pod", name, "hotel", spec={"containers": [container], **spec})


def a_deployment(name: str, image: str = "hotel/rate:2.4.0") -> Any:
    labels = {"app.kubernetes.io/name": name}
    template = {
        "metadata": {"labels": labels},
        "spec": {
            "containers": [{"name": name, "image": image, "env": [{"name": "A", "value": "1"}]}]
        },
    }
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    return an_object("Deployment", name, "hotel", "apps/v1", spec=spec)


def an_eviction(name: str, **options: Any) -> Any:
    return an_object("Eviction", name, "hotel", "policy/v1", deleteOptions=options)


def an_image(tag: str) -> Any:
    container = {"name": "rate", "image": f"hotel/rate:{tag}"}
    return {"spec": {"template": {"spec": {"containers": [container]}}}}


def without_env(ask: Any) -> Any:
    _, raw = ask("setup", ADMIN, "GET", RATE)
    del raw["spec"]["template"]["spec"]["containers"][0]["env"]
    return raw
