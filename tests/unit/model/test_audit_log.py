"""Reading the API server's log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faultyard.model import audit, cluster_json
from faultyard.model.audit import Effect
from faultyard.model.snapshots import ResourceKind
from unit.model.world import an_event


def read(*events: dict[str, Any]) -> list[audit.Event]:
    return audit.parse(b"".join(json.dumps(event).encode() + b"\n" for event in events))


@pytest.mark.parametrize(
    ("verb", "target", "code", "effect"),
    [
        ("get", "Pod/hotel/p", 200, Effect.READ),
        ("list", "Pod/hotel/", 200, Effect.READ),
        ("get", "Pod/hotel/p/log", 200, Effect.READ),
        ("create", "Pod/hotel/p", 201, Effect.WRITE),
        ("update", "Pod/hotel/p", 200, Effect.WRITE),
        ("patch", "Deployment/hotel/d/scale", 200, Effect.WRITE),
        ("create", "Pod/hotel/p/eviction", 201, Effect.WRITE),
        ("create", "Pod/hotel/p/eviction", 429, Effect.NOTHING),
        ("delete", "Pod/hotel/p", 202, Effect.WRITE),
        ("deletecollection", "Pod/hotel/", 200, Effect.WRITE),
        ("patch", "Pod/hotel/p", 403, Effect.DENIED),
        ("patch", "Pod/hotel/p", 401, Effect.DENIED),
        ("create", "Pod/hotel/p/exec", 403, Effect.DENIED),
        ("patch", "Pod/hotel/p", 404, Effect.NOTHING),
        ("update", "Pod/hotel/p", 409, Effect.NOTHING),
        ("update", "Pod/hotel/p", 422, Effect.NOTHING),
        ("update", "Pod/hotel/p", 504, Effect.UNCERTAIN),
        ("create", "Pod/hotel/p/exec", 101, Effect.OPAQUE),
        ("get", "Pod/hotel/p/exec", 101, Effect.OPAQUE),
        ("create", "Pod/hotel/p/attach", 101, Effect.OPAQUE),
        ("create", "Pod/hotel/p/portforward", 101, Effect.OPAQUE),
        ("get", "Service/hotel/s/proxy", 200, Effect.OPAQUE),
        ("get", "Node//n/proxy", 200, Effect.OPAQUE),
        ("create", "Pod/hotel/p/proxy", 502, Effect.OPAQUE),
        ("get", "Service/hotel/s/proxy", 404, Effect.OPAQUE),
        ("create", "Service/hotel/s/proxy", 403, Effect.OPAQUE),
        ("patch", "Pod/hotel/p/ephemeralcontainers", 200, Effect.WRITE),
        ("create", "selfsubjectaccessreviews//", 201, Effect.NOTHING),
    ],
)
def test_a_request_is_classified_by_what_it_came_to(
    verb: str, target: str, code: int, effect: Effect
) -> None:
    (event,) = read(an_event(1, verb, target, code=code))
    assert event.effect is effect


@pytest.mark.parametrize(
    ("code", "parts", "effect"),
    [
        (403, {"annotations": {"authorization.k8s.io/decision": "forbid"}}, Effect.DENIED),
        (403, {"responseStatus": {"status": "Failure", "reason": "Forbidden"}}, Effect.DENIED),
        (404, {"responseStatus": {"status": "Failure", "reason": "NotFound"}}, Effect.NOTHING),
        (503, {"responseStatus": {"status": "Failure", "reason": "ServiceUnavailable"}},
         Effect.OPAQUE),
        (403, {"annotations": {"authorization.k8s.io/decision": "allow"}}, Effect.OPAQUE),
    ],
)  # fmt: skip
def test_of_what_is_passed_on_only_the_servers_own_refusal_is_one(
    code: int, parts: dict[str, Any], effect: Effect
) -> None:
    raw = an_event(1, "create", "Service/hotel/s/proxy", code=code)
    raw |= parts | {"responseStatus": {"code": code, **parts.get("responseStatus", {})}}
    (event,) = read(raw)
    assert event.effect is effect


def passed_on(place: str, path: str, verb: str = "get", code: int = 200) -> dict[str, Any]:
    kind = {"pods": "Pod", "services": "Service", "nodes": "Node"}[place.split("/")[-2]]
    target = f"{kind}/{'' if kind == 'Node' else 'hotel'}/x/proxy"
    return an_event(1, verb, target, code=code, requestURI=f"/api/v1/{place}/proxy{path}")


PODS, SERVICES, NODES = (
    "namespaces/hotel/pods/x:8088",
    "namespaces/hotel/services/https:x:web",
    "nodes/w",
)


@pytest.mark.parametrize(
    ("place", "path"),
    [
        (PODS, "/debug/metrics"),
        (PODS, "/metrics"),
        (SERVICES, "/healthz"),
        (SERVICES, "/readyz/etcd?verbose"),
        (PODS, "/livez/"),
        (PODS, "/health"),
        (PODS, "/debug/pprof/"),
        (PODS, "/debug/pprof/heap?debug=1"),
        (PODS, "/debug/readyz"),
        (PODS, "/version"),
        (NODES, "/stats/summary"),
        (NODES, "/metrics/cadvisor"),
        (NODES, "/pods"),
        (NODES, "/healthz"),
    ],
)
@pytest.mark.parametrize(
    ("verb", "code"), [("get", 200), ("head", 200), ("get", 502), ("get", 403)]
)
def test_a_get_through_the_proxy_of_what_is_only_read_by_convention_is_a_read(
    place: str, path: str, verb: str, code: int
) -> None:
    (event,) = read(passed_on(place, path, verb, code))
    assert event.effect is Effect.READ


@pytest.mark.parametrize(
    ("place", "path", "verb"),
    [
        (PODS, "/metrics", "create"),
        (PODS, "/metrics", "delete"),
        (PODS, "/metrics", "update"),
        (SERVICES, "/reservation?customerName=x", "get"),
        (SERVICES, "/", "get"),
        (SERVICES, "", "get"),
        (SERVICES, "/metrics/../reservation", "get"),
        (SERVICES, "/healthz/%2e%2e/reservation", "get"),
        (SERVICES, "//metrics", "get"),
        (SERVICES, "/reservation/metrics", "get"),
        (SERVICES, "/metricsx", "get"),
        (SERVICES, "/debug/pprof/../x", "get"),
        (SERVICES, "/debug/x", "get"),
        (SERVICES, "/stats/summary", "get"),
        (SERVICES, "/pods", "get"),
        ("namespaces/hotel/pods/x%2Fproxy%2Freservation", "/metrics", "get"),
        (NODES, "/run/hotel/x/x", "get"),
        (NODES, "/exec/hotel/x/x?command=metrics", "get"),
        (NODES, "/logs/", "get"),
    ],
)
def test_anything_else_through_the_proxy_is_opaque(place: str, path: str, verb: str) -> None:
    (event,) = read(passed_on(place, path, verb))
    assert event.effect is Effect.OPAQUE


@pytest.mark.parametrize("named", ["x", "x:", "x:8088", "x:web", "https:x:web", "http:x:"])
def test_whom_a_request_through_the_proxy_reaches_is_told_without_its_port(named: str) -> None:
    (event,) = read(an_event(1, "get", f"Service/hotel/{named}/proxy"))
    assert str(audit.target(event, {})) == "services/hotel/x"


def test_a_colon_in_any_other_name_is_part_of_it() -> None:
    (event,) = read(an_event(1, "get", "ClusterRoleBinding//system:node"))
    assert audit.target(event, {}).name == "system:node"


POD, EVICTION, DRY = "Pod/hotel/p", "Pod/hotel/p/eviction", "/api/v1/x?fieldManager=k&dryRun=All"


@pytest.mark.parametrize(
    ("verb", "target", "parts"),
    [
        ("patch", POD, {"requestURI": DRY}),
        ("delete", POD, {"requestURI": DRY}),
        ("delete", POD, {"requestObject": {"kind": "DeleteOptions", "dryRun": ["All"]}}),
        ("deletecollection", "Pod/hotel/", {"requestObject": {"dryRun": ["All"]}}),
        ("create", EVICTION, {"requestObject": {"deleteOptions": {"dryRun": ["All"]}}}),
        ("create", EVICTION, {"requestURI": DRY, "requestObject": {"deleteOptions": {}}}),
    ],
)
def test_a_dry_run_is_told_from_a_write(verb: str, target: str, parts: dict[str, Any]) -> None:
    (event,) = read(an_event(1, verb, target, **parts))
    assert event.effect is Effect.DRY_RUN


@pytest.mark.parametrize(
    ("verb", "target", "parts"),
    [
        ("delete", POD, {"requestURI": DRY, "requestObject": {"kind": "DeleteOptions"}}),
        ("deletecollection", "Pod/hotel/", {"requestURI": DRY, "requestObject": {}}),
        ("patch", POD, {"requestObject": {"kind": "DeleteOptions", "dryRun": ["All"]}}),
        (
            "create",
            POD,
            {"requestObject": {"kind": "Eviction", "deleteOptions": {"dryRun": ["All"]}}},
        ),
        ("create", EVICTION, {"requestObject": {"dryRun": ["All"]}}),
        ("delete", POD, {"requestObject": {"dryRun": 1}}),
    ],
)
def test_what_the_server_does_not_take_for_a_dry_run_is_a_write(
    verb: str, target: str, parts: dict[str, Any]
) -> None:
    (event,) = read(an_event(1, verb, target, **parts))
    assert event.effect is Effect.WRITE


def test_an_exec_is_no_dry_run_whatever_its_address_says() -> None:
    (event,) = read(an_event(1, "create", "Pod/hotel/p/exec", code=101, requestURI=DRY))
    assert event.effect is Effect.OPAQUE


def test_an_address_that_is_none_does_not_damage_the_log() -> None:
    (event,) = read(an_event(1, "get", "Pod/hotel/p", requestURI="//[?command=a"))
    assert event.command == ("a",)


def test_only_the_address_that_a_client_cannot_invent_is_its_own() -> None:
    (event,) = read(an_event(1, "get", POD, sourceIPs=["172.30.0.11", "172.30.0.200"]))
    assert event.source == "172.30.0.200"


def nested(levels: int) -> bytes:
    return b'{"a":' * levels + b"1" + b"}" * levels


@pytest.mark.parametrize("body", [b'{"a": ' + b"9" * 6000 + b"}", nested(400), nested(50_000)])
def test_a_body_too_long_or_too_deep_is_read_as_far_as_it_goes(body: bytes) -> None:
    line = json.dumps(an_event(1, "patch", POD, requestObject="BODY")).encode()
    (event,) = audit.parse(line.replace(b'"BODY"', body) + b"\n")
    assert (event.effect, event.name) == (Effect.WRITE, "p")
    assert event.request is not None
    json.dumps(event.request)


def test_what_lies_too_deep_still_shows_a_difference() -> None:
    one, other = nested(300), nested(300).replace(b"1", b"2")
    assert cluster_json.loads(one) == cluster_json.loads(one) != cluster_json.loads(other)
    assert cluster_json.loads(nested(200)) == json.loads(nested(200))


@pytest.mark.parametrize("content", [b"{" * 5000, nested(300)[:-1], nested(300) + b"}", b"\xff"])
def test_what_is_no_json_is_refused_however_deep(content: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        cluster_json.loads(content)


def test_a_request_counts_once_in_its_last_stage() -> None:
    whole = an_event(1, "create", "Pod/hotel/p/exec", code=101)
    started = whole | {"stage": "ResponseStarted"}
    (event,) = read(started, whole)
    assert event.line == 2


def test_an_exec_that_never_ended_counts_all_the_same() -> None:
    (event,) = read(an_event(1, "create", "Pod/hotel/p/exec", code=101, stage="ResponseStarted"))
    assert event.effect is Effect.OPAQUE


def test_a_write_that_made_the_server_panic_may_have_been_stored() -> None:
    (event,) = read(an_event(1, "patch", "Pod/hotel/p", code=500, stage="Panic"))
    assert event.effect is Effect.UNCERTAIN


def test_events_come_in_the_order_of_the_requests_not_of_the_answers() -> None:
    events = read(an_event(9, "get", "Pod/hotel/late"), an_event(3, "get", "Pod/hotel/early"))
    assert [event.name for event in events] == ["early", "late"]


def test_the_name_of_a_created_object_is_in_the_answer() -> None:
    (event,) = read(
        an_event(1, "create", "Pod/hotel/", responseObject={"metadata": {"name": "debug-x1"}})
    )
    assert event.name == "debug-x1"


def test_the_target_is_named_by_kind_and_cluster_wide_ones_have_no_namespace() -> None:
    kinds = {
        ("", "namespaces"): ResourceKind("Namespace", False),
        ("apps", "deployments"): ResourceKind("Deployment", True),
    }
    events = read(
        an_event(1, "patch", "Namespace//hotel"),
        an_event(2, "patch", "Deployment/hotel/rate/scale"),
        an_event(3, "deletecollection", "Deployment/hotel/"),
        an_event(4, "update", "Widget/hotel/w", requestObject={"kind": "Widget"}),
    )
    assert [str(audit.target(event, kinds)) for event in events] == [
        "Namespace//hotel",
        "Deployment/hotel/rate",
        "Deployment/hotel/*",
        "Widget.example.com/hotel/w",
    ]


def test_a_json_patch_body_is_no_trouble() -> None:
    (event,) = read(
        an_event(1, "patch", "Pod/hotel/p", requestObject=[{"op": "remove", "path": "/x"}])
    )
    assert (event.effect, event.request) == (Effect.WRITE, None)


@pytest.mark.parametrize(
    "content",
    [
        b'{"kind": "Event"',
        b'{"kind": "Event"}\n',
        b"null\n",
        b"\n",
        json.dumps({k: v for k, v in an_event(1, "get", "Pod/a/b").items() if k != "user"}).encode()
        + b"\n",
        json.dumps(an_event(1, "get", "Pod/a/b")).encode(),
    ],
)
def test_a_log_that_is_cut_off_or_none_is_refused(content: bytes) -> None:
    with pytest.raises(audit.AuditError):
        audit.parse(content)


def test_an_empty_log_has_no_events_and_an_empty_nonce_no_marker() -> None:
    assert audit.parse(b"") == []
    assert audit.marker(read(an_event(1, "get", "Pod/hotel/")), "") is None


def test_bytes_that_are_no_text_are_carried_along() -> None:
    line = json.dumps(an_event(1, "patch", "Pod/hotel/a", requestObject={"a": "X"})).encode()
    (event,) = audit.parse(line.replace(b'"X"', b'"\xff"') + b"\n")
    assert event.request == {"a": "\ufffd"}


def test_of_a_refused_body_only_its_kind_and_the_reason_stay() -> None:
    body, answer = {"kind": "Pod", "spec": "x" * 5000}, {"kind": "Status", "message": "no"}
    (event,) = read(
        an_event(1, "create", "Pod/hotel/a", code=422, requestObject=body, responseObject=answer)
    )
    assert (event.request, event.response) == ({"kind": "Pod"}, {"kind": "Status", "message": "no"})
    assert event.size > 5000
