"""Whose processes they are, from what the recorder tells."""

from __future__ import annotations

from typing import Any

import pytest

from faultyard.evidence.lineage import Lineage
from faultyard.model.processes import Process

UID = "11111111-2222-3333-4444-555555555555"
CONTAINER = "c" * 64
PATHS = {
    1: "/cell-x",
    2: "/cell-x/worker-1/init.scope",
    3: "/cell-x/worker-1/system.slice/ssh.service",
    4: "/cell-x/worker-1/system.slice/containerd.service",
    5: f"/cell-x/worker-1/kubepods/besteffort/pod{UID}/{CONTAINER}",
    6: "/cell-x/agent/3",
    7: "/cell-x/worker-1/system.slice/cron.service",
}
SYSTEMD, SSHD, CONTAINERD, APP = 10, 11, 12, 13
NODE_NET, POD_NET = 100, 101
GREETING = "/usr/bin/env -i PATH=/usr/bin:/bin run-parts --lsbsysinit /etc/update-motd.d"


class Kernel:
    """Tells what the recorder would tell."""

    def __init__(self) -> None:
        self.lineage = Lineage("cell-x", frozenset({"worker-1"}))
        for number, path in PATHS.items():
            self.tell(cgroup={"id": number, "path": path})
        self.present(SYSTEMD, 2, NODE_NET, "/lib/systemd/systemd")
        self.present(SSHD, 3, NODE_NET, "sshd: /usr/sbin/sshd -D")
        self.present(CONTAINERD, 4, NODE_NET, "/usr/local/bin/containerd")
        self.present(APP, 5, POD_NET, "/usr/local/bin/hotel")
        self.pid = 50

    def tell(self, **line: Any) -> None:
        self.lineage.follow([line])

    def present(self, pid: int, cgroup: int, net: int, *argv: str, ppid: int = 1) -> None:
        process = {"pid": pid, "ppid": ppid, "cgroup": cgroup, "net": net, "argv": list(argv)}
        self.lineage.follow([{"process": process}, {"ready": True}])

    def fork(self, parent: int, cgroup: int, *, inside: bool = True) -> int:
        self.pid += 1
        self.tell(
            fork={"t": 1, "ppid": parent, "pid": self.pid, "inside": inside, "cgroup": cgroup}
        )
        return self.pid

    def exec(self, pid: int, cgroup: int, *argv: str, **parts: Any) -> Process:
        raw = {
            "t": 1,
            "pid": pid,
            "ppid": 1,
            "uid": 0,
            "euid": 0,
            "cgroup": cgroup,
            "net": NODE_NET,
        }
        exe = f"/usr/bin/{argv[0]}"
        self.tell(exec={**raw, "exe": exe, "argv": list(argv), "cut": False, **parts})
        return self.lineage.processes[-1]

    def login(self) -> int:
        """The SSH server's child for a connection, as far as the user's shell."""
        connection = self.fork(SSHD, 3)
        self.exec(connection, 3, "sshd", "-D", "-R")
        return self.fork(connection, 3)


@pytest.fixture
def kernel() -> Kernel:
    return Kernel()


def test_what_a_login_starts_is_one_session(kernel: Kernel) -> None:
    shell = kernel.login()
    first = kernel.exec(shell, 3, "bash", "-c", "id", uid=1000)
    second = kernel.exec(kernel.fork(shell, 3), 3, "id", uid=1000)
    assert (first.session, first.where, first.node) == ("ssh", "node", "worker-1")
    assert first.sid == second.sid != 0
    other = kernel.exec(kernel.login(), 3, "bash", uid=1000)
    assert other.sid not in (0, first.sid)


def test_a_process_that_others_adopt_or_that_changes_its_cgroup_stays_the_sessions(
    kernel: Kernel,
) -> None:
    shell = kernel.login()
    kernel.exec(shell, 3, "bash", uid=1000)
    grandchild = kernel.fork(kernel.fork(shell, 3), 3)
    hidden = kernel.exec(grandchild, 5, "sleep", "1", ppid=SYSTEMD)
    assert (hidden.session, hidden.where) == ("ssh", "pod")


def test_what_the_ssh_server_and_the_greeting_do_is_not_the_users(kernel: Kernel) -> None:
    connection = kernel.fork(SSHD, 3)
    assert kernel.exec(connection, 3, "sshd", "-D", "-R").session == "service"
    greeting = kernel.fork(connection, 3)
    text = f"{GREETING} > /run/motd.dynamic.new"
    assert kernel.exec(greeting, 3, "sh", "-c", text).session == "service"
    assert kernel.exec(kernel.fork(greeting, 3), 3, "uname").session == "service"
    shell = kernel.fork(connection, 3)
    assert kernel.exec(shell, 3, "bash").session == "ssh"
    assert kernel.exec(kernel.fork(shell, 3), 3, "sh", "-c", text).session == "ssh"


def test_a_user_cannot_pass_for_the_greeting(kernel: Kernel) -> None:
    text = f"{GREETING} > /run/motd.dynamic.new; rm /etc/hosts"
    assert kernel.exec(kernel.login(), 3, "sh", "-c", text).session == "ssh"


def test_an_ssh_server_that_was_started_anew_lets_users_in_too(kernel: Kernel) -> None:
    server = kernel.fork(SYSTEMD, 2)
    kernel.exec(server, 3, "sshd", "-D")
    connection = kernel.fork(server, 3)
    kernel.exec(connection, 3, "sshd", "-R")
    assert kernel.exec(kernel.fork(connection, 3), 3, "bash", uid=1000).session == "ssh"


def test_logins_that_were_there_before_are_logins(kernel: Kernel) -> None:
    for pid, parent in ((20, SSHD), (21, 20)):
        kernel.lineage.follow(
            [{"process": {"pid": p, "ppid": q, "cgroup": 3, "net": NODE_NET, "argv": []}}
             for p, q in ((SSHD, 1), (pid, parent))] + [{"ready": True}]
        )  # fmt: skip
    assert kernel.exec(kernel.fork(20, 3), 3, "id").session == "ssh"


def test_an_exec_into_a_pod_begins_with_its_command(kernel: Kernel) -> None:
    shim = kernel.fork(CONTAINERD, 4)
    runtime = kernel.fork(shim, 4)
    entering = kernel.exec(runtime, 4, "runc", "--root", "/run", "exec", "--detach", CONTAINER)
    assert (entering.session, entering.container_id) == ("service", CONTAINER)
    inner = kernel.fork(runtime, 4)
    own = kernel.exec(inner, 5, "runc", "init", exe="/proc/self/fd/6")
    assert own.session == "service"
    command = kernel.exec(inner, 5, "sh")
    child = kernel.exec(kernel.fork(inner, 5), 5, "cat", "/etc/hosts")
    assert (command.session, command.where, command.pod_uid) == ("exec", "pod", UID)
    assert (child.session, child.container_id) == ("exec", CONTAINER)
    assert child.sid == command.sid == runtime


def test_a_containers_own_processes_are_services(kernel: Kernel) -> None:
    shim = kernel.fork(CONTAINERD, 4)
    kernel.exec(kernel.fork(shim, 4), 4, "runc", "create", CONTAINER)
    assert kernel.exec(kernel.fork(shim, 5), 5, "hotel").session == "service"
    assert kernel.exec(kernel.fork(APP, 5), 5, "sh").session == "service"


def test_what_comes_from_outside_of_the_cell_is_the_harness(kernel: Kernel) -> None:
    outside = kernel.fork(4711, 2, inside=False)
    assert kernel.exec(outside, 2, "systemctl", "stop", "kubelet").session == "harness"
    assert kernel.exec(kernel.fork(outside, 2), 2, "sh").session == "harness"


def test_what_runs_in_the_sandbox_is_the_agents(kernel: Kernel) -> None:
    outside = kernel.fork(4711, 6, inside=False)
    kernel.exec(outside, 6, "setpriv")
    program = kernel.exec(kernel.fork(outside, 6), 6, "kubectl", "get", "pods")
    assert (program.session, program.where) == ("agent", "sandbox")


def test_of_a_process_that_nobody_told_of_it_is_not_known_whose_it_is(kernel: Kernel) -> None:
    assert kernel.exec(9999, 2, "sh").session == "other"


def test_cgroups_by_systemd_name_pods_and_containers_too(kernel: Kernel) -> None:
    pod, container = UID.replace("-", "_"), f"cri-containerd-{CONTAINER}.scope"
    path = f"/cell-x/worker-1/kubepods.slice/kubepods-besteffort-pod{pod}.slice/{container}"
    kernel.tell(cgroup={"id": 30, "path": path})
    seen = kernel.exec(kernel.fork(CONTAINERD, 30), 30, "sh")
    assert (seen.where, seen.pod_uid, seen.container_id) == ("pod", UID, CONTAINER)


def test_another_cells_cgroup_of_the_same_shape_is_not_this_cells(kernel: Kernel) -> None:
    kernel.tell(cgroup={"id": 31, "path": "/cell-y/worker-1/system.slice/ssh.service"})
    assert kernel.exec(kernel.fork(SYSTEMD, 31), 31, "sh").where == "host"


def connection(pid: int, net: int, address: str) -> dict[str, Any]:
    return {
        "t": 1.0, "until": 2.0, "pid": pid, "net": net, "address": address, "port": 8084,
        "sent": 5, "received": 7,
    }  # fmt: skip


def test_a_port_is_forwarded_by_the_runtime_in_the_pods_network(kernel: Kernel) -> None:
    kernel.tell(connection=connection(CONTAINERD, POD_NET, "127.0.0.1"))
    (forward,) = kernel.lineage.connections
    assert (forward.by, forward.node, forward.pod_uid) == ("runtime", "worker-1", UID)
    assert (forward.port, forward.sent, forward.received) == (8084, 5, 7)


def test_fetching_an_image_forwards_nothing(kernel: Kernel) -> None:
    kernel.tell(connection=connection(CONTAINERD, NODE_NET, "172.30.0.1"))
    assert kernel.lineage.connections == []


def test_a_port_of_a_pod_in_the_nodes_network_is_of_no_pod_yet(kernel: Kernel) -> None:
    kernel.tell(connection=connection(CONTAINERD, NODE_NET, "127.0.0.1"))
    (forward,) = kernel.lineage.connections
    assert (forward.node, forward.pod_uid) == ("worker-1", "")


def test_a_tunnel_through_a_login_is_one_by_ssh(kernel: Kernel) -> None:
    kernel.login()
    kernel.tell(connection=connection(51, NODE_NET, "10.240.1.9"))
    (forward,) = kernel.lineage.connections
    assert (forward.by, forward.address) == ("ssh", "10.240.1.9")


def test_a_connection_that_never_ended_has_no_figures(kernel: Kernel) -> None:
    kernel.tell(open=connection(CONTAINERD, POD_NET, "127.0.0.1"))
    (forward,) = kernel.lineage.connections
    assert (forward.until, forward.sent, forward.received) == (None, None, None)
    assert str(forward) == "port 8084, still open"
