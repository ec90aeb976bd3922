"""The report of a cause, in the published form."""

from __future__ import annotations

from typing import Any

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
    suffering = {*one.breaks, *cluster.callers(one.breaks)} - {one.component}
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


def nothing(signals: Signals) -> dict[str, Any]:
    """What is reported when nothing is broken."""
    seen = ["no alert fires"]
    if signals.success is not None:
        seen.append(f"{signals.success:.1%} of users' requests succeed")
    return {"causes": [{"mechanism": "no_fault"}], "impact": ["none"], "evidence": seen}
