"""Waiting for a program in the sandbox; starting one there needs a cell (tests/live)."""

from __future__ import annotations

import subprocess
import threading
import time

import pytest

from faultyard.agents import processes, streams


@pytest.fixture
def stopped() -> threading.Event:
    return threading.Event()


def started(seconds: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", str(seconds)])


def test_a_program_that_ends_is_waited_for_and_reaped(stopped: threading.Event) -> None:
    process = started(0.05)
    assert processes._ends_within(process, 20, stopped)
    assert process.returncode == 0


def test_one_that_does_not_end_is_waited_for_so_long(stopped: threading.Event) -> None:
    process = started(60)
    began = time.monotonic()
    assert not processes._ends_within(process, 0.2, stopped)
    assert 0.2 <= time.monotonic() - began < 20
    process.kill()
    process.wait()


def test_one_that_escaped_the_stop_is_found_by_the_flag(
    stopped: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "STOP_LOOK_S", 0.05)
    process = started(60)
    threading.Timer(0.1, stopped.set).start()
    assert not processes._ends_within(process, 50, stopped)
    process.kill()
    process.wait()


def test_standard_input_is_read_from_its_beginning() -> None:
    fd = streams.memory_file("input", b"words\n" * 20_000)
    done = subprocess.run(["wc", "-c"], stdin=fd, capture_output=True, check=True)
    assert done.stdout.strip() == b"120000"
