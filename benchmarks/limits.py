"""What a cell may use, and what a tool call may add, against their limits.

One cell with telemetry and an application, without load. Run by `make bench`; writes
build/bench.json, a list of {name, value, unit, limit, ok, note}.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import httpx

from benchmarks.figures import Figure, figure, write
from faultyard.agents.sandbox import Sandbox
from faultyard.agents.session import Session
from faultyard.apps import applications, deployment
from faultyard.clusters.embedded import artifacts, cells, cgroups, layout
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.telemetry import site
from faultyard.trials import toolbox
from faultyard.trials.toolbox import Toolbox

SETTLED_S = 120
MEASURED_S = 60
MEMORY_MIB = 3 * 1024
IDLE_CORES = 0.5
QUERY_ADDS_MS = 20
KUBECTL_ADDS_MS = 80
QUERIES = 60
COMMANDS = 120
"""So many, as the slowest of few are chance; together no more calls than a turn may have."""
QUERY = "sum by (namespace) (kube_pod_status_ready)"
COMMAND = ("get", "pods", "-n", "kube-system")


def usage(cell: Cell) -> list[Figure]:
    """Memory and processor time of an idle cell."""
    time.sleep(SETTLED_S)
    busy, begun = _cpu_s(cell), time.monotonic()
    time.sleep(MEASURED_S)
    cores = (_cpu_s(cell) - busy) / (time.monotonic() - begun)
    note = f"mean of {MEASURED_S} s, {SETTLED_S} s after ready, no load"
    memory = cells.status(cell.name).memory_mib
    return [
        figure("idle_cpu", cores, "cores", IDLE_CORES, note),
        figure("cell_memory", memory, "MiB", MEMORY_MIB, "proportional share of all processes"),
    ]


def _cpu_s(cell: Cell) -> float:
    text = cgroups.cpu_file(cell.cgroup).read_text()
    if text.strip().isdigit():
        return int(text) / 1e9
    return int(text.split("usage_usec", 1)[1].split()[0]) / 1e6


def calls(cell: Cell, built: Artifacts) -> list[Figure]:
    """What a call by MCP adds to what it does."""
    token = "of-the-benchmark"
    alert, limit_s = "none", 900.0
    with TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        session = stack.enter_context(Session.open(cell, folder / "session", lifetime_s=limit_s))
        sandbox = stack.enter_context(
            Sandbox.open(
                cell,
                session,
                kubectl=built.binary("kubectl"),
                alert=alert,
                variables=toolbox.variables(token),
            )
        )
        tools = Toolbox(cell, session, sandbox, token, alert, limit_s, folder)
        stack.enter_context(tools)
        stack.enter_context(cell.entered())
        http = stack.enter_context(httpx.Client(trust_env=False, timeout=60))
        kubeconfig = folder / "kubeconfig"
        kubeconfig.write_text(session.kubeconfig)
        # As much preferred as what runs in the sandbox, or other work on the host would count too.
        argv = [str(built.binary("kubectl")), f"--kubeconfig={kubeconfig}"]
        kubectl = cell.namespaces.in_network(argv)
        return [_queries(http, token), _commands(http, token, kubectl)]


def _queries(http: httpx.Client, token: str) -> Figure:
    def plain() -> None:
        url = f"http://{layout.METRICS}/api/v1/query"
        http.get(url, params={"query": QUERY}).raise_for_status()

    added, note = _added(lambda: _call(http, token, "metrics_query", query=QUERY), plain, QUERIES)
    note = f"metrics_query by MCP, and its HTTP query alone: {note}"
    return figure("mcp_adds_to_query", added, "ms", QUERY_ADDS_MS, note)


def _commands(http: httpx.Client, token: str, kubectl: Sequence[str]) -> Figure:
    def plain() -> None:
        subprocess.run([*kubectl, *COMMAND], check=True, capture_output=True)

    called = partial(_call, http, token, "kubectl", args=list(COMMAND))
    added, note = _added(called, plain, COMMANDS)
    note = f"kubectl by MCP, and the same command outside the sandbox: {note}"
    return figure("mcp_adds_to_kubectl", added, "ms", KUBECTL_ADDS_MS, note)


def _call(http: httpx.Client, token: str, tool: str, **arguments: object) -> None:
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
    }
    url = toolbox.variables(token)["MCP_URL"]
    answer = http.post(url, json=request, headers=headers).raise_for_status().text
    if '"isError":true' in answer.replace(" ", "") or '"result"' not in answer:
        raise click.ClickException(f"{tool} failed: {answer}")


def _added(called: Callable[[], None], plain: Callable[[], None], pairs: int) -> tuple[float, str]:
    """How much later a call has its answer, at the 95th percentile, in milliseconds; and a note.

    The percentiles of both are compared, not the pairs: a command's own time varies so much that
    two runs of the very same one differ, at the 95th percentile, by what the note says.
    """
    called()
    plain()
    taken = [(_took_ms(called), _took_ms(plain)) for _ in range(pairs)]
    with_it, without = [one for one, _ in taken], [other for _, other in taken]
    twice = _p95([then - now for now, then in pairwise(without)])
    medians = statistics.median(with_it) - statistics.median(without)
    note = f"p95 of {pairs} against p95 without; medians differ by {medians:.0f} ms, the plain one"
    return _p95(with_it) - _p95(without), f"{note} from itself at p95 by {twice:.0f} ms"


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[min(int(0.95 * len(values)), len(values) - 1)]


def _took_ms(act: Callable[[], None]) -> float:
    start = time.monotonic()
    act()
    return (time.monotonic() - start) * 1000


@click.command()
@click.option("--app", default="hotel", show_default=True)
def main(app: str) -> None:
    """Measure once; exit with 1 when a limit is not kept."""
    name = f"limits-{os.getpid()}"
    cell, built, application = Cell(name), artifacts.ensure(build=False), applications.find(app)
    try:
        cell.up(built)
        site.start(cell, built, application.description)
        deployment.deploy(cell, application)
        figures = [*usage(cell), *calls(cell, built)]
    finally:
        cells.down(name)
    write(figures)
    sys.exit(0 if all(each.ok for each in figures) else 1)


if __name__ == "__main__":
    main()
