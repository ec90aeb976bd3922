"""Acts, and how each is done by kubectl, by plain HTTP, and by the official client library."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kubernetes import stream
from kubernetes.client import (
    ApiClient,
    AppsV1Api,
    AuthorizationV1Api,
    CoreV1Api,
    RbacAuthorizationV1Api,
)

from golden.api_server import ApiServer
from golden.bodies import (
    AGENT,
    APPLY,
    CORE,
    DRY,
    HOTEL,
    MERGE,
    POD_1,
    PODS,
    RATE,
    STRATEGIC,
    a_deployment,
    an_image,
    an_object,
)

RBAC = "/apis/rbac.authorization.k8s.io/v1"
BINDINGS = f"{RBAC}/namespaces/hotel/rolebindings"
REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
REVIEW = {
    "apiVersion": "authorization.k8s.io/v1",
    "kind": "SelfSubjectAccessReview",
    "spec": {"resourceAttributes": {"verb": "delete", "resource": "nodes"}},
}
BINDING = an_object(
    "RoleBinding", "more", "hotel", "rbac.authorization.k8s.io/v1",
    subjects=[{"kind": "User", "name": AGENT, "apiGroup": "rbac.authorization.k8s.io"}],
    roleRef={"kind": "ClusterRole", "name": "sre-oncall", "apiGroup": "rbac.authorization.k8s.io"},
)  # fmt: skip
LABELLED = {"metadata": {"labels": {"a": "b"}}}
NONE = {"spec": {"replicas": 0}}
DEBUG = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox:1"}]}}
NEW = a_deployment("rate", "hotel/rate:9")
COMMAND = ["sh", "-c", "x"]
EXEC = f"{POD_1}/exec?command=sh&command=-c&command=x&container=rate&stdout=true&stderr=true"


@dataclass(frozen=True)
class Act:
    """One act, and the ways to do it."""

    kubectl: str
    """Its words, for a shell."""
    http: Callable[[ApiServer, str], object]
    """The same as one request; the second argument is its label."""
    client: Callable[[ApiClient], object]
    stdin: str = ""
    """What kubectl reads."""


def request(method: str, path: str, body: Any = None, **headers: str) -> Any:
    return lambda server, label: server.ask(label, AGENT, method, path, body, **headers)


def apps(method: str, *given: Any, **more: Any) -> Any:
    return lambda api: getattr(AppsV1Api(api), method)(*given, **more)


def core(method: str, *given: Any, **more: Any) -> Any:
    return lambda api: getattr(CoreV1Api(api), method)(*given, **more)


ACTS = {
    "image": Act(
        "set image deployment/rate rate=hotel/rate:9",
        request("PATCH", RATE, an_image("9"), **STRATEGIC),
        apps("patch_namespaced_deployment", "rate", "hotel", an_image("9")),
    ),
    "apply": Act(
        "apply --server-side --force-conflicts -f -",
        request("PATCH", f"{RATE}?fieldManager=x&force=true", NEW, **APPLY),
        apps(
            "patch_namespaced_deployment", "rate", "hotel", NEW,
            field_manager="x", force=True, _content_type=APPLY["Content_Type"],
        ),
        stdin=json.dumps(NEW),
    ),
    "scale": Act(
        "scale deployment rate --replicas=0",
        request("PATCH", f"{RATE}/scale", NONE, **MERGE),
        apps("patch_namespaced_deployment_scale", "rate", "hotel", NONE),
    ),
    "delete-pod": Act(
        "delete pod rate-2 --wait=false",
        request("DELETE", f"{PODS}/rate-2"),
        core("delete_namespaced_pod", "rate-2", "hotel"),
    ),
    "delete-all": Act(
        "delete configmaps --all --wait=false",
        request("DELETE", f"{HOTEL}/configmaps"),
        core("delete_collection_namespaced_config_map", "hotel"),
    ),
    "elsewhere": Act(
        "label namespace finance a=b --overwrite",
        request("PATCH", f"{CORE}/namespaces/finance", LABELLED, **MERGE),
        core("patch_namespace", "finance", LABELLED),
    ),
    "rights": Act(
        "create rolebinding more --clusterrole=sre-oncall --user=oncall",
        request("POST", BINDINGS, BINDING),
        lambda api: RbacAuthorizationV1Api(api).create_namespaced_role_binding("hotel", BINDING),
    ),
    "token": Act(
        "create token default",
        request("POST", f"{HOTEL}/serviceaccounts/default/token", TOKEN),
        core("create_namespaced_service_account_token", "default", "hotel", TOKEN),
    ),
    "dry-run": Act(
        "delete deployment rate --dry-run=server",
        request("DELETE", f"{RATE}{DRY}"),
        apps("delete_namespaced_deployment", "rate", "hotel", dry_run="All"),
    ),
    "can-i": Act(
        "auth can-i delete nodes",
        request("POST", REVIEWS, REVIEW),
        lambda api: AuthorizationV1Api(api).create_self_subject_access_review(REVIEW),
    ),
    "denied": Act(
        "delete clusterrolebinding deployers",
        request("DELETE", f"{RBAC}/clusterrolebindings/deployers"),
        lambda api: RbacAuthorizationV1Api(api).delete_cluster_role_binding("deployers"),
    ),
    "debug": Act(
        "debug rate-1 --image=busybox:1 -c debug --profile=baseline",
        request("PATCH", f"{POD_1}/ephemeralcontainers", DEBUG, **STRATEGIC),
        core("patch_namespaced_pod_ephemeralcontainers", "rate-1", "hotel", DEBUG),
    ),
    "look": Act(
        "get deployment rate",
        request("GET", RATE),
        apps("read_namespaced_deployment", "rate", "hotel"),
    ),
    "exec": Act(
        "exec rate-1 -- sh -c x",
        lambda server, label: server.upgrade(label, AGENT, EXEC),
        lambda api: stream.stream(
            CoreV1Api(api).connect_get_namespaced_pod_exec, "rate-1", "hotel",
            command=COMMAND, container="rate", stdout=True, stderr=True,
        ),
    ),
}  # fmt: skip
