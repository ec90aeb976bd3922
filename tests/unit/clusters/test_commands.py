import os
import subprocess
import sys
from pathlib import Path

import pytest

from faultyard.clusters.embedded.commands import run
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for


def test_a_failing_program_is_quoted() -> None:
    with pytest.raises(ClusterError, match="exited with 3: no such thing"):
        run(["sh", "-c", "echo no such thing >&2; exit 3"])


def test_a_missing_program_tells_what_to_do() -> None:
    with pytest.raises(ClusterError, match="frobnicate is not installed; run `make setup`"):
        run(["frobnicate"])


def test_a_program_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ClusterError, match="did not end within"):
        run(["sleep", "60"], timeout_s=0.1)


def test_a_program_dies_with_the_harness_that_runs_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    program = ["sh", "-c", f"echo $$ > {pid_file}; exec sleep 60"]
    script = f"from faultyard.clusters.embedded.commands import run; run({program!r})"
    source = str(Path(__file__).parents[3] / "src")
    harness = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": source}
    )

    def started() -> tuple[int | None, str]:
        text = pid_file.read_text().strip() if pid_file.exists() else ""
        return (int(text) if text else None), "not started"

    def ended() -> tuple[bool | None, str]:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True, ""
        return (True if state == "Z" else None), state

    pid = wait_for("the program to start", started, timeout_s=20)
    harness.kill()
    harness.wait()
    assert wait_for("the program to end", ended, timeout_s=10)
