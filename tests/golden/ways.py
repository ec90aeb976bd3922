"""The same acts by several ways: kubectl, the tool `kubectl` over MCP, HTTP, a client library."""

from __future__ import annotations

import bisect
import contextlib
import json
import lzma
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kubernetes.client import ApiClient, Configuration
from kubernetes.client.exceptions import ForbiddenException

from faultyard.tools.running import Finished
from golden.acts import ACTS, BINDINGS, Act
from golden.api_server import ADDRESS, PORT, ApiServer
from golden.bodies import (
    ADMIN,
    AGENT,
    CORE,
    HOTEL,
    MERGE,
    POD_1,
    PODS,
    RATE,
    STRATEGIC,
    a_pod,
    an_image,
    an_object,
)
from golden.record_audit import CELL, prepare
from unit.tools.fakes import Offered

FILE = Path(__file__).parent / "audit" / "ways.jsonl.xz"
SERVER = f"https://{ADDRESS}:{PORT}"
AUTHORITY = "apiserver.crt"
"""What the API server made for itself, with the authority that signed it."""
IN_HOTEL = "-n hotel "
LIMIT_S = 90
STREAMS_END_S = 30

Way = Callable[[str, Act], object]


@dataclass(frozen=True)
class Bastion:
    """Starts kubectl as the agent; for the tools it is the sandbox."""

    folder: Path
    kubectl: Path

    def run(self, argv: Sequence[str], *, stdin: bytes, limit_s: float) -> Finished:
        assert argv[0] == "kubectl"
        done = subprocess.run(
            [self.kubectl, *argv[1:]],
            input=stdin, capture_output=True, timeout=limit_s, check=False,
            cwd=self.folder, env={"KUBECONFIG": str(_kubeconfig(self.folder))},
        )  # fmt: skip
        return Finished(done.stdout, done.stderr, done.returncode)


@contextlib.contextmanager
def by_tools(bastion: Bastion) -> Iterator[Offered]:
    """The tools' server of a turn, with real programs behind it."""
    offered = Offered(bastion.folder, runner=bastion)
    with contextlib.closing(offered.log), offered.server.thread:
        yield offered


@contextlib.contextmanager
def by_library(folder: Path) -> Iterator[ApiClient]:
    """The official client library, as the agent."""
    settings = Configuration(host=SERVER)
    settings.ssl_ca_cert = str(folder / AUTHORITY)
    settings.api_key["BearerToken"] = f"Bearer {AGENT}"
    with ApiClient(settings) as api:
        yield api


def recorded(server: ApiServer, kubectl: Path) -> list[dict[str, Any]]:
    """Do each act each way, from the same state; returns the agent's lines of each."""
    bastion = Bastion(server.folder, kubectl)
    done: list[dict[str, Any]] = []
    begun: list[str] = []
    with by_tools(bastion) as offered, by_library(server.folder) as api:

        def by_client(_name: str, act: Act) -> None:
            with contextlib.suppress(ForbiddenException):  # the server's line says so
                act.client(api)

        ways: dict[str, Way] = {
            "kubectl": lambda _name, act: bastion.run(
                ["kubectl", *shlex.split(IN_HOTEL + act.kubectl)],
                stdin=act.stdin.encode(),
                limit_s=LIMIT_S,
            ),
            "mcp": lambda _name, act: offered.call(
                "kubectl", {"args": IN_HOTEL + act.kubectl, "stdin": act.stdin}
            ),
            "http": lambda name, act: act.http(server, f"by-http-{name}"),
            "client": by_client,
        }
        for name, act in ACTS.items():
            for way, do in ways.items():
                _reset(server)
                begun.append(datetime.now(UTC).isoformat())
                do(name, act)
                outcome = {"outcome": offered.logged()[-1]["outcome"]} if way == "mcp" else {}
                done.append({"act": name, "way": way, **outcome, "lines": []})
    _await_streams(server)
    server.close()  # it ends what it is at, so that its log is whole
    for line in map(json.loads, server.audit.read_bytes().splitlines()):
        # What others asked comes between the acts, and an act is over when it was answered.
        if line["user"].get("username") == AGENT:
            received = datetime.fromisoformat(line["requestReceivedTimestamp"]).isoformat()
            done[bisect.bisect(begun, received) - 1]["lines"].append(line)
    return done


def _await_streams(server: ApiServer) -> None:
    """Wait for the second line of each stream, which is written when it ends."""
    until = time.monotonic() + STREAMS_END_S
    while open_ := _open(server):
        if time.monotonic() > until:
            raise TimeoutError(f"{STREAMS_END_S} s after all was done these go on: {open_}")
        time.sleep(0.05)


def _open(server: ApiServer) -> set[str]:
    stages: dict[str, set[str]] = {"ResponseStarted": set(), "ResponseComplete": set()}
    for line in map(json.loads, server.audit.read_bytes().splitlines()):
        stages.setdefault(line["stage"], set()).add(line["auditID"])
    return stages["ResponseStarted"] - stages["ResponseComplete"]


def _reset(server: ApiServer) -> None:
    """Make again what an act may have taken."""

    def ask(method: str, path: str, body: Any = None, **headers: str) -> None:
        server.ask("setup", ADMIN, method, path, body, **headers)

    for name in ("old", "settings", "c0", "c1", "c2"):
        ask("POST", f"{HOTEL}/configmaps", an_object("ConfigMap", name, "hotel"))
    ask("DELETE", f"{PODS}/rate-2?gracePeriodSeconds=0")
    ask("POST", PODS, a_pod("rate-2", nodeName="worker-1"))
    ask("DELETE", f"{BINDINGS}/more")
    ask("PATCH", f"{CORE}/namespaces/finance", {"metadata": {"labels": {"a": None}}}, **MERGE)
    ask("DELETE", f"{POD_1}?gracePeriodSeconds=0")
    ask("POST", PODS, a_pod("rate-1", nodeName="worker-1"))
    running = {"status": {"phase": "Running", "podIP": ADDRESS, "podIPs": [{"ip": ADDRESS}]}}
    ask("PATCH", f"{POD_1}/status", running, **MERGE)
    ask("PATCH", RATE, an_image("2.4.0"), **STRATEGIC)
    ask("PATCH", f"{RATE}/scale", {"spec": {"replicas": 2}}, **MERGE)


def _kubeconfig(folder: Path) -> Path:
    cluster = {"server": SERVER, "certificate-authority": AUTHORITY}
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
