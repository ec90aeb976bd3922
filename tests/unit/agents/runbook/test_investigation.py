"""Whole investigations on a cluster that is played."""

from __future__ import annotations

import json
from typing import Any

import pytest

from faultyard.agents.runbook import recovery, repairs
from faultyard.agents.runbook.investigation import Investigation
from faultyard.agents.runbook.tools import Answer
from faultyard.model.diagnosis import submission
from unit.agents.runbook import played
from unit.agents.runbook.played import Manifest, Played, nodes_answer


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repairs, "LOOK_S", 0.001)
    monkeypatch.setattr(recovery, "MEASURED_S", 0.01)
    monkeypatch.setattr(recovery, "LOGGED_S", 0.01)


def investigate(tools: Played) -> str:
    return Investigation(tools, lambda _: None, lambda _: None).run()


def reported(tools: Played) -> dict[str, Any] | None:
    """The one report, as the server would read it."""
    sent = tools.asked("report_cause")
    assert len(sent) <= 1
    return submission.read(sent[0]).model_dump() if sent else None


def order(tools: Played) -> list[str]:
    """The calls that change something, with reports and resolutions among them."""
    writing = ("patch", "create", "delete", "set", "rollout", "apply", "scale")
    found = []
    for name, arguments in tools.calls:
        words = [*arguments.get("args", ()), *arguments.get("command", "").split()]
        if name in {"report_cause", "resolve"}:
            found.append(name)
        elif set(words) & {*writing, "sudo"}:
            found.append("write")
    return found


def broken_port() -> list[Manifest]:
    """The Service cart sends to 8089, and cart listens on 8080."""
    rest = [m for m in played.shop() if (m["kind"], m["metadata"]["name"]) != ("Service", "cart")]
    return [*rest, played.service("cart", 8080, 8089), played.slice_("cart", 8080)]


def test_a_port_on_which_nobody_listens_is_found_reported_and_set_right() -> None:
    tools = Played(broken_port(), node=nodes_answer((8080,)))
    assert "what can be seen is as it should be" in investigate(tools)
    said = reported(tools)
    assert said is not None
    (cause,) = said["causes"]
    assert cause["component"] == "Service/shop/cart"
    assert cause["mechanism"] == "service_port_mismatch"
    assert (cause["setting"], cause["observed"], cause["expected"]) == (
        "spec.ports[http].targetPort",
        8089,
        8080,
    )
    assert said["affected"] == ["Deployment/shop/cart", "Deployment/shop/web"]
    assert said["impact"] == ["requests_fail"]
    assert order(tools) == ["report_cause", "write", "resolve"]
    (patch,) = [a["args"] for a in tools.asked("kubectl") if "patch" in a["args"]]
    assert json.loads(patch[-1]) == [
        {"op": "test", "path": "/spec/ports/0/targetPort", "value": 8089},
        {"op": "replace", "path": "/spec/ports/0/targetPort", "value": 8080},
    ]


def with_a_neighbour(log: str) -> Played:
    """The shop with the wrong port, beside the namespace club, whose only workload asks web."""
    club = [*played.deployment("club", env={"SHOP": "http://web.shop:8080"})]
    for each in club:
        each["metadata"]["namespace"] = "club"
    tools = Played([*broken_port(), *club], node=nodes_answer((8080,)))
    said = {"app=web": "dial cart:8080: connection refused", "app=club": log}
    tools.kubectl = lambda args, _: Answer(said.get(args[4], "") if args[0] == "logs" else "")
    return tools


@pytest.mark.parametrize(
    ("log", "suffers"),
    [
        ("", False),
        ('Get "http://elsewhere.net:80": connection refused', False),
        ('Get "http://web.shop:8080/offers": context deadline exceeded', True),
    ],
)
def test_who_asks_from_another_namespace_is_affected_only_if_it_complains(
    log: str, suffers: bool
) -> None:
    tools = with_a_neighbour(log)
    investigate(tools)
    said = reported(tools)
    assert said is not None
    own = ["Deployment/shop/cart", "Deployment/shop/web"]
    assert said["affected"] == ["Deployment/club/club"] * suffers + own


def test_a_repair_after_which_users_still_fail_is_taken_back() -> None:
    failing = {"labels": {"outcome": "failed"}, "value": "1"}
    served = {"labels": {"outcome": "ok"}, "value": "1"}
    telemetry = {"metrics_query": [failing, served], "alerts": []}
    tools = Played(broken_port(), node=nodes_answer((8080,)), telemetry=telemetry)
    assert "it was taken back" in investigate(tools)
    patches = [json.loads(a["args"][-1]) for a in tools.asked("kubectl") if "patch" in a["args"]]
    assert [patch[1]["value"] for patch in patches] == [8080, 8089]


def complaining(calls_before_silence: int) -> Played:
    """The shop with the wrong port, where web's log names cart until its port is right."""
    tools = Played(broken_port(), node=nodes_answer((8080,)))
    left = [calls_before_silence]

    def kubectl(args: list[str], _stdin: str) -> Answer:
        if args[0] == "logs" and "app=web" in args:
            left[0] -= 1
            return Answer("dial cart:8080: connection refused" if left[0] >= 0 else "served")
        return Answer("")

    tools.kubectl = kubectl
    return tools


def test_without_figures_the_callers_logs_tell_whether_it_helped() -> None:
    assert "users are served again" in investigate(complaining(1))
    assert "it was taken back" in investigate(complaining(100))


def test_when_the_best_founded_repair_does_not_help_the_next_is_tried() -> None:
    tools = Played(broken_port(), node=nodes_answer((8080,)))
    lost = "cart:8080: connection refused\nstock:8080: deadline exceeded"
    tools.kubectl = lambda args, _: Answer(lost if "app=web" in args else "")
    low = {"resources": {"limits": {"cpu": "50m"}}}
    before: Manifest = {"name": "stock", "resources": {"limits": {"cpu": "1"}}}
    tools.manifests = [m for m in tools.manifests if not m["metadata"]["name"].startswith("stock")]
    tools.manifests += [*played.deployment("stock", container=low), played.service("stock")]
    tools.manifests.append(played.revision("stock", 3, before))
    path = "/sys/fs/cgroup/cpu/podx/id-of-stock/cpu.stat"
    counters = [
        f"a {path} nr_periods 10 nr_throttled 10",
        f"b {path} nr_periods 90 nr_throttled 50",
    ]
    usual = tools.node
    tools.node = lambda name, command: (
        Answer("\n".join(counters)) if "cpu.stat" in command else usual(name, command)
    )
    investigate(tools)
    targets = [a["args"][3:5] for a in tools.asked("kubectl") if "patch" in a["args"]]
    # Each is taken back.
    assert targets == [["service", "cart"]] * 2 + [["deployment", "stock"]] * 2
    assert order(tools) == ["report_cause", *["write"] * 4, "resolve"]


def test_a_refused_repair_is_told_and_the_incident_is_resolved_all_the_same() -> None:
    refused = Answer("error: you may not", failed=True)
    tools = Played(broken_port(), node=nodes_answer((8080,)), kubectl=lambda _a, _i: refused)
    assert "you may not" in investigate(tools)
    assert order(tools) == ["report_cause", "write", "resolve"]


def test_where_nothing_is_wrong_and_nothing_is_watched_no_cause_is_named() -> None:
    tools = Played(played.shop(), node=nodes_answer())
    assert "not found" in investigate(tools)
    assert reported(tools) is None
    assert order(tools) == ["resolve"]


def test_where_nothing_is_wrong_and_telemetry_agrees_that_is_the_answer() -> None:
    served = {"labels": {"outcome": "ok"}, "value": "12"}
    telemetry = {"alerts": [], "metrics_query": [served]}
    tools = Played(played.shop(), node=nodes_answer(), telemetry=telemetry)
    investigate(tools)
    said = reported(tools)
    assert said is not None
    assert [cause["mechanism"] for cause in said["causes"]] == ["no_fault"]
    assert order(tools) == ["report_cause", "resolve"]


def test_a_kubelet_that_is_down_is_started() -> None:
    cluster = [m for m in played.shop() if m["metadata"]["name"] != "node-1"]
    tools = Played([*cluster, played.node("node-1", ready=False)])
    usual = nodes_answer(down=("node-1",))

    def answer(name: str, command: str) -> Answer:
        if command == "sudo systemctl start kubelet":
            tools.manifests[-1] = played.node("node-1")
        return usual(name, command)

    tools.node = answer
    investigate(tools)
    said = reported(tools)
    assert said is not None
    (cause,) = said["causes"]
    assert (cause["component"], cause["mechanism"]) == ("Node//node-1", "node_agent_down")
    assert (cause["observed"], cause["expected"]) == ("inactive", "active")
    assert order(tools) == ["report_cause", "write", "resolve"]


def throttled(share: str) -> dict[str, list[dict[str, Any]]]:
    labels = {"namespace": "shop", "pod": "cart-0", "container": "cart"}
    firing = {"alert": "LatencyHigh", "state": "firing", "labels": {"severity": "page"}}
    return {"metrics_query": [{"labels": labels, "value": share}], "alerts": [firing]}


def test_a_limit_that_throttles_is_set_back_to_what_an_earlier_revision_had() -> None:
    low = {"name": "cart", "resources": {"limits": {"cpu": "50m", "memory": "128Mi"}}}
    before: Manifest = {"name": "cart", "image": "registry/cart:0"}
    before["resources"] = {"limits": {"cpu": "1"}, "requests": {"cpu": "40m"}}
    rest = [m for m in played.shop() if not m["metadata"]["name"].startswith("cart")]
    cluster = [*rest, played.service("cart"), *played.deployment("cart", container=low)]
    tools = Played(
        [*cluster, played.revision("cart", 8, low), played.revision("cart", 7, before)],
        alert="Requests are answered too late.",
        node=nodes_answer(),
        telemetry=throttled("0.8"),
    )
    investigate(tools)
    said = reported(tools)
    assert said is not None
    (cause,) = said["causes"]
    assert (cause["component"], cause["mechanism"]) == ("Deployment/shop/cart", "cpu_limit_too_low")
    assert (cause["observed"], cause["expected"]) == ("50m", "1")
    assert said["impact"] == ["requests_slow"]
    patch = next(a["args"] for a in tools.asked("kubectl") if "patch" in a["args"])
    (container,) = json.loads(patch[-1])["spec"]["template"]["spec"]["containers"]
    assert container == {
        "name": "cart",
        "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "40m"}},
    }


def test_a_little_throttling_is_nobodys_cause() -> None:
    tools = Played(played.shop(), node=nodes_answer(), telemetry=throttled("0.1"))
    investigate(tools)
    assert reported(tools) is None


def shop_with_database(succeeded: int = 1) -> list[Manifest]:
    login = {"valueFrom": {"secretKeyRef": {"name": "stock-db", "key": "password"}}}
    admin = {"valueFrom": {"secretKeyRef": {"name": "db-admin", "key": "password"}}}
    env = [{"name": "DB", "value": "db:5432"}, {"name": "PASSWORD", **login}]
    job = played._made("Job", "db-init", {"status": {"succeeded": succeeded}})
    words = {"name": "init", "env": [*env, {"name": "ADMIN_PASSWORD", **admin}]}
    job["spec"] = {"template": {"spec": {"containers": [words]}}}
    rest = [m for m in played.shop() if not m["metadata"]["name"].startswith("stock")]
    stock = played.deployment("stock", container={"env": env})
    db = played.deployment("db", 5432, kind="StatefulSet")
    return [*rest, *stock, *db, played.service("stock"), played.service("db", 5432), job]


def database(tools: Played, manifest: dict[str, Any]) -> None:
    def kubectl(args: list[str], stdin: str) -> Answer:
        if args[0] == "logs":
            lost = 'db:5432: password authentication failed for user "stock"'
            return Answer(lost if "app=stock" in args else "")
        if args[2:4] == ["get", "secret"]:
            if "base64decode" in args[-1]:
                return Answer("stock" if '"username"' in args[-1] else "a password was read")
            stamps = f"{played.STAMP} {played.STAMP}"
            return Answer("password\nusername\n" if "go-template" in args[-1] else stamps)
        if args[2:4] == ["get", "job"]:
            return Answer(json.dumps(manifest))
        return Answer("done")

    tools.kubectl = kubectl


JOB = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "db-init", "namespace": "shop", "uid": "1", "resourceVersion": "2"},
    "spec": {
        "backoffLimit": 6,
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "1"}},
        "template": {
            "metadata": {"labels": {"controller-uid": "1", "app": "db-init"}},
            "spec": {"containers": [{"name": "init"}]},
        },
    },
    "status": {"succeeded": 1},
}


def test_a_login_that_is_refused_is_made_again_by_the_job_that_made_it() -> None:
    tools = Played(shop_with_database(), node=nodes_answer((8080, 5432)))
    database(tools, JOB)
    investigate(tools)
    said = reported(tools)
    assert said is not None
    (cause,) = said["causes"]
    assert cause["component"] == "StatefulSet/shop/db"
    assert cause["mechanism"] == "database_account_missing"
    assert cause["setting"] == "user stock"
    assert said["affected"] == [f"Deployment/shop/{name}" for name in ("cart", "stock", "web")]
    made = next(a for a in tools.asked("kubectl") if "create" in a["args"])
    job = json.loads(made["stdin"])
    assert job["metadata"] == {"name": "db-init-again", "namespace": "shop"}
    assert "selector" not in job["spec"]
    assert job["spec"]["template"]["metadata"]["labels"] == {"app": "db-init"}
    assert any(a["args"][-3:] == ["delete", "job", "db-init-again"] for a in tools.asked("kubectl"))


def test_without_a_job_that_made_the_account_nothing_is_changed() -> None:
    tools = Played(shop_with_database(succeeded=0), node=nodes_answer((8080, 5432)))
    database(tools, JOB)
    assert "nothing that is known justifies a change" in investigate(tools)
    assert order(tools) == ["report_cause", "resolve"]
