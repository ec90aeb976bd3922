"""The same acts by several ways: kubectl, plain HTTP, and a client library."""

from __future__ import annotations

import json
import lzma
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from golden.api_server import ADDRESS, PORT, ApiServer
from golden.bodies import (
    ADMIN,
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
    a_pod,
    an_image,
    an_object,
)
from golden.record_audit import CELL, prepare

FILE = Path(__file__).parent / "audit" / "ways.jsonl.xz"
RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/hotel/rolebindings"
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
DEBUG = {"spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox:1"}]}}
NEW = json.dumps(a_deployment("rate", "hotel/rate:9"))

# fmt: off
# act: kubectl's words, then method, path, body and headers of the same
ACTS: dict[str, tuple[str, tuple[Any, ...], dict[str, str]]] = {
    "image": ("set image deployment/rate rate=hotel/rate:9",
              ("PATCH", RATE, an_image("9")), STRATEGIC),
    "apply": ("apply --server-side --force-conflicts -f new.json",
              ("PATCH", f"{RATE}?fieldManager=x&force=true", NEW), APPLY),
    "scale": ("scale deployment rate --replicas=0",
              ("PATCH", f"{RATE}/scale", {"spec": {"replicas": 0}}), MERGE),
    "delete-pod": ("delete pod rate-2 --wait=false", ("DELETE", f"{PODS}/rate-2"), {}),
    "delete-all": ("delete configmaps --all --wait=false", ("DELETE", f"{HOTEL}/configmaps"), {}),
    "elsewhere": ("label namespace finance a=b --overwrite",
                  ("PATCH", f"{CORE}/namespaces/finance", {"metadata": {"labels": {"a": "b"}}}),
                  MERGE),
    "rights": ("create rolebinding more --clusterrole=sre-oncall --user=oncall",
               ("POST", RBAC, BINDING), {}),
    "token": ("create token default",
              ("POST", f"{HOTEL}/serviceaccounts/default/token", TOKEN), {}),
    "dry-run": ("delete deployment rate --dry-run=server", ("DELETE", f"{RATE}{DRY}"), {}),
    "can-i": ("auth can-i delete nodes",
              ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", REVIEW), {}),
    "denied": ("delete clusterrolebinding deployers",
               ("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/deployers"), {}),
    "debug": ("debug rate-1 --image=busybox:1 -c debug --profile=baseline",
              ("PATCH", f"{POD_1}/ephemeralcontainers", DEBUG), STRATEGIC),
    "look": ("get deployment rate", ("GET", RATE), {}),
}
# fmt: on
EXEC = f"{POD_1}/exec?command=sh&command=-c&command=x&container=rate&stdout=true&stderr=true"


def recorded(server: ApiServer, kubectl: Path) -> list[dict[str, Any]]:
    """Do each act each way, from the same state; returns the agent's lines of each."""
    config = _kubeconfig(server.folder)
    words = [str(kubectl), f"--kubeconfig={config}", "-n", "hotel"]
    client = httpx.Client(
        base_url=f"https://{ADDRESS}:{PORT}",
        verify=False,
        headers={"Authorization": f"Bearer {AGENT}"},
    )

    def by_kubectl(*more: str) -> None:
        subprocess.run(
            [*words, *more], cwd=server.folder, capture_output=True, timeout=90, check=False
        )

    def by_client(method: str, path: str, body: Any, headers: dict[str, str]) -> None:
        kind = {"Content-Type": headers.get("Content_Type", "application/json")}
        content = body if isinstance(body, str) or body is None else json.dumps(body)
        client.request(method, path, content=content, headers=kind)

    found = []
    for act, (said, request, headers) in ACTS.items():
        method, path, body = (*request, None)[:3]
        ways: dict[str, Callable[[], object]] = {
            "kubectl": lambda said=said: by_kubectl(*said.split()),
            "http": lambda: server.ask("by-http", AGENT, method, path, body, **headers),  # noqa: B023
            "client": lambda: by_client(method, path, body, headers),  # noqa: B023
        }
        found += [_done(server, act, way, do) for way, do in ways.items()]
    found.append(
        _done(
            server, "exec", "kubectl", lambda: by_kubectl("exec", "rate-1", "--", "sh", "-c", "x")
        )
    )
    found.append(_done(server, "exec", "http", lambda: server.upgrade("by-http", AGENT, EXEC)))
    return found


def _done(server: ApiServer, act: str, way: str, do: Callable[[], object]) -> dict[str, Any]:
    _reset(server)
    begun = len(server.audit.read_bytes().splitlines())
    do()
    time.sleep(0.3)  # a stream is noted when it ends
    lines = map(json.loads, server.audit.read_bytes().splitlines()[begun:])
    own = [line for line in lines if line["user"].get("username") == AGENT]
    return {"act": act, "way": way, "lines": own}


def _reset(server: ApiServer) -> None:
    """Make again what an act may have taken."""

    def ask(method: str, path: str, body: Any = None, **headers: str) -> None:
        server.ask("setup", ADMIN, method, path, body, **headers)

    for number in range(5):
        ask("POST", f"{HOTEL}/configmaps", an_object("ConfigMap", f"c{number}", "hotel"))
    ask("DELETE", f"{PODS}/rate-2?gracePeriodSeconds=0")
    ask("POST", PODS, a_pod("rate-2", nodeName="worker-1"))
    ask("DELETE", f"{RBAC}/more")
    ask("PATCH", f"{CORE}/namespaces/finance", {"metadata": {"labels": {"a": None}}}, **MERGE)
    ask("DELETE", f"{POD_1}?gracePeriodSeconds=0")
    ask("POST", PODS, a_pod("rate-1", nodeName="worker-1"))
    running = {"status": {"phase": "Running", "podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]}}
    ask("PATCH", f"{POD_1}/status", running, **MERGE)
    ask("PATCH", RATE, an_image("2.4.0"), **STRATEGIC)
    ask("PATCH", f"{RATE}/scale", {"spec": {"replicas": 2}}, **MERGE)


def _kubeconfig(folder: Path) -> Path:
    (folder / "new.json").write_text(NEW, encoding="utf-8")
    cluster = {"server": f"https://{ADDRESS}:{PORT}", "insecure-skip-tls-verify": True}
    content = {
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": {"token": AGENT}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
    }  # fmt: skip
    file = folder / "kubeconfig"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def main(kube: str, etcd: str) -> None:
    """Do all, and keep what the server wrote of it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        server = ApiServer(folder, Path(kube), Path(etcd), CELL / "audit-policy.yaml")
        (folder / "kubectl").symlink_to(kube)
        try:
            prepare(server)
            found = recorded(server, folder / "kubectl")
        finally:
            server.close()
    content = "".join(json.dumps(one) + "\n" for one in found).encode()
    FILE.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{len(found)} acts in {FILE}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
