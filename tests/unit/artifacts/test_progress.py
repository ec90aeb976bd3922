import io

import pytest
from rich.console import Console

from faultyard.clusters.embedded.artifacts import progress
from faultyard.clusters.embedded.artifacts.artifact import Lane
from faultyard.clusters.embedded.artifacts.progress import Lines, Step, clock

KUBE = Step("kube/1", "Kubernetes", Lane.GO, 480)


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def lines(output: io.StringIO) -> Lines:
    return Lines(Console(file=output, width=200))


def test_a_step_has_a_line_at_its_begin_and_its_end(lines: Lines, output: io.StringIO):
    lines.planned([KUBE])
    lines.started(KUBE)
    lines.ended(KUBE, 481.2)
    assert output.getvalue().splitlines() == [
        "[  0:00] start  Kubernetes, about 8:00",
        "[  0:00] done   Kubernetes in 8:01 [1/1]",
    ]


def test_a_log_hears_nothing_between_heartbeats(lines: Lines, output: io.StringIO):
    lines.started(KUBE)
    before = output.getvalue()
    lines.tick(480)
    assert output.getvalue() == before


def test_a_heartbeat_says_what_runs_and_when_it_ends(
    lines: Lines, output: io.StringIO, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(progress, "HEARTBEAT_S", 0.0)
    lines.started(KUBE)
    lines.tick(475)
    beat = output.getvalue().splitlines()[-1]
    assert "runs   Kubernetes (0:00 of about 8:00); all done in about 7:55, at " in beat


def test_a_failed_step_is_marked(lines: Lines, output: io.StringIO):
    lines.started(KUBE)
    lines.failed(KUBE)
    assert output.getvalue().splitlines()[-1].endswith("FAILED Kubernetes")


@pytest.mark.parametrize(("seconds", "shown"), [(0.4, "0:00"), (59.6, "1:00"), (3725, "62:05")])
def test_times_are_shown_in_minutes_and_seconds(seconds: float, shown: str):
    assert clock(seconds) == shown
