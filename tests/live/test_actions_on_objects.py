"""What people do with objects by kubectl has its effect: as somebody on call, where they may."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for
from live.actions import RESTS_ON, admin, oncall, web
from live.desk import NAMESPACE, Desk, config_map

__all__ = ["admin", "oncall", "web"]
pytestmark = [pytest.mark.long, pytest.mark.cost(3), pytest.mark.rests_on(*RESTS_ON)]


def data_of(desk: Desk, name: str) -> dict[str, str]:
    return dict(desk.get("configmap", name).get("data") or {})


def test_apply_makes_changes_and_removes_what_is_no_longer_given(oncall: Desk) -> None:
    oncall.apply(config_map("applied", one="1", two="2"))
    oncall.apply(config_map("applied", one="11"))
    assert data_of(oncall, "applied") == {"one": "11"}


def test_server_side_apply_refuses_anothers_fields_unless_forced(oncall: Desk) -> None:
    text = json.dumps(config_map("owned", size="1"))
    oncall("apply", "--server-side", "--field-manager=one", "-f", "-", text=text)
    text = json.dumps(config_map("owned", size="2"))
    second = ("apply", "--server-side", "--field-manager=two", "-f", "-")
    assert 'conflict with "one"' in oncall.refused(*second, text=text)
    oncall(*second, "--force-conflicts", text=text)
    owned = oncall.get("configmap", "owned", "--show-managed-fields")
    assert [field["manager"] for field in owned["metadata"]["managedFields"]] == ["two"]
    assert owned["data"] == {"size": "2"}


def test_diff_shows_what_apply_would_change_and_changes_nothing(oncall: Desk) -> None:
    oncall.apply(config_map("compared", size="1"))
    text = json.dumps(config_map("compared", size="2"))
    done = run(oncall.argv("diff", "-f", "-"), input_text=text, check=False)
    assert done.returncode == 1
    assert {'-  size: "1"', '+  size: "2"'} <= set(done.stdout.splitlines())
    assert data_of(oncall, "compared") == {"size": "1"}


def test_replace_leaves_nothing_of_what_was_there(oncall: Desk) -> None:
    oncall.apply(config_map("replaced", one="1", two="2"))
    oncall("replace", "-f", "-", text=json.dumps(config_map("replaced", three="3")))
    assert data_of(oncall, "replaced") == {"three": "3"}


def test_a_merge_patch_removes_what_is_null(oncall: Desk) -> None:
    oncall.apply(config_map("merged", one="1", two="2"))
    oncall("patch", "configmap", "merged", "--type=merge", "-p", '{"data":{"one":null,"two":"3"}}')
    assert data_of(oncall, "merged") == {"two": "3"}


def test_a_json_patch_holds_only_if_its_test_does(oncall: Desk) -> None:
    oncall.apply(config_map("tested", one="1"))
    change = [
        {"op": "test", "path": "/data/one", "value": "1"},
        {"op": "replace", "path": "/data/one", "value": "2"},
    ]
    patch = ("patch", "configmap", "tested", "--type=json", "-p", json.dumps(change))
    oncall(*patch)
    assert data_of(oncall, "tested") == {"one": "2"}
    oncall.refused(*patch)
    assert data_of(oncall, "tested") == {"one": "2"}


def test_a_strategic_patch_merges_lists_by_name(oncall: Desk, web: str) -> None:
    added = {"containers": [{"name": "web", "env": [{"name": "REGION", "value": "north"}]}]}
    patch = json.dumps({"spec": {"template": {"spec": added}}})
    oncall("patch", "deployment", web, "-p", patch)
    container = oncall.get("deployment", web)["spec"]["template"]["spec"]["containers"][0]
    assert container["env"] == [{"name": "REGION", "value": "north"}]
    assert container["ports"][0]["containerPort"] == 8080
    oncall("rollout", "status", f"deployment/{web}", "--timeout=90s")


def test_label_sets_changes_and_removes_what_selectors_see(oncall: Desk) -> None:
    oncall.apply(config_map("labelled"))
    oncall("label", "configmap", "labelled", "tier=back")
    chosen = ("get", "configmap", "-l", "tier=front", "-o", "name")
    assert oncall(*chosen) == ""
    oncall("label", "configmap", "labelled", "tier=front", "--overwrite")
    assert oncall(*chosen) == "configmap/labelled\n"
    oncall("label", "configmap", "labelled", "tier-")
    assert oncall(*chosen) == ""


def test_annotate_leaves_a_note(oncall: Desk) -> None:
    oncall.apply(config_map("noted"))
    oncall("annotate", "configmap", "noted", "oncall/note=seen at night")
    path = r"jsonpath={.metadata.annotations.oncall/note}"
    assert oncall("get", "configmap", "noted", "-o", path) == "seen at night"


def test_edit_saves_what_the_editor_wrote(oncall: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    oncall.apply(config_map("edited", mood="calm"))
    monkeypatch.setenv("KUBE_EDITOR", "sed -i s/calm/busy/")
    oncall("edit", "configmap", "edited")
    assert data_of(oncall, "edited") == {"mood": "busy"}


def test_a_kustomization_is_applied_with_its_changes(oncall: Desk, tmp_path: Path) -> None:
    (tmp_path / "map.yaml").write_text(yaml.safe_dump(config_map("base", one="1")))
    kustomization = {"resources": ["map.yaml"], "namePrefix": "north-", "namespace": NAMESPACE}
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    assert "name: north-base" in oncall("kustomize", str(tmp_path))
    oncall("apply", "-k", str(tmp_path))
    assert data_of(oncall, "north-base") == {"one": "1"}


def test_create_makes_secrets_that_hold_what_was_given(oncall: Desk) -> None:
    oncall("create", "secret", "generic", "made", "--from-literal=password=open sesame")
    template = "go-template={{.data.password | base64decode}}"
    assert oncall("get", "secret", "made", "-o", template) == "open sesame"


def test_delete_waits_until_the_object_is_gone(oncall: Desk) -> None:
    oncall.apply(config_map("doomed"))
    oncall("delete", "configmap", "doomed")
    assert "NotFound" in oncall.refused("get", "configmap", "doomed")


def test_get_sorts_and_chooses_columns(oncall: Desk) -> None:
    oncall.apply(config_map("sorted-b", size="1"), config_map("sorted-a", size="2"))
    oncall("label", "configmap", "sorted-a", "sorted-b", "listed=yes")
    columns = "custom-columns=NAME:.metadata.name,SIZE:.data.size"
    listed = oncall("get", "configmap", "-l", "listed", "--sort-by=.data.size", "-o", columns)
    assert [line.split() for line in listed.splitlines()] == [
        ["NAME", "SIZE"],
        ["sorted-b", "1"],
        ["sorted-a", "2"],
    ]


def test_describe_tells_an_objects_state_and_events(oncall: Desk, web: str) -> None:
    told = oncall("describe", "deployment", web)
    assert "2 desired" in told
    assert "ScalingReplicaSet" in told


def test_explain_tells_a_fields_meaning(oncall: Desk) -> None:
    told = oncall("explain", "deployment.spec.strategy.rollingUpdate.maxSurge")
    assert "FIELD: maxSurge" in told
    assert "maximum number of pods" in told


def test_discovery_lists_kinds_and_versions(oncall: Desk) -> None:
    assert "deployments.apps" in oncall("api-resources", "-o", "name").split()
    served = oncall("api-versions").split()
    assert {"metrics.k8s.io/v1beta1", "networking.k8s.io/v1"} <= set(served)


def test_auth_tells_who_one_is_and_what_one_may(oncall: Desk) -> None:
    assert "oncall" in oncall("auth", "whoami")
    assert oncall("auth", "can-i", "delete", "pods") == "yes\n"
    done = run(oncall.argv("auth", "can-i", "create", "clusterrolebindings"), check=False)
    assert (done.returncode, done.stdout) == (1, "no\n")
    assert "pods/exec" in oncall("auth", "can-i", "--list")


def test_what_is_not_allowed_is_refused(oncall: Desk) -> None:
    bind = ["create", "clusterrolebinding", "own", "--clusterrole=cluster-admin", "--user=oncall"]
    assert "forbidden" in oncall.refused(*bind)


def test_events_are_those_of_the_object_that_is_asked_for(oncall: Desk, web: str) -> None:
    told = oncall("events", "--for", f"deployment/{web}")
    assert "ScalingReplicaSet" in told
    assert "pod/" not in told.lower()


def test_the_cluster_tells_its_address_and_version(oncall: Desk) -> None:
    assert "is running at" in oncall("cluster-info")
    assert "Server Version: v1.37." in oncall("version")


def test_a_token_is_its_service_accounts(oncall: Desk) -> None:
    oncall("create", "serviceaccount", "robot")
    token = oncall("create", "token", "robot", "--duration=10m").strip()
    # A kubeconfig's certificate would come before the token.
    server = "https://172.30.0.1:6443"
    plain = ["env", "KUBECONFIG=/dev/null", oncall.cell.description.kube, "kubectl"]
    plain += [f"--server={server}", f"--certificate-authority={oncall.cell.paths.pki / 'ca.crt'}"]
    argv = oncall.cell.namespaces.in_network([*plain, f"--token={token}", "auth", "whoami"])
    assert f"system:serviceaccount:{NAMESPACE}:robot" in run(argv).stdout


def test_a_certificate_is_issued_once_it_is_approved(admin: Desk, tmp_path: Path) -> None:
    key, request = tmp_path / "key", tmp_path / "request"
    asking = ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    run([*asking, "-nodes", "-keyout", str(key), "-out", str(request), "-subj", "/CN=visitor"])
    encoded = run(["base64", "-w0", str(request)]).stdout
    spec = {"request": encoded, "usages": ["client auth"]}
    spec["signerName"] = "kubernetes.io/kube-apiserver-client"
    kind = {"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest"}
    admin.apply({**kind, "metadata": {"name": "visitor"}, "spec": spec})
    issued = ("get", "csr", "visitor", "-o", "go-template={{.status.certificate | base64decode}}")
    admin("certificate", "approve", "visitor")

    def look() -> tuple[str | None, str]:
        said = run(admin.argv(*issued), check=False).stdout
        return (said if "BEGIN CERTIFICATE" in said else None), said

    certificate = wait_for("the certificate", look, timeout_s=30)
    assert (
        "CN = visitor"
        in run(["openssl", "x509", "-noout", "-subject"], input_text=certificate).stdout
    )
    admin("delete", "csr", "visitor")


def test_a_quota_refuses_what_is_beyond_it(oncall: Desk) -> None:
    oncall("create", "quota", "few", "--hard=count/secrets=1")
    wait_for(
        "the quota to be counted",
        lambda: (oncall.get("quota", "few")["status"].get("used"), "no count"),
        timeout_s=30,
    )
    assert "exceeded quota: few" in oncall.refused("create", "secret", "generic", "beyond")
    oncall("delete", "quota", "few")


def test_kubectl_finds_its_kubeconfig_in_the_environment(
    oncall: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(oncall.kubeconfig))
    argv = [oncall.cell.description.kube, "kubectl", "config", "current-context"]
    assert run(oncall.cell.namespaces.in_network(argv)).stdout == "production\n"
