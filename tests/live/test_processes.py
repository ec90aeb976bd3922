"""What is started in a cell, recorded from outside of it."""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from faultyard.agents.processes import Program
from faultyard.agents.sandbox import Sandbox
from faultyard.agents.session import USER, Session
from faultyard.clusters.embedded import artifacts as built
from faultyard.clusters.embedded import cgroups, namespaces
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.waiting import wait_for
from faultyard.evidence import pods
from faultyard.evidence.auditlog import AuditLog
from faultyard.evidence.processes import ProcessWatch, Recorded
from faultyard.model.processes import Process

PIDFD_GETFD = 438
IMAGE = "registry.meridian.internal:5000/toolbox:12"
POD = "look"
ECHO = "socat TCP-LISTEN:8080,fork,reuseaddr EXEC:cat"
STDIN_SCRIPT = "id -u\ncat /etc/hostname\necho builtin\n/bin/echo $((6 * 7)) 'a b'\n"
# sudo comes last, since it takes to itself what was typed ahead.
LOGIN_SCRIPT = "hostname\nsh -c 'uptime; (sleep 0.01 &)'\nexec sudo cat /etc/machine-id\n"
DEBUG_SCRIPT = "chroot /host ls /etc/kubernetes\nnproc\n"
FORWARDED = 4096
FORWARD = f"""
kubectl port-forward pod/{POD} 18080:8080 &
until (exec 3<>/dev/tcp/127.0.0.1/18080) 2>/dev/null; do kill -0 $!; done
exec 3<>/dev/tcp/127.0.0.1/18080
head -c {FORWARDED} /dev/zero >&3
head -c {FORWARDED} <&3 | wc -c
exec 3>&-
kill $!
"""


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[namespaces.Namespaces]:
    """A cell's namespaces, without a cluster in them."""
    group = f"test-{uuid.uuid4().hex[:8]}"
    pool = Pool(tmp_path)
    pool.open()
    cgroups.create(group)
    try:
        yield namespaces.create(group, "gateway", pool.root, tmp_path / "first.log")
    finally:
        cgroups.kill(group)
        cgroups.remove(group)
        pool.remove()


@pytest.mark.cost(4)
def test_every_program_is_recorded_with_its_arguments_and_nothing_of_the_host_is(
    spaces: namespaces.Namespaces, artifacts: built.Artifacts, tmp_path: Path
) -> None:
    watch = ProcessWatch.start(spaces, artifacts.binary("recorder"), tmp_path / "processes")
    subprocess.run(["/bin/true", "on the host"], check=True)
    spaces.run(["sh", "-c", "for i in $(seq 500); do /bin/true number $i; done"])
    spaces.run(["/bin/echo", "x" * 5000, "end"])
    watch.stop()
    recorded = watch.result([], pods.Pods(), USER)
    assert recorded.recording.state == "recorded"
    assert recorded.recording.lost == ()
    assert recorded.recording.taken == ()
    seen = [process.argv for process in recorded.processes]
    assert [argv for argv in seen if argv[0] == "/bin/true"] == [
        ("/bin/true", "number", str(number)) for number in range(1, 501)
    ]
    (long,) = [process for process in recorded.processes if process.argv[0] == "/bin/echo"]
    assert long.cut
    assert len(" ".join(long.argv)) == 4096
    assert {process.session for process in recorded.processes} == {"harness"}


@pytest.mark.cost(3)
def test_a_recorder_that_is_killed_leaves_a_gap_that_is_told(
    spaces: namespaces.Namespaces, artifacts: built.Artifacts, tmp_path: Path
) -> None:
    watch = ProcessWatch.start(spaces, artifacts.binary("recorder"), tmp_path / "processes")
    run(["nsenter", "-t", str(spaces.pid), "-p", "-m", "--", "pkill", "-KILL", "recorder"])
    watch.stop()
    assert watch.result([], pods.Pods(), USER).recording.state == "broken"


def recorder_of(spaces: namespaces.Namespaces) -> int:
    """The recorder of these namespaces, and of no others: trials may run beside the tests."""
    mine = f"-pid={spaces.pid}".encode()
    found = run(["pgrep", "-x", "recorder"]).stdout.split()
    (pid,) = [p for p in found if mine in Path(f"/proc/{p}/cmdline").read_bytes().split(b"\0")]
    return int(pid)


@contextlib.contextmanager
def stopped(recorder: int) -> Iterator[None]:
    """It reads nothing meanwhile. What has started it stops with it, and lets it go on."""
    parent = int(Path(f"/proc/{recorder}/stat").read_text().rpartition(")")[2].split()[1])

    def look() -> tuple[bool | None, str]:
        state = Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[0]
        return (True if state == "T" else None), state

    os.kill(recorder, signal.SIGSTOP)
    try:
        wait_for("the recorder's parent to stop", look, timeout_s=10, every_s=0.01)
        yield
    finally:
        os.kill(parent, signal.SIGCONT)


@contextlib.contextmanager
def buffer_of(recorder: int) -> Iterator[tuple[mmap.mmap, mmap.mmap]]:
    """Its buffer's pages of the reader's and of the writer's position, by its own descriptor."""
    (number,) = [
        int(entry.name)
        for entry in Path(f"/proc/{recorder}/fdinfo").iterdir()
        if "map_type:\t27\n" in entry.read_text()  # a ring buffer
    ]
    process = os.pidfd_open(recorder)
    descriptor = ctypes.CDLL(None).syscall(ctypes.c_long(PIDFD_GETFD), process, number, 0)
    assert descriptor >= 0
    size = mmap.PAGESIZE
    try:
        with (
            mmap.mmap(descriptor, size) as reader,
            mmap.mmap(descriptor, size, prot=mmap.PROT_READ, offset=size) as writer,
        ):
            yield reader, writer
    finally:
        os.close(descriptor)
        os.close(process)


@pytest.mark.cost(3)
def test_events_that_somebody_takes_from_the_recorder_are_told(
    spaces: namespaces.Namespaces, artifacts: built.Artifacts, tmp_path: Path
) -> None:
    watch = ProcessWatch.start(spaces, artifacts.binary("recorder"), tmp_path / "processes")
    recorder = recorder_of(spaces)
    with buffer_of(recorder) as (reader, writer), stopped(recorder):
        spaces.run(["/bin/true", "taken"])
        taken = _position(writer) - _position(reader)
        reader[:8] = writer[:8]
    spaces.run(["/bin/true", "left"])
    watch.stop()
    recorded = watch.result([], pods.Pods(), USER)
    assert recorded.recording.state == "recorded"
    assert taken > 0
    assert [taking.bytes for taking in recorded.recording.taken] == [taken]
    seen = [process.argv for process in recorded.processes]
    assert ("/bin/true", "left") in seen
    assert ("/bin/true", "taken") not in seen


def _position(page: mmap.mmap) -> int:
    return int.from_bytes(page[:8], sys.byteorder)


@pytest.mark.cost(3)
def test_a_host_that_cannot_record_is_told_from_a_failure(
    spaces: namespaces.Namespaces, artifacts: built.Artifacts, tmp_path: Path
) -> None:
    """Without the right to load programs the kernel is as good as one that has none."""
    weak = tmp_path / "weak"
    binary = artifacts.binary("recorder")
    dropped = "-sys_admin,-bpf,-perfmon"
    weak.write_text(f'#!/bin/sh\nexec setpriv --bounding-set={dropped} -- {binary} "$@"\n')
    weak.chmod(0o755)
    watch = ProcessWatch.start(spaces, weak, tmp_path / "processes")
    recording = watch.result([], pods.Pods(), USER).recording
    assert recording.state == "unavailable"
    assert "kernel" in recording.message


@dataclass
class Turn:
    """What the agent did, and what was recorded of it."""

    recorded: Recorded
    outputs: dict[str, str]

    def started(self, session: str) -> list[Process]:
        return [process for process in self.recorded.processes if process.session == session]

    def commands(self, session: str) -> list[Sequence[str]]:
        return [process.argv for process in self.started(session)]


@pytest.fixture(scope="module")
def turn(cell: Cell, artifacts: built.Artifacts, tmp_path_factory: pytest.TempPathFactory) -> Turn:
    """An agent that executes in a pod, logs in to a node, debugs one, and forwards a port."""
    folder = tmp_path_factory.mktemp("turn")
    kubectl = cell.kubectl()
    run([*kubectl, "run", POD, f"--image={IMAGE}", "--", *ECHO.split()])
    run([*kubectl, "wait", "--for=condition=Ready", f"pod/{POD}", "--timeout=60s"], timeout_s=70)
    audit = AuditLog(cell.paths.audit)
    audit.begin()
    watch = ProcessWatch.start(cell.namespaces, artifacts.binary("recorder"), folder / "processes")
    outputs = {}
    commands = {
        "exec": (f"kubectl exec -i {POD} -- sh", STDIN_SCRIPT),
        "ssh": ("ssh -tt worker-1", LOGIN_SCRIPT),
        "debug": (f"kubectl debug -i node/worker-2 --image={IMAGE} -- sh", DEBUG_SCRIPT),
        "forward": (FORWARD, ""),
    }
    with (
        Session.open(cell, folder / "session", lifetime_s=900) as session,
        Sandbox.open(
            cell, session, kubectl=artifacts.binary("kubectl"), alert="", private=[folder]
        ) as sandbox,
    ):
        for name, (command, stdin) in commands.items():
            out, err = folder / f"{name}.out", folder / f"{name}.err"
            program = Program(["bash", "-c", command], stdin=stdin.encode())
            sandbox.run(program, limit_s=60, stdout=out, stderr=err)
            outputs[name] = out.read_text() + err.read_text()
    # What ends a pod's processes is the kubelet; the names of pods are in the log by then.
    run([*kubectl, "delete", "pod", "--all", "--wait", "--grace-period=1"], timeout_s=60)
    watch.stop()
    names = [node.place.name for node in cell.nodes]
    return Turn(watch.result(names, pods.known([], audit.read()), USER), outputs)


@pytest.mark.cost(5)
class TestAnAgentOnNodesAndInPods:
    def test_nothing_was_lost(self, turn: Turn) -> None:
        assert (turn.recorded.recording.state, turn.recorded.recording.lost) == ("recorded", ())

    def test_a_script_that_a_shell_in_a_pod_reads_leaves_every_program(self, turn: Turn) -> None:
        assert turn.commands("exec") == [
            ("sh",),
            ("id", "-u"),
            ("cat", "/etc/hostname"),
            ("/bin/echo", "42", "a b"),
        ], turn.outputs["exec"]
        places = {(p.where, p.pod, p.container) for p in turn.started("exec")}
        assert places == {("pod", f"default/{POD}", POD)}
        assert len({process.sid for process in turn.started("exec")}) == 1

    def test_an_interactive_login_leaves_every_program(self, turn: Turn) -> None:
        (login,) = [p.sid for p in turn.started("ssh") if p.argv == ("-bash",)]
        own = [process for process in turn.started("ssh") if process.sid == login]
        seen = [process.argv for process in own]
        for argv in (
            ("hostname",),
            ("sudo", "cat", "/etc/machine-id"),
            ("cat", "/etc/machine-id"),
            ("sh", "-c", "uptime; (sleep 0.01 &)"),
            ("uptime",),
            ("sleep", "0.01"),
        ):
            assert argv in seen, turn.outputs["ssh"]
        assert {(process.where, process.node) for process in own} == {("node", "worker-1")}
        as_root = [process.argv for process in own if process.uid == 0]
        assert as_root == [("cat", "/etc/machine-id")]

    def test_a_pod_to_debug_a_node_leaves_every_program(self, turn: Turn) -> None:
        seen = turn.commands("debug")
        for argv in (("sh",), ("chroot", "/host", "ls", "/etc/kubernetes"), ("nproc",)):
            assert argv in seen, turn.outputs["debug"]
        assert ("ls", "/etc/kubernetes") in seen
        assert {p.node for p in turn.started("debug")} == {"worker-2"}
        assert {
            p.pod.startswith("default/node-debugger-worker-2") for p in turn.started("debug")
        } == {True}

    def test_a_forwarded_port_leaves_pod_port_duration_and_bytes(self, turn: Turn) -> None:
        used = [f for f in turn.recorded.forwards if f.sent]
        assert [(f.pod, f.port, f.by) for f in used] == [(f"default/{POD}", 8080, "runtime")], (
            turn.outputs["forward"]
        )
        (forward,) = used
        assert (forward.sent, forward.received) == (FORWARDED, FORWARDED)
        assert forward.until is not None
        assert 0 < forward.until - forward.t < 60

    def test_what_the_agent_runs_on_its_own_machine_is_told_apart(self, turn: Turn) -> None:
        own = turn.started("agent")
        assert {process.where for process in own} == {"sandbox"}
        assert any(process.argv[:2] == ("ssh", "-tt") for process in own)

    def test_what_the_harness_does_on_nodes_is_told_apart(self, cell: Cell, turn: Turn) -> None:
        assert all(process.session != "other" for process in turn.recorded.processes)
