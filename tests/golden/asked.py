"""What is asked of a real API server: everything that the matcher tells apart."""

from __future__ import annotations

import json
from typing import Any

from golden.api_server import ADDRESS, POD, ApiServer
from golden.bodies import (
    AGENT,
    ALL,
    APPLY,
    CORE,
    DRY,
    HOTEL,
    JSON_PATCH,
    MERGE,
    POD_1,
    PODS,
    RATE,
    SETTINGS,
    STRATEGIC,
    a_deployment,
    an_eviction,
    an_image,
    an_object,
    without_env,
)


def looks(ask: Any) -> None:
    ask("get", AGENT, "GET", RATE)
    ask("list", AGENT, "GET", PODS)
    ask("list-everywhere", AGENT, "GET", f"{CORE}/secrets")
    ask("watch", AGENT, "GET", f"{PODS}?watch=1&timeoutSeconds=1")
    ask("log", AGENT, "GET", f"{POD_1}/log")
    ask("get-secret", AGENT, "GET", f"{HOTEL}/secrets/keys")
    review = "/apis/authorization.k8s.io/v1"
    wish = {"resourceAttributes": {"verb": "delete", "resource": "nodes"}}
    body = {"apiVersion": "authorization.k8s.io/v1", "spec": wish}
    ask(
        "can-i",
        AGENT,
        "POST",
        f"{review}/selfsubjectaccessreviews",
        body | {"kind": "SelfSubjectAccessReview"},
    )
    ask(
        "can-i-list",
        AGENT,
        "POST",
        f"{review}/selfsubjectrulesreviews",
        body | {"kind": "SelfSubjectRulesReview", "spec": {"namespace": "hotel"}},
    )
    ask(
        "who-am-i",
        AGENT,
        "POST",
        "/apis/authentication.k8s.io/v1/selfsubjectreviews",
        {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"},
    )
    ask("url", AGENT, "GET", "/version")


def writes(ask: Any) -> None:
    maps = f"{HOTEL}/configmaps"
    ask("create", AGENT, "POST", maps, an_object("ConfigMap", "note", "hotel", data={"a": "1"}))
    ask(
        "create-generated",
        AGENT,
        "POST",
        maps,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "note-"}},
    )
    ask(
        "update",
        AGENT,
        "PUT",
        SETTINGS,
        an_object("ConfigMap", "settings", "hotel", data={"b": "2"}),
    )
    ask("update-omits", AGENT, "PUT", RATE, without_env(ask))
    ask("patch-merge", AGENT, "PATCH", RATE, {"metadata": {"labels": {"seen": "yes"}}}, **MERGE)
    ask("patch-strategic", AGENT, "PATCH", RATE, an_image("2.4.1"), **STRATEGIC)
    ask(
        "patch-json",
        AGENT,
        "PATCH",
        RATE,
        [{"op": "replace", "path": "/spec/replicas", "value": 3}],
        **JSON_PATCH,
    )


def applies(ask: Any) -> None:
    applied = json.dumps(a_deployment("rate", "hotel/rate:2.4.2"))
    ask("apply-conflict", AGENT, "PATCH", f"{RATE}?fieldManager=k", applied, **APPLY)
    ask("apply", AGENT, "PATCH", f"{RATE}?fieldManager=k&force=true", applied, **APPLY)
    new = json.dumps(an_object("ConfigMap", "applied", "hotel", data={"a": "1"}))
    ask("apply-creates", AGENT, "PATCH", f"{HOTEL}/configmaps/applied?fieldManager=k", new, **APPLY)


def subresources(ask: Any) -> None:
    scale = {
        "apiVersion": "autoscaling/v1",
        "kind": "Scale",
        "spec": {"replicas": 0},
        "metadata": {"name": "rate", "namespace": "hotel"},
    }
    ask("scale", AGENT, "PUT", f"{RATE}/scale", scale)
    ask("scale-patch", AGENT, "PATCH", f"{RATE}/scale", {"spec": {"replicas": 1}}, **MERGE)
    debug = {"name": "debug", "image": "busybox:1"}
    ask(
        "debug-container",
        AGENT,
        "PATCH",
        f"{POD_1}/ephemeralcontainers",
        {"spec": {"ephemeralContainers": [debug]}},
        **STRATEGIC,
    )
    ask(
        "resize",
        AGENT,
        "PATCH",
        f"{POD_1}/resize",
        {"spec": {"containers": [{"name": "rate", "resources": {"requests": {"cpu": "1m"}}}]}},
        **STRATEGIC,
    )


def near_misses(ask: Any) -> None:
    ask("not-found", AGENT, "PATCH", f"{HOTEL}/configmaps/none", {"data": {}}, **MERGE)
    ask(
        "conflict",
        AGENT,
        "PUT",
        SETTINGS,
        {
            **an_object("ConfigMap", "settings", "hotel"),
            "metadata": {"name": "settings", "resourceVersion": "1"},
        },
    )
    ask(
        "invalid",
        AGENT,
        "PATCH",
        RATE,
        {"spec": {"selector": {"matchLabels": {"a": "b"}}}},
        **MERGE,
    )
    ask(
        "elsewhere",
        AGENT,
        "PATCH",
        f"{CORE}/namespaces/finance",
        {"metadata": {"labels": {"a": "b"}}},
        **MERGE,
    )


def deletions(ask: Any) -> None:
    maps = f"{HOTEL}/configmaps"
    ask("dry-delete-query", AGENT, "DELETE", f"{maps}/old{DRY}")
    ask("dry-delete-body", AGENT, "DELETE", f"{maps}/old", ALL)
    ask("dry-collection", AGENT, "DELETE", maps, ALL)
    ask("dry-create", AGENT, "POST", f"{maps}{DRY}", an_object("ConfigMap", "dry", "hotel"))
    ask("dry-patch", AGENT, "PATCH", f"{RATE}{DRY}", an_image("9"), **STRATEGIC)
    ask(
        "dry-apply",
        AGENT,
        "PATCH",
        f"{RATE}{DRY}&fieldManager=k&force=true",
        json.dumps(a_deployment("rate", "hotel/rate:9")),
        **APPLY,
    )
    ask(
        "dry-evict-inside",
        AGENT,
        "POST",
        f"{PODS}/rate-2/eviction",
        an_eviction("rate-2", dryRun=["All"]),
    )
    ask("dry-evict-query", AGENT, "POST", f"{PODS}/rate-2/eviction{DRY}", an_eviction("rate-2"))
    # The query says so, but the body is what counts: it is deleted.
    ask(
        "delete-said-dry",
        AGENT,
        "DELETE",
        f"{maps}/old{DRY}",
        {"kind": "DeleteOptions", "apiVersion": "v1"},
    )
    ask("gone-after-that", AGENT, "GET", f"{maps}/old")
    ask("evict", AGENT, "POST", f"{PODS}/rate-2/eviction", an_eviction("rate-2"))
    ask("delete-pod", AGENT, "DELETE", f"{PODS}/rate-3")
    ask("delete", AGENT, "DELETE", f"{maps}/note")
    ask("collection", AGENT, "DELETE", f"{maps}?labelSelector=a%3Db")


def broken_guard(ask: Any) -> None:
    """A write that ends in the server's own error."""
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    config = {"url": f"https://{ADDRESS}:9/validate"}
    rule = {
        "apiGroups": [""],
        "apiVersions": ["v1"],
        "resources": ["configmaps"],
        "operations": ["UPDATE"],
    }
    hook = {
        "name": "a.example.com",
        "clientConfig": config,
        "rules": [rule],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 1,
    }
    guard = an_object(
        "ValidatingWebhookConfiguration", "guard", version=hooks.split("/", 2)[2].rpartition("/")[0]
    )
    ask("guard", AGENT, "POST", hooks, guard | {"webhooks": [hook]})
    for _ in range(50):  # it counts from when the server has heard of it
        status, _ = ask("server-error", AGENT, "PATCH", SETTINGS, {"data": {"e": "5"}}, **MERGE)
        if status >= 500:
            break
    ask("guard-removed", AGENT, "DELETE", f"{hooks}/guard")


def streams(server: ApiServer) -> None:
    server.upgrade("exec", AGENT, f"{POD_1}/exec?command=cat&command=%2Fetc%2Fhosts&stdout=1")
    server.upgrade("exec-dry", AGENT, f"{POD_1}/exec?command=id&stdout=1&dryRun=All")
    server.upgrade("attach", AGENT, f"{POD_1}/attach?stdout=1")
    server.upgrade("port-forward", AGENT, f"{POD_1}/portforward")
    server.upgrade("exec-not-found", AGENT, f"{PODS}/none/exec?command=id&stdout=1")
    server.ask("proxy", AGENT, "GET", f"{PODS}/rate-1:{POD}/proxy/")
    server.ask("proxy-post", AGENT, "POST", f"{PODS}/rate-1:{POD}/proxy/admin", {"a": 1})
    server.ask("proxy-not-found", AGENT, "GET", f"{PODS}/none:{POD}/proxy/")


PARTS = (
    looks,
    writes,
    applies,
    subresources,
    near_misses,
    deletions,
    broken_guard,
)
"""But for streams, and for others' identities, which change what the others find."""
