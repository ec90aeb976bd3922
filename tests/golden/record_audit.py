"""Asks a real API server for everything that the matcher tells apart, and keeps its audit log."""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from faultyard.clusters import embedded
from golden import asked, asked_as_others
from golden.api_server import ADDRESS, ApiServer
from golden.bodies import (
    ADMIN,
    AGENT,
    APPS,
    CORE,
    HOTEL,
    MERGE,
    PODS,
    a_deployment,
    a_pod,
    an_object,
)

FILE = Path(__file__).parent / "audit" / "requests.jsonl.xz"
CELL = Path(embedded.__file__).parent


def prepare(server: ApiServer) -> None:
    """Make what the requests are about."""

    def made(path: str, body: Any, user: str = ADMIN) -> None:
        status, answer = server.ask("setup", user, "POST", path, body)
        if status not in (200, 201, 409):
            raise RuntimeError(f"{path}: {answer}")

    rbac = "/apis/rbac.authorization.k8s.io/v1"
    text = (CELL / "manifests" / "10-access.yaml").read_text(encoding="utf-8")
    for raw in yaml.safe_load_all(text):
        made(f"{rbac}/{raw['kind'].lower()}s", raw)
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "sre-oncall"}
    subjects = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": AGENT}]
    binding = an_object("ClusterRoleBinding", "sre-oncall", version=f"{rbac[6:]}")
    made(f"{rbac}/clusterrolebindings", binding | {"roleRef": role, "subjects": subjects})
    for name in ("hotel", "finance"):
        made(f"{CORE}/namespaces", an_object("Namespace", name))
        made(
            f"{CORE}/namespaces/{name}/serviceaccounts",
            an_object("ServiceAccount", "default", name),
        )
    addresses = [{"type": "InternalIP", "address": ADDRESS}]
    node = an_object("Node", "worker-1")
    made(f"{CORE}/nodes", node)
    status = {"status": {"addresses": addresses}}
    server.ask("setup", ADMIN, "PATCH", f"{CORE}/nodes/worker-1/status", status, **MERGE)
    for name in ("rate-1", "rate-2", "rate-3"):
        small = {"requests": {"cpu": "10m"}}
        pod = a_pod(name, nodeName="worker-1")
        pod["spec"]["containers"][0]["resources"] = small
        made(PODS, pod)
        running = {"status": {"phase": "Running", "podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]}}
        server.ask("setup", ADMIN, "PATCH", f"{PODS}/{name}/status", running, **MERGE)
    made(f"{HOTEL}/configmaps", an_object("ConfigMap", "settings", "hotel", data={"city": "Oslo"}))
    made(f"{HOTEL}/configmaps", an_object("ConfigMap", "old", "hotel", data={"a": "1"}))
    made(f"{HOTEL}/secrets", an_object("Secret", "keys", "hotel", stringData={"a": "1"}))
    made(f"{APPS}/namespaces/hotel/deployments", a_deployment("rate"))
    role_body = an_object("Role", "reader", "hotel", rbac[6:], rules=[])
    made(f"{rbac}/namespaces/hotel/roles", role_body)


def main(kube: str, etcd: str) -> None:
    """Ask for everything, and keep what the server wrote of it."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        server = ApiServer(folder, Path(kube), Path(etcd), CELL / "audit-policy.yaml")
        try:
            prepare(server)
            for part in (*asked.PARTS, asked_as_others.refusals):
                part(server.ask)
            asked.streams(server)
            asked_as_others.identities(server.ask)
        finally:
            server.close()
        lines = server.audit.read_bytes().splitlines(keepends=True)
    labels = server.asked - {"setup", "ready"}
    kept = [line for line in lines if json.loads(line)["auditID"] in labels]
    FILE.write_bytes(lzma.compress(b"".join(kept), preset=9 | lzma.PRESET_EXTREME))
    sys.stdout.write(f"{len(kept)} lines in {FILE}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
