"""The generator's process, played by small programs of this test."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from faultyard.clusters.errors import NotReady
from faultyard.load import generator as generator_module
from faultyard.load.errors import LoadError
from faultyard.load.generator import LoadGenerator, LoadSettings
from faultyard.load.tail import SecondsTail
from faultyard.model.client import DamagedClientFile
from unit.load.seconds import line

# Writes two whole seconds at once, and one that is partial when it is stopped.
WELL_BEHAVED = f"""
import pathlib, signal, sys
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
out = open(arguments["--out"], "x", buffering=1)
out.write('''{line(100)}\\n{line(101, ok=0, failed=2)}\\n''')
pathlib.Path(arguments["--ledger"]).touch()
signal.sigwait([signal.SIGTERM])
out.write('''{line(102, partial=True)}\\n''')
sys.exit("loadgen: 7 journeys")
"""
# Dies of a full disk when it is told to.
DYING = WELL_BEHAVED.replace("SIGTERM", "SIGUSR1").replace("loadgen: 7 journeys", "no space left")
SETTINGS = LoadSettings(Path("j.yaml"), Path("data"), ("a:1", "b:2"), 12, 7)

Play = Callable[..., LoadGenerator]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Makes a generator whose program is a Python text; ends what is left of it."""
    started: list[LoadGenerator] = []

    def make(program: str, *before: str) -> LoadGenerator:
        def wrap(argv: Sequence[str]) -> list[str]:
            return [*before, sys.executable, "-c", program, *argv[1:]]

        made = LoadGenerator(Path("loadgen"), SETTINGS, tmp_path / "load", wrap)
        started.append(made)
        return made

    yield make
    for each in started:
        process = each._process
        if process is None or process.stdout is None or process.stdout.closed:
            continue
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_prometheus_may_read_it_only_where_settings_say_so(tmp_path: Path) -> None:
    quiet = LoadGenerator(Path("loadgen"), SETTINGS, tmp_path, list)
    told = replace(SETTINGS, metrics="127.0.0.1:9115")
    assert "--metrics" not in quiet._argv()
    assert LoadGenerator(Path("loadgen"), told, tmp_path, list)._argv()[-2:] == [
        "--metrics",
        "127.0.0.1:9115",
    ]


def test_it_is_started_with_its_settings_in_the_wrapper(tmp_path: Path, play: Play) -> None:
    load = play(
        WELL_BEHAVED.replace(
            "signal.sigwait", "print(*sys.argv[1:], file=sys.stderr, sep='|')\nsignal.sigwait"
        )
    )
    load.start()
    load.stop()
    first = (tmp_path / "load/load.log").read_text().splitlines()[0]
    assert first == (
        f"--journeys|j.yaml|--data-dir|data|--target|a:1,b:2|--rate|12|--seed|7"
        f"|--out|{tmp_path}/load/client.jsonl|--ledger|{tmp_path}/load/ledger.jsonl"
    )


def test_stopping_waits_for_the_last_second(play: Play) -> None:
    load = play(WELL_BEHAVED)
    load.start()
    assert [second.t for second in load.stop()] == [100, 101, 102]
    assert [second.t for second in load.stop()] == [100, 101, 102]


def test_one_that_was_told_to_finish_has_not_ended_by_itself(play: Play) -> None:
    load = play(WELL_BEHAVED)
    load.start()
    load.finish()
    assert load._ended(within_s=10)
    load.finish()
    assert [second.t for second in load.stop()] == [100, 101, 102]


def test_one_that_had_ended_before_it_was_told_to_finish_is_an_error(play: Play) -> None:
    load = play(DYING)
    load.start()
    os.killpg(load._started().pid, signal.SIGUSR1)
    assert load._ended(within_s=10)
    load.finish()
    with pytest.raises(LoadError, match="no space left"):
        load.stop()


def test_a_wrapper_that_stays_as_the_parent_does_not_hide_the_generator(play: Play) -> None:
    # As `nsenter --pid` does: it forks, and a signal to it alone would leave the child.
    fork = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    load = play(WELL_BEHAVED, sys.executable, "-c", fork)
    load.start()
    assert [second.t for second in load.stop()] == [100, 101, 102]


def test_waiting_ends_with_the_awaited_seconds(play: Play) -> None:
    load = play(WELL_BEHAVED)
    load.start()
    seconds = load.wait_for(lambda seen: len(seen) == 2, 10, "two seconds")
    assert seconds[1].journeys["search"].failed == 2


def test_a_deadline_tells_what_was_seen_last(play: Play) -> None:
    load = play(WELL_BEHAVED)
    load.start()
    with pytest.raises(
        NotReady, match="for success; last seen: second 101: 0 ok, 2 failed, mostly 'timeout'"
    ):
        load.wait_for(lambda seen: len(seen) > 2, 0.3, "success")


def test_a_window_is_observed_as_soon_as_its_seconds_are_written(play: Play) -> None:
    load = play(WELL_BEHAVED)
    load.start()
    window = load.observe(100, 102)
    assert [second.t for second in window.seconds] == [100, 101]
    assert window.complete


def test_a_generator_that_refuses_its_settings_is_quoted(play: Play) -> None:
    load = play("import sys; sys.exit('loadgen: --rate has to lie above 0')")
    with pytest.raises(LoadError, match="--rate has to lie above 0"):
        load.start()


def test_a_program_that_does_not_exist_is_named(tmp_path: Path) -> None:
    load = LoadGenerator(tmp_path / "none", SETTINGS, tmp_path / "load", list)
    with pytest.raises(LoadError, match="cannot be started"):
        load.start()


def test_a_generator_that_dies_ends_the_waiting_at_once(play: Play) -> None:
    load = play(DYING)
    load.start()
    os.killpg(load._started().pid, signal.SIGUSR1)
    began = time.monotonic()
    with pytest.raises(LoadError, match="no space left"):
        load.wait_for(lambda seen: len(seen) > 3, 30, "a fourth second")
    assert time.monotonic() - began < 10


def test_stopping_a_generator_that_has_died_is_an_error(play: Play) -> None:
    load = play(DYING)
    load.start()
    os.killpg(load._started().pid, signal.SIGUSR1)
    assert load._ended(within_s=10)
    with pytest.raises(LoadError, match="no space left"):
        load.stop()


def test_a_generator_that_lost_figures_while_stopping_is_an_error(play: Play) -> None:
    load = play(WELL_BEHAVED.replace("loadgen: 7 journeys", "the seconds cannot be written"))
    load.start()
    with pytest.raises(LoadError, match="cannot be written"):
        load.stop()


def test_a_generator_that_does_not_stop_is_killed(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generator_module, "STOP_TIMEOUT_S", 0.2)
    load = play(
        WELL_BEHAVED.replace("signal.sigwait([signal.SIGTERM])", "import time; time.sleep(60)")
    )
    load.start()
    with pytest.raises(LoadError, match="did not stop"):
        load.stop()


def test_a_folder_is_not_used_twice(tmp_path: Path, play: Play) -> None:
    first = play(WELL_BEHAVED)
    first.start()
    first.stop()
    with pytest.raises(LoadError, match="exists already"):
        play(WELL_BEHAVED).start()


def test_a_generator_that_was_not_started_cannot_be_stopped(play: Play) -> None:
    with pytest.raises(LoadError, match="was not started"):
        play(WELL_BEHAVED).stop()


def test_only_complete_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "client.jsonl"
    tail = SecondsTail(file)
    assert tail.read() == []
    file.write_text(line(1) + "\n" + line(2)[:30])
    assert [second.t for second in tail.read()] == [1]
    with file.open("a") as more:
        more.write(line(2)[30:] + "\n")
    assert [second.t for second in tail.read()] == [1, 2]


def test_a_damaged_line_is_numbered_within_the_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "client.jsonl"
    file.write_text(line(1) + "\n")
    tail = SecondsTail(file)
    tail.read()
    with file.open("a") as more:
        more.write("{}\n")
    with pytest.raises(DamagedClientFile, match="line 2"):
        tail.read()
