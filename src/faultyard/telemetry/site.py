"""The telemetry of one cell: started beside its control plane, ended with the cell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import httpx
import yaml

from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.pki import Identity
from faultyard.clusters.patience import stretched
from faultyard.clusters.waiting import wait_for
from faultyard.model.application import Application
from faultyard.telemetry import rules, scraping, shippers, stores
from faultyard.telemetry.stores import Process

ACCESS = Path(__file__).parent / "access.yaml"
READERS = (Identity("prometheus", "prometheus"), Identity("object-metrics", "kube-state-metrics"))
"""Who reads the cluster for the metrics."""
READY_S = 60


def start(cell: Cell, artifacts: Artifacts, application: Application | None) -> dict[str, int]:
    """Start it in a running cell; returns when every part answers.

    Args:
        cell: one that is up.
        artifacts: what set-up built.
        application: whose objectives the alerts have; None when none will run.

    Returns:
        The processes by name, with their PIDs in the cell; they are noted in its description.

    Raises:
        ClusterError: a part did not start.
    """
    _give_access(cell)
    _configure(cell, application)
    data = cell.paths.roots / "telemetry"
    cell.pool.create(data)
    started = {}
    processes = _processes(cell, artifacts, data)
    for process in processes:
        started[process.name] = _start(cell, process)
    cell.note(started)
    _wait_serving(cell, processes)
    shippers.start(cell)
    return started


def watch_users(cell: Cell) -> None:
    """Have the load's metrics read from now on."""
    _write(_synthetic(cell), json.dumps(scraping.synthetic_targets()))


def _give_access(cell: Cell) -> None:
    for identity in READERS:
        cell.authority.issue(identity)
        cell.authority.kubeconfig(identity.file)
    apply = ["apply", "--server-side", "--field-manager=kubeadm", "-f", str(ACCESS)]
    run([*cell.kubectl(), *apply])


def _configure(cell: Cell, application: Application | None) -> None:
    folder = cell.paths.telemetry
    folder.mkdir()
    rules_file = folder / "rules.yml"
    _write(rules_file, yaml.safe_dump(rules.document(application), sort_keys=False))
    config = scraping.configuration(cell.paths.pki, rules_file, _synthetic(cell))
    _write(folder / "prometheus.yml", yaml.safe_dump(config, sort_keys=False))


def _synthetic(cell: Cell) -> Path:
    return cell.paths.telemetry / "synthetic.json"


def _processes(cell: Cell, artifacts: Artifacts, data: Path) -> list[Process]:
    config = cell.paths.telemetry / "prometheus.yml"
    kubeconfig = cell.paths.pki / "object-metrics.kubeconfig"
    return [
        stores.victoria_logs(artifacts.binary("victoria-logs"), data / "logs"),
        stores.log_gateway(artifacts.binary("vlagent"), data / "log-gateway"),
        stores.jaeger(artifacts.binary("jaeger")),
        stores.object_metrics(artifacts.binary("object-metrics"), kubeconfig),
        stores.prometheus(artifacts.binary("prometheus"), config, data / "metrics"),
    ]


def _start(cell: Cell, process: Process) -> int:
    log = cell.paths.log / f"{process.name}.log"
    return cell.namespaces.start(process.name, process.command, log, env=process.environment)


def _wait_serving(cell: Cell, processes: Sequence[Process]) -> None:
    waiting = list(processes)

    def look() -> tuple[bool | None, str]:
        while waiting:
            said = _answer(http, waiting[0].health)
            if said:
                return None, f"{waiting[0].name}: {said}"
            waiting.pop(0)
        return True, ""

    hint = f"Their logs: {cell.paths.log}"
    with cell.entered(), httpx.Client(timeout=stretched(5), trust_env=False) as http:
        wait_for("the telemetry", look, timeout_s=READY_S, every_s=0.1, hint=hint)


def _answer(http: httpx.Client, url: str) -> str:
    """What keeps it from being ready; nothing when it is."""
    try:
        status = http.get(url).status_code
    except httpx.TransportError as error:
        return type(error).__name__
    return "" if status == httpx.codes.OK else f"status {status}"


def _write(path: Path, text: str) -> None:
    making = path.with_suffix(".making")
    making.write_text(text)
    making.rename(path)
