"""An on-call engineer's kubectl, and what it is tried on."""

from __future__ import annotations

import contextlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.waiting import wait_for
from live.kube import SERVER, TOOLBOX

NAMESPACE = "shop"


@dataclass(frozen=True)
class Desk:
    """Somebody's kubectl.

    Args:
        cell: its cluster.
        kubeconfig: whose it is.
    """

    cell: Cell
    kubeconfig: Path

    def argv(self, *words: str) -> list[str]:
        """The command line of a kubectl in the namespace."""
        kubectl = [self.cell.description.kube, "kubectl", f"--kubeconfig={self.kubeconfig}"]
        return self.cell.namespaces.in_network([*kubectl, "-n", NAMESPACE, *words])

    def __call__(self, *words: str, text: str | None = None, timeout_s: float = 150) -> str:
        """Return what it prints."""
        return run(self.argv(*words), input_text=text, timeout_s=timeout_s).stdout

    def refused(self, *words: str, text: str | None = None) -> str:
        """Return what it says when it fails, as it has to."""
        done = run(self.argv(*words), input_text=text, check=False, timeout_s=150)
        assert done.returncode != 0, done.stdout
        return str(done.stderr)

    def get(self, *words: str) -> Any:
        """What `get` finds, as data."""
        return json.loads(self("get", *words, "-o", "json"))

    def apply(self, *objects: dict[str, Any]) -> None:
        """Apply objects."""
        content = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        self("apply", "-f", "-", text=content)

    @contextlib.contextmanager
    def running(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """A kubectl that runs meanwhile; its output is a pipe."""
        process = subprocess.Popen(
            self.argv(*words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def asked(self, url: str) -> str:
        """What a program in the cell's network gets from a URL, once there is an answer."""
        argv = self.cell.namespaces.in_network(["curl", "-s", "-m", "5", url])

        def look() -> tuple[str | None, str]:
            done = run(argv, check=False)
            return done.stdout or None, f"curl ended with {done.returncode}"

        return str(wait_for(f"an answer from {url}", look, timeout_s=30, every_s=0.2))


def config_map(name: str, **data: str) -> dict[str, Any]:
    """A ConfigMap."""
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def deployment(name: str, replicas: int = 1, **container: Any) -> dict[str, Any]:
    """A Deployment of pods that answer on port 8080 and say that they have started."""
    labels = {"app": name}
    given = {
        "name": "web",
        "image": TOOLBOX,
        "command": SERVER,
        "ports": [{"containerPort": 8080}],
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}},
        **container,
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"terminationGracePeriodSeconds": 0, "containers": [given]},
            },
        },
    }


def roll_out(desk: Desk, name: str) -> None:
    """Wait until a Deployment is rolled out."""
    desk("rollout", "status", f"deployment/{name}", "--timeout=120s")


def pods_of(desk: Desk, name: str) -> list[dict[str, Any]]:
    """Pods of a Deployment that are not on their way out."""
    items = desk.get("pods", "-l", f"app={name}")["items"]
    return [pod for pod in items if "deletionTimestamp" not in pod["metadata"]]
