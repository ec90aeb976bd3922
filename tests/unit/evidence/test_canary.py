import subprocess
import sys
from pathlib import Path

from faultyard.evidence import canary


def test_the_canary_tells_second_after_second_how_late_it_woke_up_and_what_was_used(
    tmp_path: Path,
) -> None:
    usage = tmp_path / "cpuacct.usage"
    usage.write_text("1500000000\n")
    argv = [sys.executable, "-S", "-E", canary.__file__, str(usage)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().split() for _ in range(3)]
        process.kill()
    seconds = [int(line[0]) for line in lines]
    assert seconds == list(range(seconds[0], seconds[0] + 3))
    assert all(float(line[1]) >= 0 for line in lines)
    totals = [int(line[2]) for line in lines]
    assert totals == sorted(totals)
    assert {line[4] for line in lines} == {"1.5000"}


def test_a_cells_processor_time_is_read_from_either_version_of_cgroups(tmp_path: Path) -> None:
    old, new = tmp_path / "cpuacct.usage", tmp_path / "cpu.stat"
    old.write_text("2500000000\n")
    new.write_text("usage_usec 2500000\nuser_usec 2000000\n")
    assert canary.cell_seconds(old) == canary.cell_seconds(new) == 2.5
