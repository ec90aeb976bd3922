"""The state of nodes beside the cluster: seen from the host, with the host's programs.

Whoever was root on a node may have put other programs in the place of its own; what they would say
is not asked. Only its first process is, over the node's bus, for what it runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.namespaces import entered_network
from faultyard.clusters.embedded.nodes import Node
from faultyard.clusters.errors import ClusterError
from faultyard.evidence import node_files

TIMEOUT_S: Final = 10
ETC: Final = "etc"
RUNTIME: Final = ("run/systemd/system", "run/systemd/system.control", "run/systemd/transient")
"""Where units and their settings lie that last until the next boot; some nodes have none."""
UNIT_TYPES: Final = (".service", ".socket", ".timer", ".path", ".target")
SYSTEMD: Final = "org.freedesktop.systemd1"
LIST_UNITS: Final = (
    *("call", SYSTEMD, "/org/freedesktop/systemd1"),
    *(f"{SYSTEMD}.Manager", "ListUnits"),
)
SYSCTLS: Final = Path("/proc/sys/net")
KEPT: Final = ("kube-proxy", layout.NETWORK_POLICIES)
"""Tables that programs of these names keep as pods come and go."""
MAX_VALUE: Final = 1000
"""Characters of a setting that are kept."""
ROUTES: Final = (
    "for f in -4 -6; do ip $f rule show; ip $f route show table all; done; "
    "ip -br link show; ip -br address show"
)


def take(nodes: Sequence[Node]) -> dict[str, Any]:
    """Look at all nodes at once.

    Returns:
        Node -> its state; what of it could not be seen is in its `errors`.
    """
    with ThreadPoolExecutor(max_workers=8) as pool:
        states = pool.map(_look, nodes)
        return {node.place.name: state for node, state in zip(nodes, states, strict=True)}


def _look(node: Node) -> dict[str, Any]:
    state: dict[str, Any] = {}
    errors: list[dict[str, str]] = []

    def see(part: str, look: Callable[[], Any]) -> None:
        try:
            state[part] = look()
        except (ClusterError, OSError, ValueError, LookupError, TypeError, RecursionError) as error:
            errors.append({"part": part, "message": str(error) or repr(error)})

    pid = node.first_process()
    see("etc", lambda: node_files.look(node.root, ETC))
    if pid is None:
        errors.append({"part": "all but /etc", "message": "the node does not run"})
    else:
        see("etc", lambda: state.get("etc", {}) | _runtime_files(pid))
        see("units", lambda: _units(pid))
        see("routes", lambda: _in_network(pid, ["sh", "-ec", ROUTES]).splitlines())
        see("sysctls", lambda: _sysctls(pid))
        see("firewall", lambda: _firewall(pid))
        see("mounts", lambda: _lines(Path(f"/proc/{pid}/mountinfo").read_bytes()))
    return {**state, "errors": errors}


def _runtime_files(pid: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for folder in RUNTIME:
        try:
            found |= node_files.look(Path(f"/proc/{pid}/root"), folder)
        except FileNotFoundError:
            continue
    return found


def _lines(content: bytes) -> list[str]:
    """Split at line feeds alone: names on a node may hold whatever else counts as a line's end."""
    return content.decode(errors="backslashreplace").removesuffix("\n").split("\n")


def _units(pid: int) -> dict[str, Any]:
    """Return what the node's first process says that it runs.

    Not over its own socket: it hangs up on a process that is not in its PID namespace, and one
    that is could be taken over from there.
    """
    bus = f"unix:path=/proc/{pid}/root/run/dbus/system_bus_socket"
    said = run(["busctl", f"--address={bus}", "--json=short", *LIST_UNITS], timeout_s=TIMEOUT_S)
    (units,) = json.loads(said.stdout)["data"]
    return {
        str(unit[0]): dict(zip(("load", "active", "sub"), map(str, unit[2:5]), strict=True))
        for unit in units
        if str(unit[0]).endswith(UNIT_TYPES)
    }


def _in_network(pid: int, argv: list[str]) -> str:
    enter = ["nsenter", f"--net=/proc/{pid}/ns/net", "--"]
    return run([*enter, *argv], timeout_s=TIMEOUT_S).stdout


def _firewall(pid: int) -> dict[str, Any]:
    """Return the rules without counters, table by table; what follows pods only by its digest.

    And the names of tables of the older kind, which nft does not show.
    """
    older: list[str] = []
    with entered_network(pid):
        for name in ("ip_tables_names", "ip6_tables_names"):
            file = Path("/proc/thread-self/net") / name
            older += file.read_text().split() if file.exists() else []
    tables = _tables(_in_network(pid, ["nft", "--stateless", "list", "ruleset"]).splitlines())
    proxy = {name: lines for name, lines in tables.items() if name.split()[-1] in KEPT}
    return {
        "tables": {name: "\n".join(tables[name]) for name in tables.keys() - proxy.keys()},
        "proxy": {name: _digest(lines) for name, lines in proxy.items()},
        "older_tables": sorted(set(older)),
    }


def _tables(lines: list[str]) -> dict[str, list[str]]:
    tables: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("table "):
            current = tables.setdefault(line.removeprefix("table ").removesuffix(" {"), [])
        elif line.startswith("\t"):
            current.append(line[1:])
    return tables


def _digest(lines: list[str]) -> dict[str, Any]:
    return {"lines": len(lines), "sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest()}


def _sysctls(pid: int) -> dict[str, str]:
    found = {}
    with entered_network(pid):
        for file in sorted(SYSCTLS.rglob("*")):
            try:
                value = file.read_text()
            except (OSError, UnicodeDecodeError):
                continue  # a folder, or one that can only be written
            name = node_files.printable(str(file.relative_to(SYSCTLS.parent)))
            found[name] = " ".join(value[:MAX_VALUE].split())
    return found
