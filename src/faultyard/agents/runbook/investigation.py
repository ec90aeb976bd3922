"""The order of an investigation: look, weigh, report, repair, verify, resolve."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from . import (
    accounts,
    addresses,
    limits,
    nodes,
    recovery,
    report,
    service_ports,
    service_selectors,
    signals,
    workloads,
)
from .cluster import Cluster
from .hypotheses import ENOUGH, Hypothesis, best, rank
from .repairs import carry_out
from .signals import Signals
from .tools import Tools

LOOKS = 3
"""So often it looks when nothing is found: what was just broken shows in a minute."""
PAUSE_S = 30.0
REPAIRS = 2
"""So many are tried, the best founded first; one that did not help is taken back before."""


@dataclass
class Investigation:
    """One incident.

    Args:
        tools: the on-call tools.
        say: is told what is thought and done.
        pause: waits for so many seconds.
    """

    tools: Tools
    say: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    ranked: list[Hypothesis] = field(default_factory=list)

    def run(self) -> str:
        """Find the cause, report it, repair what can be repaired, resolve.

        Returns:
            What the incident is resolved with.
        """
        summary = self._work()
        self.say(f"resolve: {summary}")
        self.tools.call("resolve", summary=summary)
        return summary

    def _work(self) -> str:
        for number in range(LOOKS):
            if number:
                self.say("nothing stands out yet; looking again")
                self.pause(PAUSE_S)
            cluster = Cluster(self.tools)
            known = signals.gather(self.tools, cluster)
            self.ranked = rank(self._hypotheses(cluster, known), known)
            self._tell(known)
            cause = best(self.ranked)
            if cause is not None:
                return self._treat(cause, cluster, known)
        if is_quiet(known) and not self.ranked:
            self.tools.call("report_cause", **report.nothing(known))
            return "Nothing is broken: no alert fires and users are served."
        return "The cause was not found: nothing that was seen explains the alert. It is open."

    def _hypotheses(self, cluster: Cluster, known: Signals) -> Iterator[Hypothesis]:
        yield from nodes.look(cluster)
        yield from workloads.look(cluster)
        yield from limits.look(cluster)
        yield from service_selectors.look(cluster)
        yield from service_ports.look(cluster, frozenset(known.pointing))
        yield from addresses.look(cluster)
        yield from accounts.look(cluster, known.lines)

    def _treat(self, cause: Hypothesis, cluster: Cluster, known: Signals) -> str:
        answer = self.tools.call("report_cause", **report.of(cause, cluster, known))
        self.say(f"report_cause: {answer.text}")
        said = [cause.prose or cause.mechanism]
        likely = [
            (each.repair, recovery.of(each, cluster, known))
            for each in self.ranked
            if each.score >= ENOUGH and each.repair is not None
        ]
        for repair, users in likely[:REPAIRS]:
            outcome = carry_out(repair, self.tools, users, self.say)
            said.append(outcome.said)
            if outcome.helped:
                break
        if not likely:
            said.append("Not repaired: nothing that is known justifies a change.")
        return " ".join(said)

    def _tell(self, known: Signals) -> None:
        self.say(f"alerts: {sorted({str(each.get('alert')) for each in known.alerts})}")
        if known.success is not None:
            self.say(f"users: {known.success:.1%} of requests succeed")
        for name, seen in sorted(known.pointing.items()):
            self.say(f"signals point to {name} ({sum(each.weight for each in seen):.1f})")
        for each in self.ranked[:5]:
            said = f"{each.component} {each.mechanism} {each.setting}: {each.observed!r}"
            self.say(f"{each.score:5.1f}  {said}, expected {each.expected!r}")
            for one in each.evidence:
                self.say(f"        {one.weight:+.1f}  {one.said}")


def is_quiet(known: Signals) -> bool:
    """Whether nothing is heard where something would be heard."""
    served = known.success is None or known.success >= recovery.GOOD
    return known.watched and served and not known.alerts
