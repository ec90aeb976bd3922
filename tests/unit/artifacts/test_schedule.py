import io
import threading
import time

import pytest
from rich.console import Console

from faultyard.clusters.embedded.artifacts.artifact import Lane
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from faultyard.clusters.embedded.artifacts.progress import Lines, Step
from faultyard.clusters.embedded.artifacts.schedule import Schedule, Task, expected_rest


def step(name: str, lane: Lane, expected_s: float = 1, needs: tuple[str, ...] = ()) -> Step:
    return Step(name, name, lane, expected_s, needs)


def quiet() -> Lines:
    return Lines(Console(quiet=True))


def test_a_task_runs_after_what_it_needs():
    order: list[str] = []
    tasks = [
        Task(step("image", Lane.OTHER, needs=("binary",)), lambda: order.append("image")),
        Task(step("binary", Lane.GO), lambda: order.append("binary")),
        Task(step("packages", Lane.OTHER), lambda: order.append("packages")),
    ]
    Schedule(tasks, quiet()).run()
    assert order.index("binary") < order.index("image")
    assert len(order) == 3


def test_the_lanes_run_side_by_side():
    meet = threading.Barrier(2, timeout=20)
    tasks = [Task(step(lane.value, lane), lambda: _pass(meet)) for lane in Lane]
    assert set(Schedule(tasks, quiet()).run()) == {"go", "other"}


def _pass(barrier: threading.Barrier) -> None:
    barrier.wait()


def test_in_one_lane_tasks_run_one_after_the_other():
    running: list[int] = []
    most: list[int] = []

    def task() -> None:
        running.append(1)
        most.append(len(running))
        time.sleep(0.02)
        running.pop()

    tasks = [Task(step(name, Lane.OTHER), task) for name in "abc"]
    Schedule(tasks, quiet()).run()
    assert most == [1, 1, 1]


def test_a_failure_is_raised_without_waiting_for_the_other_lane():
    never = threading.Event()

    def fail() -> None:
        raise ArtifactError("no")

    tasks = [
        Task(step("long", Lane.GO), lambda: _wait(never)),
        Task(step("bad", Lane.OTHER), fail),
    ]
    with pytest.raises(ArtifactError, match="no"):
        Schedule(tasks, quiet()).run()
    never.set()


def _wait(event: threading.Event) -> None:
    assert event.wait(30)


def test_after_a_failure_nothing_new_begins():
    order: list[str] = []

    def fail() -> None:
        raise ArtifactError("no")

    tasks = [
        Task(step("bad", Lane.OTHER), fail),
        Task(step("next", Lane.OTHER), lambda: order.append("next")),
    ]
    with pytest.raises(ArtifactError):
        Schedule(tasks, quiet()).run()
    assert order == []


def test_the_others_go_on_after_a_failure_that_is_spared():
    order: list[str] = []
    lost: list[ArtifactError] = []

    def fail() -> None:
        raise ArtifactError("no browser")

    tasks = [
        Task(step("browser", Lane.OTHER), fail, lost.append),
        Task(step("next", Lane.OTHER, needs=("browser",)), lambda: order.append("next")),
    ]
    output = io.StringIO()
    ended = Schedule(tasks, Lines(Console(file=output, width=200))).run()
    assert order == ["next"]
    assert ended.keys() == {"browser", "next"}
    assert [str(error) for error in lost] == ["no browser"]
    assert "FAILED browser" in output.getvalue()
    assert "done   browser" not in output.getvalue()


def test_a_mistake_of_ours_is_never_spared():
    def fail() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        Schedule([Task(step("browser", Lane.OTHER), fail, print)], quiet()).run()


def test_the_expected_rest_is_the_longer_lane():
    steps = [step("kube", Lane.GO, 100), step("etcd", Lane.GO, 10), step("root", Lane.OTHER, 30)]
    assert expected_rest(steps, {}, {}) == 110


def test_the_expected_rest_counts_what_waits_for_the_other_lane():
    steps = [
        step("kube", Lane.GO, 100),
        step("packages", Lane.OTHER, 30),
        step("node", Lane.OTHER, 5, needs=("kube", "packages")),
        step("layer", Lane.OTHER, 20),
    ]
    assert expected_rest(steps, {}, {}) == 105


def test_the_expected_rest_shrinks_with_what_is_done_and_runs():
    steps = [step("kube", Lane.GO, 100), step("etcd", Lane.GO, 10), step("root", Lane.OTHER, 30)]
    assert expected_rest(steps, {"root": 31.0}, {"kube": 40.0}) == 70


def test_a_step_that_takes_longer_than_expected_is_due_now():
    assert expected_rest([step("kube", Lane.GO, 100)], {}, {"kube": 400.0}) == 0
