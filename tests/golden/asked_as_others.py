"""What is asked of a real API server by who may not, or as somebody else."""

from __future__ import annotations

from typing import Any

from golden.bodies import (
    ADMIN,
    AGENT,
    CORE,
    DRY,
    HOTEL,
    KUBELET,
    LEAD,
    MERGE,
    POD_1,
    PODS,
    RATE,
    SETTINGS,
    STRATEGIC,
    an_eviction,
    an_image,
    an_object,
)


def refusals(ask: Any) -> None:
    roles = "/apis/rbac.authorization.k8s.io/v1"
    grant = an_object("ClusterRoleBinding", "mine", version="rbac.authorization.k8s.io/v1")
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"}
    ask("denied", AGENT, "POST", f"{roles}/clusterrolebindings", grant | {"roleRef": role})
    ask(
        "denied-escalation",
        AGENT,
        "PATCH",
        f"{roles}/namespaces/hotel/roles/reader",
        {"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]},
        **MERGE,
    )
    ask(
        "denied-impersonation",
        AGENT,
        "DELETE",
        f"{HOTEL}/configmaps/applied",
        Impersonate_User="kubernetes-admin",
    )
    ask(
        "impersonation",
        LEAD,
        "PATCH",
        SETTINGS,
        {"data": {"c": "3"}},
        **MERGE,
        Impersonate_User="deploy-bot",
        Impersonate_Group="deployers",
    )
    ask("nobody", "", "DELETE", f"{HOTEL}/configmaps/applied")
    ask("wrong-token", "none", "DELETE", f"{HOTEL}/configmaps/applied")
    ask("denied-node-proxy", AGENT, "POST", f"{CORE}/nodes/worker-1/proxy/run/hotel/rate-1/rate")


def identities(ask: Any) -> None:
    tokens = f"{CORE}/namespaces/kube-system/serviceaccounts"
    account = an_object("ServiceAccount", "namespace-controller", "kube-system")
    ask("setup", ADMIN, "POST", tokens, account)
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    own = f"{tokens}/namespace-controller/token"
    ask("token", AGENT, "POST", own, request)
    _, answer = ask("token-dry", AGENT, "POST", f"{own}{DRY}", request)
    ask("with-that-token", answer["status"]["token"], "DELETE", f"{HOTEL}/configmaps/applied")
    _, pod = ask("setup", ADMIN, "GET", POD_1)
    ask(
        "kubelet-status", KUBELET, "PATCH", f"{POD_1}/status", {"status": {"message": "m"}}, **MERGE
    )
    ask(
        "kubelet-node",
        KUBELET,
        "PATCH",
        f"{CORE}/nodes/worker-1",
        {"metadata": {"labels": {"a": "b"}}},
        **MERGE,
    )
    ask("node-config-map", KUBELET, "PATCH", SETTINGS, {"data": {"d": "4"}}, **MERGE)
    ask("node-deletes-by-name", KUBELET, "DELETE", f"{PODS}/rate-1{DRY}")
    ask("node-evicts", KUBELET, "POST", f"{PODS}/rate-2/eviction", an_eviction("rate-2"))
    ending = {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "gracePeriodSeconds": 0,
        "preconditions": {"uid": pod["metadata"]["uid"]},
    }
    ask("kubelet-ends-a-pod", KUBELET, "DELETE", POD_1, ending)
    ask("deploy", "deploy-bot", "PATCH", RATE, an_image("2.4.3"), **STRATEGIC)
