"""The networks of pods, entered from the host: no program is started in a pod or on its node."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.namespaces import entered_network, start_time
from faultyard.clusters.errors import ClusterError


class PodNetworks:
    """Finds the network of a pod by a process of it.

    Args:
        cell: in which the pods run.
    """

    def __init__(self, cell: Cell) -> None:
        self._nodes = {node.place.name: node.cgroup for node in cell.nodes}
        self._known: dict[str, tuple[int, int]] = {}

    @contextlib.contextmanager
    def entered(self, node: str, uid: str) -> Iterator[None]:
        """The calling thread's new sockets belong to a pod's network meanwhile.

        Args:
            node: on which it runs.
            uid: the pod's.

        Raises:
            ClusterError: no process of it is there.
        """
        with entered_network(self._process(node, uid)):
            yield

    def _process(self, node: str, uid: str) -> int:
        pid, started = self._known.get(uid, (0, 0))
        if pid and start_time(pid) == started:
            return pid
        top = cgroups.machine_folder(self._nodes[node])
        for pid in processes(top, uid):
            now = start_time(pid)
            if now is not None:
                self._known[uid] = pid, now
                return pid
        raise ClusterError(f"no process of the pod {uid} runs on {node}")


def processes(top: Path, uid: str) -> Iterator[int]:
    """Yield the host PIDs of a pod's processes.

    Args:
        top: the folder of its node's cgroup.
        uid: the pod's.
    """
    # Drivers of cgroups write it with dashes, or with underscores in the name of a slice.
    own = re.compile(rf"(.*-)?pod{uid.replace('-', '[-_]')}(\.slice)?")
    for base, names, _ in os.walk(top):
        for name in names:
            if own.fullmatch(name):
                for file in sorted(Path(base, name).rglob("cgroup.procs")):
                    with contextlib.suppress(FileNotFoundError, OSError):  # it has just gone
                        yield from (int(pid) for pid in file.read_text().split() if pid != "0")
