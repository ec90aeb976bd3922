"""Gates: in a trial that counts, checks were seen passing before the fault and failing after."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for
from faultyard.load.generator import LoadGenerator
from faultyard.model.predicates import CheckResult, Phase, State, evaluate
from faultyard.model.problem import RenderedProblem
from faultyard.trials.timeline import Timeline

UNTIL_SERVED = "waiting until users are served"
UNTIL_SHOWN = "waiting until the checks show what the injection did"
"""How the two waits are told. The second is the same where nothing was broken: a human who takes
the turn reads it."""
GATE_S = 8
"""Whole seconds of the users' figures that a gate looks at."""
LOOK_S = 0.3
HEALTHY_TIMEOUT_S = 120
VISIBLE_TIMEOUT_S = 90
RECOVERY_S = 20
"""How long users may still see the fault after the turn: connections and caches recover by
themselves, and no agent should have to wait for that before it stops."""
RECOVERED_S = 3
"""So many good seconds in a row end the recovery."""


def wait_healthy(problem: RenderedProblem, load: LoadGenerator, timeline: Timeline) -> None:
    """Wait until users are served as the checks demand, for `GATE_S` seconds on end.

    Raises:
        NotReady: they never were: the application is not healthy, and nothing can be measured.
        LoadError: the load has ended.
    """
    seen = _Gate("healthy", Phase.HEALTHY, State.PASS)
    look = partial(_look, seen, problem, load, timeline)
    wait_for("the application to be healthy", look, timeout_s=HEALTHY_TIMEOUT_S, every_s=LOOK_S)


def require_healthy(problem: RenderedProblem, load: LoadGenerator, timeline: Timeline) -> None:
    """Demand that every check passes now: from here on what fails is the fault's, or the agent's.

    Users are looked at once more, since what broke by itself while the snapshot was taken would be
    held against the agent.

    Raises:
        ClusterError: one does not pass, or users are not served any more.
    """
    wait_healthy(problem, load, timeline)
    results = evaluate(problem, timeline.observations(load.seconds()), Phase.HEALTHY)
    failing = [result for result in results if result.state is not State.PASS]
    if failing:
        raise ClusterError(f"before the injection not all checks pass: {_sayings(failing)}")


def wait_broken(
    problem: RenderedProblem,
    load: LoadGenerator,
    timeline: Timeline,
    snapshot: Callable[[], None],
) -> None:
    """Wait until a check over a window fails, then take the snapshot.

    Users' figures, or what was tried: a guard that lets everything through is felt by no user.

    In a restraint problem nothing is broken: they have to pass, as every other check.

    Raises:
        NotReady: the fault is not seen within `VISIBLE_TIMEOUT_S`.
        ClusterError: no check sees it; or one fails though nothing was broken.
    """
    wanted = State.PASS if problem.restraint else State.FAIL
    awaited = "users to be served as before" if problem.restraint else "users to see the fault"
    seen = _Gate("fault_visible", Phase.FAULTY, wanted, timeline.times["injected"])
    look = partial(_look, seen, problem, load, timeline)
    wait_for(awaited, look, timeout_s=VISIBLE_TIMEOUT_S, every_s=LOOK_S)
    snapshot()
    results = evaluate(problem, timeline.observations(load.seconds()), Phase.FAULTY)
    if not problem.restraint and not any(result.state is State.FAIL for result in results):
        raise ClusterError(f"no check sees the fault: {_sayings(results)}")
    failing = [result for result in results if result.state is not State.PASS]
    if problem.restraint and failing:
        raise ClusterError(f"nothing was broken, but a check fails: {_sayings(failing)}")


def hold(
    problem: RenderedProblem, load: LoadGenerator, timeline: Timeline, since: float | None = None
) -> None:
    """Let users recover, at most `RECOVERY_S`, then observe them through the hold window.

    The window is the longest that a check asks for. It starts when `RECOVERED_S` seconds in a row
    were good, or at the end of the recovery: what the agent left broken is seen broken.

    Args:
        problem: whose checks ask for the window.
        load: what users see.
        timeline: gets the window.
        since: from when users recover, unix seconds; None: from the turn's end.
    """
    window_s = max((float(c.with_.get("window_s", 0)) for c in problem.checks), default=0.0)
    began = timeline.times["turn_end"] if since is None else since

    def look() -> tuple[bool | None, str]:
        if time.time() > began + RECOVERY_S:
            return True, ""
        seconds = [second for second in load.seconds() if second.t >= began][-RECOVERED_S:]
        good = len(seconds) == RECOVERED_S and all(
            figures.failed == 0 for second in seconds for figures in second.journeys.values()
        )
        return (True if good else None), "not recovered"

    wait_for("users to recover", look, timeout_s=RECOVERY_S + 30, every_s=LOOK_S)
    start = timeline.mark("hold_start", float(int(time.time()) + 1))
    end = timeline.mark("hold_end", start + max(window_s, 1.0))
    timeline.step("hold begins", f"{end - start:.0f} s, after {start - began:.0f} s of recovery")
    load.observe(start, end)
    timeline.step("hold ends")


@dataclass(frozen=True)
class _Gate:
    """What checks over windows have to say."""

    window: str
    """The name of the seconds that they look at."""
    phase: Phase
    wanted: State
    since: float = 0
    """Seconds from then on count, unix seconds."""


def _look(
    gate: _Gate, problem: RenderedProblem, load: LoadGenerator, timeline: Timeline
) -> tuple[bool | None, str]:
    """One look at the last `GATE_S` seconds: whether they are as wanted, and what was seen."""
    load.require_running()
    seconds = [second for second in load.seconds() if second.t >= gate.since]
    if len(seconds) < GATE_S:
        return None, f"{len(seconds)} seconds of load"
    timeline.mark(f"{gate.window}_from", float(seconds[-GATE_S].t))
    timeline.mark(f"{gate.window}_to", float(seconds[-1].t + 1))
    results = evaluate(problem, timeline.observations(seconds), gate.phase)
    windows = [each for each in results if each.mode == "hold"]
    others = [each for each in windows if each.state is not gate.wanted]
    if gate.wanted is State.FAIL and len(others) < len(windows):
        return True, ""  # one that sees it is enough, and others may guard what stays as it was
    return (None if others else True), _sayings(others)


def _sayings(results: Sequence[CheckResult]) -> str:
    return "; ".join(f"{result.name}: {result.reason}" for result in results)
