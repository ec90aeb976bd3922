"""The agent's sandbox and identity on a running cell: what it reaches and sees, how it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from faultyard.agents.agent import Turn
from faultyard.agents.command import WrongCommand, build
from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Exit, Program
from faultyard.agents.sandbox import Sandbox
from faultyard.agents.session import Session
from faultyard.clusters.api import Api
from faultyard.clusters.embedded import cgroups, layout, sshkeys
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run

TELLTALES = re.compile(r"fault(yard|s?/)|chaos|benchmark|problem|seed=|verdict|/cells", re.I)
ALERT = "Bookings fail at the front door."
pytestmark = pytest.mark.cost(2)


@dataclass
class Opened:
    """An agent's turn that is going on."""

    cell: Cell
    session: Session
    sandbox: Sandbox
    folder: Path

    def run(self, command: str, *, limit_s: float = 60, **options: Any) -> tuple[Exit, str]:
        """Run a shell command as the agent; returns how it ended and all that it printed."""
        out, err = self.folder / "out", self.folder / "err"
        program = Program(["/bin/bash", "-c", command], **options)
        ended = self.sandbox.run(program, limit_s=limit_s, stdout=out, stderr=err)
        return ended, out.read_text(errors="replace") + err.read_text(errors="replace")


def open_turn(cell: Cell, artifacts: Any, folder: Path) -> Opened:
    session = Session.open(cell, folder / "session", lifetime_s=900)
    kubectl = artifacts.binary("kubectl")
    private = [folder / "record"]
    sandbox = Sandbox.open(cell, session, kubectl=kubectl, alert=ALERT, private=private)
    return Opened(cell, session, sandbox, folder)


@pytest.fixture(scope="class")
def turn(cell: Cell, artifacts: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    opened = open_turn(cell, artifacts, tmp_path_factory.mktemp("turn"))
    yield opened
    opened.sandbox.close()
    opened.session.close()


def tcp(address: str, port: int) -> str:
    """Shell words that succeed when something accepts a connection there."""
    return f"timeout 3 bash -c '</dev/tcp/{address}/{port}'"


class TestATurnThatGoesOn:
    def test_the_api_server_answers_the_agent_under_its_own_name(self, turn: Opened) -> None:
        _, said = turn.run("kubectl auth whoami -o jsonpath='{.status.userInfo}'")
        assert '"username":"oncall"' in said
        assert turn.session.credential_id in said

    def test_it_may_repair_workloads_but_is_no_cluster_admin(self, turn: Opened) -> None:
        _, said = turn.run(
            "kubectl auth can-i patch services -n default; kubectl auth can-i '*' '*';"
            "kubectl auth can-i create clusterrolebindings; kubectl auth can-i impersonate users"
        )
        answers = [line for line in said.splitlines() if line in ("yes", "no")]
        assert answers == ["yes", "no", "no", "no"]

    def test_only_the_api_server_and_the_nodes_ssh_can_be_connected_to(self, turn: Opened) -> None:
        cell_addresses = {
            layout.GATEWAY: [22, 53, 2379, 2380, 5000, 10257, 10259],
            "172.30.0.11": [10250, 10256, 30500],
            "172.30.0.12": [10250],
            layout.API_SERVICE_IP: [443],
            layout.DNS_SERVICE_IP: [53],
            "10.240.1.1": [22],
            "1.1.1.1": [53],
        }
        targets = [(a, p) for a, ports in cell_addresses.items() for p in ports]
        script = "".join(f"if {tcp(a, p)}; then echo reached {a} {p}; fi\n" for a, p in targets)
        control = [tcp(layout.GATEWAY, layout.API_PORT)]
        control += [tcp(place.address, 22) for place in turn.cell.node_layouts]
        ended, said = turn.run(f"{script}\n{' && '.join(control)} && echo control")
        assert "reached" not in said
        assert "control" in said.splitlines()
        assert ended.code == 0

    def test_what_it_cannot_reach_is_there_for_the_harness(self, turn: Opened) -> None:
        # Without this the test above would hold for a cell in which nothing listens.
        for address, port in ((layout.GATEWAY, 5000), ("172.30.0.11", 10250)):
            argv = turn.cell.namespaces.in_network(["bash", "-c", tcp(address, port)])
            assert run(argv, check=False).returncode == 0, f"{address}:{port}"

    def test_it_has_no_other_address_and_no_ipv6(self, turn: Opened) -> None:
        _, said = turn.run("ip -o addr show; ip route; ip -6 route")
        addresses = re.findall(r"inet6? (\S+)", said)
        assert addresses == ["127.0.0.1/8", f"{layout.SANDBOX_ADDRESS}/24"]
        assert "default" not in said

    def test_every_node_lets_it_in_by_name_and_gives_it_sudo(self, turn: Opened) -> None:
        names = [place.name for place in turn.cell.node_layouts]
        loop = f'for n in {" ".join(names)}; do ssh $n "hostname; id -un; sudo id -un"; done'
        _, said = turn.run(loop)
        assert said.split() == [word for name in names for word in (name, "oncall", "root")]

    def test_the_hosts_own_folders_are_not_there(self, turn: Opened) -> None:
        own = ["/root", "/sys", "/opt", "/srv", "/boot", "/usr/local/lib", "/usr/share/doc"]
        own += ["/etc/shadow", "/var/lib", "/var/cache", str(turn.cell.state), str(turn.folder)]
        _, said = turn.run(f"for p in {' '.join(own)}; do if [ -e $p ]; then echo $p; fi; done")
        assert said == ""

    def test_it_has_no_capability_and_cannot_get_one(self, turn: Opened) -> None:
        _, said = turn.run("grep -E '^Cap' /proc/self/status; unshare -r true; unshare -n true")
        assert set(re.findall(r"Cap\w+:\s+(\w+)", said)) == {"0" * 16}
        assert said.count("unshare failed") == 2

    def test_the_hosts_kernel_settings_cannot_be_written(self, turn: Opened) -> None:
        pattern = Path("/proc/sys/kernel/core_pattern").read_text()
        _, said = turn.run("echo '|/tmp/x' > /proc/sys/kernel/core_pattern; cat /proc/self/uid_map")
        assert "denied" in said or "Read-only" in said
        assert Path("/proc/sys/kernel/core_pattern").read_text() == pattern

    def test_only_home_and_tmp_can_be_written(self, turn: Opened) -> None:
        _, said = turn.run("for p in / /etc /usr/bin /usr/local /run /var; do touch $p/x; done")
        assert said.count("cannot touch") == 6
        assert turn.run("touch ~/x /tmp/x /var/tmp/y && echo done")[1] == "done\n"

    def test_home_is_bounded(self, turn: Opened) -> None:
        _, said = turn.run("fallocate -l 2G ~/big; rm -f ~/big")
        assert "No space left" in said

    def test_nothing_that_it_can_read_about_itself_says_what_this_is(self, turn: Opened) -> None:
        _, said = turn.run(
            "env; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ /proc/[0-9]*/mountinfo"
            " /proc/self/cgroup /proc/net/unix /proc/sys/kernel/hostname /etc/* 2>/dev/null"
            " | tr '\\0' '\\n'; ls -l /proc/self/fd; ls -laR ~; ps aux"
        )
        assert "/home/oncall" in said
        assert not TELLTALES.findall(said)
        for path in (turn.cell.state, turn.folder, Path(__file__).parents[2], Path.cwd()):
            assert str(path) not in said

    def test_its_cgroup_looks_like_the_top(self, turn: Opened) -> None:
        _, said = turn.run("cut -d: -f3 /proc/self/cgroup | sort -u")
        assert said == "/\n"

    def test_the_alert_lies_in_a_file_that_a_variable_names(self, turn: Opened) -> None:
        assert (
            turn.run('cat "$ALERT_FILE"; hostname; pwd')[1] == f"{ALERT}\nbastion\n/home/oncall\n"
        )

    def test_a_program_of_the_users_is_seen_under_its_own_path(
        self, turn: Opened, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        folder = tmp_path_factory.mktemp("agent")
        folder.chmod(0o755)
        (folder / "main.py").write_text("import os; print(os.environ['MODEL'])")
        argv = ["python3", str(folder / "main.py")]
        agent = build(argv, {"MODEL": "small"}, [folder])
        out, err = turn.folder / "out", turn.folder / "err"
        ended = agent.take_turn(Turn(turn.sandbox, ALERT, 60, out, err))
        assert (ended, out.read_text()) == (Exit(0, "exit"), "small\n")

    def test_a_program_that_leads_elsewhere_is_told_before_the_turn_is_spent(
        self, turn: Opened, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        folder, elsewhere = (tmp_path_factory.mktemp(name) for name in ("agent", "elsewhere"))
        folder.chmod(0o755)
        (elsewhere / "agent").touch(0o755)
        (folder / "agent").symlink_to(elsewhere / "agent")
        agent = build([str(folder / "agent")], {}, [folder])
        out, err = turn.folder / "out", turn.folder / "err"
        with pytest.raises(WrongCommand, match="--mount"):
            agent.take_turn(Turn(turn.sandbox, ALERT, 60, out, err))

    def test_the_harness_folders_are_never_shown(self, turn: Opened) -> None:
        record = turn.folder / "record"
        record.mkdir(exist_ok=True)
        for folder in (turn.cell.state, Path(__file__).parents[2], record, turn.folder):
            with pytest.raises(UsageError, match="cannot be shown"):
                turn.run("true", mounts={folder: "/srv/agent"})

    def test_a_program_that_outlives_its_limit_is_ended(self, turn: Opened) -> None:
        ended, said = turn.run("echo begun; (trap '' TERM; sleep 300) & sleep 300", limit_s=2)
        assert ended == Exit(None, "limit")
        assert said == "begun\n"
        assert cgroups.processes(turn.sandbox.cgroup) == set()

    def test_exit_codes_are_told(self, turn: Opened) -> None:
        assert turn.run("exit 7")[0] == Exit(7, "exit")
        assert turn.run("kill -9 $$")[0] == Exit(137, "exit")

    def test_its_children_end_with_it(self, turn: Opened) -> None:
        turn.run("setsid nohup sleep 301 >/dev/null 2>&1 & disown; (sleep 301 &) ; echo away")
        assert cgroups.processes(turn.sandbox.cgroup) == set()


@dataclass
class Closed:
    """A turn that is over, whose agent left processes behind."""

    opened: Opened
    on_nodes_before: dict[str, int]


def sleepers(cell: Cell, seconds: int) -> dict[str, int]:
    """How many `sleep SECONDS` run on each node."""
    argv = ["pgrep", "-c", "-f", f"^(/usr/bin/)?sleep {seconds}$"]
    return {node.place.name: int(node.run(argv, check=False) or 0) for node in cell.nodes}


@pytest.fixture(scope="class")
def over(cell: Cell, artifacts: Any, tmp_path_factory: pytest.TempPathFactory) -> Closed:
    opened = open_turn(cell, artifacts, tmp_path_factory.mktemp("over"))
    leave = (
        "setsid nohup sleep 303 >/dev/null 2>&1 </dev/null & sudo setsid sleep 303 >&- 2>&- & "
        "sudo systemd-run --quiet sleep 303"
    )
    opened.run(f'for n in worker-1 worker-2; do ssh $n "{leave}"; done; setsid sleep 304 &')
    before = sleepers(cell, 303)
    opened.sandbox.close()
    assert opened.session.close() == ()
    return Closed(opened, before)


class TestATurnThatIsOver:
    def test_its_certificate_is_refused(self, over: Closed) -> None:
        with Api(over.opened.session.folder / "kubeconfig") as api, over.opened.cell.entered():
            assert api.request("GET", "/api/v1/nodes").status_code == 403
            assert api.request("GET", "/api/v1/namespaces/default/pods").status_code == 403

    def test_its_key_is_refused_and_the_cells_own_is_not(self, over: Closed) -> None:
        cell = over.opened.cell
        for place in cell.node_layouts:
            key = ["-i", str(over.opened.session.ssh_key), "-o", "IdentitiesOnly=yes"]
            argv = ["ssh", *key, *sshkeys.OPTIONS, f"oncall@{place.address}", "true"]
            done = run(cell.namespaces.in_network(argv), check=False)
            assert "Permission denied" in done.stderr
            assert run(cell.ssh(place.name, ["hostname"])).stdout.strip() == place.name

    def test_what_it_left_running_on_the_nodes_has_ended(self, over: Closed) -> None:
        assert over.on_nodes_before == {"worker-1": 3, "worker-2": 3}
        assert sleepers(over.opened.cell, 303) == {"worker-1": 0, "worker-2": 0}

    def test_nothing_of_the_sandbox_is_left(self, over: Closed) -> None:
        sandbox = over.opened.sandbox
        assert not [h for h in cgroups.hierarchies() if (h / sandbox.cgroup).exists()]
        assert not sandbox.parts.exists()
        said = over.opened.cell.namespaces.run(["sh", "-c", "ip netns list; ip -o link; mount"])
        assert "bastion" not in said
        assert run(["pgrep", "-f", "^sleep 304$"], check=False).stdout == ""

    def test_closing_twice_is_no_error(self, over: Closed) -> None:
        over.opened.sandbox.close()

    def test_a_link_on_a_node_leads_the_harness_nowhere(self, over: Closed, tmp_path: Path) -> None:
        node = over.opened.cell.nodes[0]
        victim = tmp_path / "authorized_keys"
        victim.write_text("precious")
        keys = "/home/oncall/.ssh/authorized_keys"
        before = node.run(["cat", keys])
        node.run(["ln", "-sf", str(victim), keys])
        node.authorize(before)
        assert victim.read_text() == "precious"
        assert node.run(["stat", "-c", "%F %U %a", keys]) == "regular file oncall 600\n"
        assert node.run(["cat", keys]) == before


def test_what_an_agent_broke_so_that_its_access_cannot_be_ended_is_told(
    cell: Cell, artifacts: Any, tmp_path: Path
) -> None:
    opened = open_turn(cell, artifacts, tmp_path)
    opened.run('ssh worker-1 "sudo mv /home/oncall /home/elsewhere"')
    opened.sandbox.close()
    said = opened.session.close()
    cell.nodes[0].run(["mv", "/home/elsewhere", "/home/oncall"])
    assert len(said) == 1
    assert said[0].startswith("the login on worker-1 could not be ended: ")
    cell.nodes[0].authorize((cell.paths.folder / "oncall.pub").read_text())
