"""Building many artifacts: in the order of their needs, one at a time in each lane."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from faultyard.clusters.embedded.artifacts.artifact import Lane
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from faultyard.clusters.embedded.artifacts.progress import Progress, Step

HEARTBEAT_S = 1.0


@dataclass(frozen=True)
class Task:
    """A step with what it does."""

    step: Step
    run: Callable[[], None]
    spared: Callable[[ArtifactError], None] | None = None
    """Told when it fails, and the others go on; None: its failure ends all."""


@dataclass
class Schedule:
    """The state of a run, shared by the lanes' threads."""

    tasks: Sequence[Task]
    progress: Progress
    started: dict[str, float] = field(default_factory=dict)
    ended: dict[str, float] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def run(self) -> dict[str, float]:
        """Do all tasks; returns the seconds that each took, by its step's name.

        Raises:
            BaseException: a task's failure that is not spared, as soon as it is met. What other
                tasks are running ends with this process; their artifacts are built anew next time.
        """
        threads = [
            # Daemons: an interrupted set-up must end at once, and the kernel then ends what the
            # threads were running.
            threading.Thread(target=self._work, args=(lane,), name=lane, daemon=True)
            for lane in Lane
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) and not self.failures:
            with self.changed:
                self.changed.wait(HEARTBEAT_S)
                self.progress.tick(self.remaining_s())
        if self.failures:
            raise self.failures[0]
        return dict(self.ended)

    def remaining_s(self) -> float:
        """The expected time to the end, in seconds."""
        now = time.monotonic()
        running = {name: now - at for name, at in self.started.items() if name not in self.ended}
        return expected_rest([task.step for task in self.tasks], self.ended, running)

    def _work(self, lane: Lane) -> None:
        while task := self._next(lane):
            name = task.step.name
            self.progress.started(task.step)
            try:
                task.run()
            except BaseException as error:  # noqa: BLE001 - `run` raises it
                self.progress.failed(task.step)
                if not _spares(task, error):
                    with self.changed:
                        self.failures.append(error)
                        self.changed.notify_all()
                    return
                self._end(name)
            else:
                self.progress.ended(task.step, self._end(name))

    def _end(self, name: str) -> float:
        """Note that a task is over; returns the seconds that it took."""
        with self.changed:
            self.ended[name] = time.monotonic() - self.started[name]
            self.changed.notify_all()
        return self.ended[name]

    def _next(self, lane: Lane) -> Task | None:
        """The lane's next task, waiting until one can begin; None when nothing is left."""
        with self.changed:
            while not self.failures:
                waiting = [
                    task
                    for task in self.tasks
                    if task.step.lane == lane and task.step.name not in self.started
                ]
                if not waiting:
                    return None
                for task in waiting:
                    if all(need in self.ended for need in task.step.needs):
                        self.started[task.step.name] = time.monotonic()
                        return task
                self.changed.wait()
            return None


def _spares(task: Task, error: BaseException) -> bool:
    """Whether the others go on after a task's failure; tells who wants to know."""
    if task.spared is None or not isinstance(error, ArtifactError):
        return False
    task.spared(error)
    return True


def expected_rest(
    steps: Sequence[Step], ended: Mapping[str, float], running: Mapping[str, float]
) -> float:
    """How long the steps that are not ended will take, in seconds.

    Args:
        steps: all steps, those that others need first.
        ended: the steps that are done.
        running: the steps that run, and for how many seconds they have.
    """
    free_at = dict.fromkeys(Lane, 0.0)
    done_at = dict.fromkeys(ended, 0.0)
    for step in steps:
        if step.name in running:
            done_at[step.name] = max(step.expected_s - running[step.name], 0.0)
            free_at[step.lane] = done_at[step.name]
    left = [step for step in steps if step.name not in done_at]
    while left:
        step = min(left, key=lambda step: _earliest(step, free_at, done_at, left))
        begin = max([free_at[step.lane], *(done_at[need] for need in step.needs)])
        free_at[step.lane] = done_at[step.name] = begin + step.expected_s
        left.remove(step)
    return max(done_at.values(), default=0.0)


def _earliest(
    step: Step, free_at: Mapping[Lane, float], done_at: Mapping[str, float], left: Sequence[Step]
) -> float:
    waiting = {other.name for other in left}
    if any(need in waiting for need in step.needs):
        return float("inf")
    return max([free_at[step.lane], *(done_at[need] for need in step.needs)])
