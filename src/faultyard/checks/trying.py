"""Trying checks again and again while a trial runs."""

from __future__ import annotations

import threading
import time
from collections.abc import MutableSequence, Sequence

from faultyard.checks.registry import Plan
from faultyard.clusters.errors import ClusterError
from faultyard.model.probes import UNKNOWN, Asked, Probe


class Trying:
    """Tries each check in a thread of its own, from `start` to `stop`.

    In the agent's turn only what has to hold `throughout` is tried, and until it is over only what
    leaves no trace: the rest would show in the logs of what is asked.

    Args:
        plans: how each is tried.
        probes: gets every try, round by round.
    """

    def __init__(self, plans: Sequence[Plan], probes: MutableSequence[Probe]) -> None:
        self._probes = probes
        self._resting = threading.Event()
        self._over = threading.Event()
        self._ended = threading.Event()
        self._error: str | None = None
        self._threads = [
            threading.Thread(target=self._run, args=(plan,), name=plan.check.name, daemon=True)
            for plan in plans
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def rest(self) -> None:
        """The agent's turn begins."""
        self._resting.set()

    def resume(self) -> None:
        """The turn is over."""
        self._over.set()
        self._resting.clear()

    def stop(self) -> None:
        """End; rounds that are under way are still written down. Doing it twice is no error.

        Raises:
            ClusterError: trying itself failed meanwhile.
        """
        self._ended.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        if self._error is not None:
            raise ClusterError(f"trying checks failed: {self._error}")

    def _run(self, plan: Plan) -> None:
        try:
            while not self._ended.is_set():
                began = time.monotonic()
                if not self._resting.is_set() or plan.check.mode == "throughout":
                    asked = plan.asked if self._over.is_set() else plan.quiet
                    self._probes.extend(_round(plan, asked))
                self._ended.wait(max(plan.every_s - (time.monotonic() - began), 0.1))
        except Exception as error:  # noqa: BLE001 - whoever stops it is told
            self._error = repr(error)


def _round(plan: Plan, asked: Sequence[Asked]) -> list[Probe]:
    began = time.time()
    try:
        seen = plan.round(asked)
    except (ClusterError, OSError) as error:
        now = time.time()
        return [
            Probe(began, now, plan.kind, one, UNKNOWN, str(error) or repr(error)) for one in asked
        ]
    return [Probe(began, one.until, plan.kind, one.asked, one.outcome, one.detail) for one in seen]
