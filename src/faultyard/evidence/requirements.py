"""Whether this machine's kernel tells what is started in a cell."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.artifacts import builds
from faultyard.clusters.embedded.artifacts.errors import NotBuilt
from faultyard.clusters.embedded.commands import WITH_US
from faultyard.clusters.embedded.namespaces import UNSHARE, Namespaces, children, start_time
from faultyard.clusters.patience import stretched
from faultyard.clusters.requirements.attempts import PRIVILEGED, own_cgroup
from faultyard.clusters.requirements.requirement import Lacking, NotTried, Requirement
from faultyard.evidence.processes import ProcessWatch

LIFE_S = 60


def recording() -> str:
    """The recorder itself, on namespaces in which nothing happens."""
    cgroups.check_writable()
    try:
        recorder = builds.ensure(build=False).binary("recorder")
    except NotBuilt as error:
        raise NotTried("its recorder is not built") from error
    with (
        tempfile.TemporaryDirectory() as folder,
        own_cgroup() as cgroup,
        _namespaces(cgroup) as spaces,
    ):
        watch = ProcessWatch.start(spaces, recorder, Path(folder) / "processes")
        watch.stop()
    if watch.unavailable:
        remedy = f"use a kernel with BPF and BTF (/sys/kernel/btf/vmlinux); else {PRIVILEGED}"
        raise Lacking(watch.unavailable.splitlines()[-1], remedy)
    return "the recorder began and ended"


@contextlib.contextmanager
def _namespaces(cgroup: str) -> Iterator[Namespaces]:
    """Namespaces like a cell's that end with this, or with this process."""
    first = f"echo made; exec sleep {stretched(LIFE_S):.0f}"
    join = cgroups.join_script(cgroup)
    argv = ["sh", "-c", f'{join} exec "$@"', "sh", *WITH_US, *UNSHARE, "sh", "-c", first]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as parent:
        try:
            if parent.stdout is None or not parent.stdout.readline():
                raise NotTried("needs namespaces")
            (pid,) = children(parent.pid)
            started = start_time(pid)
            if started is None:
                raise NotTried("needs namespaces")
            yield Namespaces(pid, started, cgroup)
        finally:
            parent.kill()


REQUIREMENTS = (
    Requirement(
        "recording of processes",
        recording,
        ("unshare", "setpriv", "nsenter"),
        without="records lack what is started on nodes and in pods",
    ),
)
