"""Whether users are served again, by the best measure that there is."""

from __future__ import annotations

from collections import Counter

from . import logs, signals
from .cluster import Cluster
from .hypotheses import Hypothesis
from .repairs import Recovery
from .signals import Signals
from .tools import Tools

GOOD = 0.99
"""The share of users' requests that succeed when all is well."""
MEASURED_S = 180.0
"""How long figures over time may take to show a right repair, in seconds."""
LOGGED_S = 60.0
"""The same for log lines."""
LOOK_BACK = "8s"
WITNESSES = 2
"""So many workloads' logs are read: those that complained most."""


def of(cause: Hypothesis, cluster: Cluster, known: Signals) -> Recovery:
    """The best way to tell whether users recover from a cause."""
    tools = cluster.tools
    if known.success is not None and known.success < GOOD:
        return Recovery(lambda: _succeed(tools), MEASURED_S)
    if known.alerts:
        return Recovery(lambda: _silent(tools, known), MEASURED_S)
    missed = cause.names | {ref.rpartition("/")[2] for ref in cause.breaks}
    complaints = Counter(
        line.workload
        for line in known.lines
        if missed & {name for name, *_ in logs.pointing([line], cluster)}
    )
    witnesses = [ref for ref, _ in complaints.most_common(WITNESSES) if ref]
    if witnesses:
        return Recovery(lambda: _without_complaint(missed, cluster, witnesses), LOGGED_S)
    return Recovery(lambda: None, 0)


def _succeed(tools: Tools) -> bool:
    now = signals.success(tools, "30s")
    return now is not None and now >= GOOD


def _silent(tools: Tools, known: Signals) -> bool:
    """No alert of before fires; others may, as of a roll-out that was made for the repair."""
    names = {str(each.get("alert")) for each in known.alerts}
    return not names & {str(each.get("alert")) for each in signals.firing(tools)}


def _without_complaint(missed: frozenset[str], cluster: Cluster, witnesses: list[str]) -> bool:
    for ref in witnesses:
        lines = logs.of(cluster.tools, cluster.workloads[ref], LOOK_BACK)
        found = [line for line in lines if logs.tells(line.text)]
        if missed & {name for name, *_ in logs.pointing(found, cluster)}:
            return False
    return True
