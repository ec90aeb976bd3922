"""A person's turn on the shared cell: a real terminal, doors on the host, words from elsewhere."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from faultyard.agents.agent import Turn
from faultyard.agents.human import Human, turn_file
from faultyard.agents.processes import Exit
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from live import shared
from live.cli import environment, faultyard
from live.tool_turns import open_turn

REPORT = [
    *("report-cause", "--component", "Service/hotel/x", "--mechanism", "service_port_mismatch"),
    *("--impact", "requests_fail", "--evidence", "said by hand"),
]


class Person:
    """Types at a terminal and reads what it shows."""

    def __init__(self) -> None:
        self.keys, self.screen = pty.openpty()
        self.shown = ""

    def wait(self, wanted: str, timeout_s: float = 30) -> str:
        """Read on until something is shown; returns all that was shown since the last time."""
        start, deadline = len(self.shown), time.monotonic() + timeout_s
        while not re.search(wanted, self.shown[start:]):
            assert time.monotonic() < deadline, f"no {wanted!r} in {self.shown[start:]!r}"
            if select.select([self.keys], [], [], 0.2)[0]:
                self.shown += os.read(self.keys, 4096).decode(errors="replace")
        return self.shown[start:]

    def does(self, command: str, wanted: str) -> str:
        """Type a command, and wait for what it shows and the next prompt."""
        self.types(f"{command}\n")
        return self.wait(rf"(?s){wanted}.*\$ $")

    def types(self, keys: str) -> None:
        os.write(self.keys, keys.encode())

    def close(self) -> None:
        for fd in (self.keys, self.screen):
            with suppress(OSError):
                os.close(fd)


@pytest.fixture
def person() -> Iterator[Person]:
    made = Person()
    yield made
    made.close()


@pytest.mark.cost(8)
def test_a_person_works_at_a_terminal_and_through_doors_until_the_turn_is_over(
    cell: Cell, artifacts: Artifacts, tmp_path: Path, person: Person
) -> None:
    folder = turn_file(cell.paths.folder).parent
    folder.mkdir(exist_ok=True)
    ended: list[Exit] = []
    with ExitStack() as stack:
        opened = open_turn(stack, cell, artifacts, tmp_path)
        out, err = folder / "stdout.txt", folder / "stderr.txt"
        turn = Turn(opened.sandbox, "Bookings fail.", 120, out, err, opened.tools.end)
        agent = Human(person.screen, person.screen)
        thread = threading.Thread(target=lambda: ended.append(agent.take_turn(turn)))
        thread.start()
        greeting = person.wait(r"until \d\d:\d\d:\d\d\)\S* $")
        assert "Bookings fail." in greeting
        assert "(2 minutes)" in greeting
        person.does(
            "kubectl auth whoami -o jsonpath='{.status.userInfo.username}'; echo", "oncall\r"
        )
        # A terminal of its own there too.
        person.does("ssh -t worker-1 'hostname; sudo id -un; tty'", r"worker-1\r\nroot\r\n/dev/pts")
        person.does("sleep 300 & jobs; kill %1", "Running")
        assert "no job control" not in person.shown
        person.types("bash -c 'echo begun; exec sleep 300'\n")
        person.wait(r"\nbegun|\rbegun")
        person.does("\x03echo $((40 + 2)) again", "42 again")  # the interrupt is the shell's

        url = re.search(r"http://127\.0\.0\.1:\d+/mcp", greeting)
        assert url is not None
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        token = opened.sandbox.variables["MCP_TOKEN"]
        accept = {"Accept": "application/json, text/event-stream"}
        shown = {**accept, "Authorization": f"Bearer {token}"}
        assert httpx.post(url[0], json=request, headers=accept, trust_env=False).status_code == 401
        listed = httpx.post(url[0], json=request, headers=shown, trust_env=False)
        assert "node_exec" in listed.text

        for name in ("Prometheus", "Jaeger", "VictoriaLogs"):
            door = re.search(rf"{name} +(http://127\.0\.0\.1:\d+)(/\S*)", greeting)
            assert door is not None, greeting
            with httpx.Client(trust_env=False, follow_redirects=True) as browser:
                assert browser.get(door[1] + "/").status_code == 401
                assert browser.get(door[1] + door[2]).status_code == 200
                for path in ("/metrics", "/flags", "/config", "/api/v1/status/flags"):
                    assert browser.get(door[1] + path).status_code == 403

        done = faultyard(*REPORT, state=cell.state)
        assert done.returncode == 0, done.stderr
        assert opened.tools.reports.diagnosis["causes"][0]["component"] == "Service/hotel/x"
        person.types("exit\n")
        person.wait(r"turn is over \(exit\)")
        thread.join(30)
    assert ended == [Exit(0, "exit")]
    assert "42 again" in out.read_text()
    assert faultyard("resolve", state=cell.state).returncode == 2  # no turn goes on any more


@pytest.mark.long
@pytest.mark.cost(200)
def test_a_whole_trial_of_a_person_whose_input_is_a_pipe(state: Path, tmp_path: Path) -> None:
    record = tmp_path / "record"
    typed = "report-cause --file report.json; kubectl get nodes\nresolve nothing was done\n"
    report = {"causes": [{"mechanism": "no_fault"}], "impact": ["none"], "evidence": ["a guess"]}
    words = ["run", shared.PROBLEM, "-a", "human", "--json", "-o", str(record)]
    done = subprocess.run(
        [sys.executable, "-m", "faultyard", *words],
        env=environment(state),
        input=f"cat >report.json <<'END'\n{json.dumps(report)}\nEND\n{typed}",
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "fail"
    assert json.loads((record / "trial.json").read_text())["turn_end_reason"] == "resolve"
    assert (record / "diagnosis.json").exists()
    assert "worker-1" in (record / "agent/stdout.txt").read_text()
