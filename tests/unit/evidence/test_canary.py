import subprocess
import sys

from faultyard.evidence import canary


def test_the_canary_tells_second_after_second_how_late_it_woke_up() -> None:
    argv = [sys.executable, "-S", "-E", canary.__file__]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().split() for _ in range(3)]
        process.kill()
    seconds = [int(at) for at, _ in lines]
    assert seconds == list(range(seconds[0], seconds[0] + 3))
    assert all(float(lag) >= 0 for _, lag in lines)
