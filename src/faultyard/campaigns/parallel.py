"""Several control trials at once: each is a `faultyard run` of its own.

A process each, since a trial moves its threads between network namespaces and ends on signals: so
one that is stopped or broken takes no other with it.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed

from faultyard.campaigns.validation import Plan, Row, has_result, judged
from faultyard.clusters.errors import ClusterError
from faultyard.evidence.recorder import sealed
from faultyard.model.problem import Control

Report = Callable[[str], None]
Task = tuple[Plan, Control, int]


def validate(
    plans: Iterable[Plan], jobs: int, report: Report, done: Callable[[Row], None]
) -> list[Row]:
    """Run the plans' trials, several at a time; those whose records are there are only judged.

    Args:
        plans: which.
        jobs: how many at once.
        report: is told each phase of each trial.
        done: is told each row as it comes.

    Raises:
        ClusterError: a trial left no record.
    """
    tasks = [(plan, control, seed) for plan in plans for control, seed in plan.trials]
    rows: list[Row] = []
    running = _Running()
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_row, task, report, running) for task in tasks]
        try:
            for future in as_completed(waiting):
                rows.append(future.result())
                done(rows[-1])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            running.stop()
            raise
    return rows


class _Running:
    """The processes of trials that run now."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def start(self, argv: list[str]) -> subprocess.Popen[str]:
        with self._lock:
            if self._stopped:
                raise ClusterError("the validation was stopped")
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            self._processes.add(process)
            return process

    def ended(self, process: subprocess.Popen[str]) -> None:
        with self._lock:
            self._processes.discard(process)

    def stop(self) -> None:
        """Have each of them end its trial and its cell."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.terminate()


def _row(task: Task, report: Report, running: _Running) -> Row:
    plan, control, seed = task
    folder = plan.record(control, seed)
    fresh = not has_result(folder)
    if fresh:
        _run(task, report, running)
    return judged(plan, control, seed, fresh)


def _run(task: Task, report: Report, running: _Running) -> None:
    plan, control, seed = task
    argv = [sys.executable, "-m", "faultyard", "run", str(plan.problem.folder)]
    argv += ["-a", control.agent, "--seed", str(seed), "-o", str(plan.record(control, seed))]
    argv += ["--one-of-several"]
    told, last = f"{plan.problem.problem.name} {control.agent} (seed {seed})", ""
    process = running.start(argv)
    try:
        with process:
            for line in process.stderr or ():
                last = line.strip() or last
                report(f"{told}: {line.strip()}")
    finally:
        running.ended(process)
    if not sealed(plan.record(control, seed)):
        raise ClusterError(f"the trial of {told} ended with {process.returncode}: {last}")
