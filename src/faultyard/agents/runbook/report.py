"""The report of a cause, in the published form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import logs
from .cluster import Cluster
from .hypotheses import Hypothesis
from .signals import Signals

SENTENCES = 20


def of(one: Hypothesis, cluster: Cluster, signals: Signals) -> dict[str, Any]:
    """What is reported about a hypothesis."""
    cause: dict[str, Any] = {"component": one.component, "mechanism": one.mechanism}
    if one.setting:
        cause["setting"] = one.setting
    for name in ("observed", "expected"):
        if (value := getattr(one, name)) is not None:
            cause[name] = value
    suffering = {*one.breaks, *_callers(one, cluster, signals)} - {one.component}
    impact = signals.impact
    if impact == "none":
        impact = "requests_slow" if one.slows else "requests_fail"
    # What speaks against it is for the one who weighs, not for the report.
    evidence = [each.said[:2000] for each in one.evidence if each.weight > 0]
    return {
        "causes": [cause],
        "affected": sorted(suffering),
        "impact": [impact],
        "evidence": evidence[:SENTENCES],
        "explanation": one.prose,
    }


def _callers(one: Hypothesis, cluster: Cluster, signals: Signals) -> Iterator[str]:
    """Who depends on what is broken, directly or not, as far as he suffers.

    Settings tell whom a workload asks, not for what: one of another namespace may ask for something
    else of a caller, which works. So it has to show.
    """
    callers = cluster.callers(one.breaks)
    own = {ref.split("/")[1] for ref in one.breaks}
    chain = [cluster.workloads[ref] for ref in (*one.breaks, *callers) if ref in cluster.workloads]
    asked = {service.name for each in chain for service in cluster.services_of(each)}
    complaining = {
        line.workload
        for line in signals.lines
        if asked & {name for name, *_ in logs.pointing([line], cluster)}
    }
    for ref in callers:
        _, namespace, name = ref.split("/")
        if namespace in own or ref in complaining or name in signals.pointing:
            yield ref


def nothing(signals: Signals) -> dict[str, Any]:
    """What is reported when nothing is broken."""
    seen = ["no alert fires"]
    if signals.success is not None:
        seen.append(f"{signals.success:.1%} of users' requests succeed")
    return {"causes": [{"mechanism": "no_fault"}], "impact": ["none"], "evidence": seen}
