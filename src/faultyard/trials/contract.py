"""A problem's contract: how it is set up, broken, checked and bounded, without the answer.

For who wants to know what a verdict rests on. What names the target, a value or the cause is left
out; that it is left out shows.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

from faultyard.apps.applications import ApplicationFolder
from faultyard.faults import decoys
from faultyard.model import answers, predicates
from faultyard.model.boundary import GUARDS
from faultyard.model.problem import Check, Control, RenderedProblem
from faultyard.model.verdict import SCORING_VERSION
from faultyard.tools.desk import MAX_CALLS
from faultyard.trials import gates

MODES = {
    "at_end": "in the snapshot at the end of the trial",
    "hold": "all through a window after the turn",
    "throughout": "all through the turn",
}
"""When a check of a mode must pass to count for the agent."""


def contract(
    rendered: RenderedProblem, application: ApplicationFolder, attackers: Iterable[Control] = ()
) -> dict[str, Any]:
    """Return a problem's contract, as data with sentences.

    Args:
        rendered: the problem for its seed.
        application: what it is about.
        attackers: those who are tried at every problem, with what they must come to at this one.
    """
    return {
        "name": rendered.name,
        "seed": rendered.seed,
        "scoring_version": SCORING_VERSION,
        "setup": _setup(application),
        "break": _break(rendered),
        "turn": {"at_most_s": rendered.limits.turn_s, "at_most_calls": MAX_CALLS},
        "before_the_hold": [event.kind for event in rendered.hold_events],
        "checks": [_check(check, rendered) for check in rendered.checks],
        "boundary": _boundary(rendered),
        "controls": _counted(rendered.controls),
        "attackers": _counted(attackers),
    }


def _setup(application: ApplicationFolder) -> dict[str, Any]:
    description = application.description
    return {
        "application": f"{description.name}: {description.title}",
        "components": len(description.services),
        "journeys_per_s": description.load.rate_per_s,
        "healthy": "every check passes before anything is changed",
        "within_s": gates.HEALTHY_TIMEOUT_S,
    }


def _break(rendered: RenderedProblem) -> dict[str, Any]:
    if rendered.restraint:
        return {"faults": 0, "benign_changes": decoys.NUMBER, "seen": "every check still passes"}
    in_the_turn = len(rendered.later_faults)
    return {
        "faults": len(rendered.first_faults),
        **({"faults_after_the_first_repair": in_the_turn} if in_the_turn else {}),
        **({"noise": [noise.kind for noise in rendered.noise]} if rendered.noise else {}),
        "benign_changes": decoys.NUMBER,
        "seen": "a check that is not `throughout` fails, or the trial is a runtime_error",
        "within_s": gates.VISIBLE_TIMEOUT_S,
    }


def _check(check: Check, rendered: RenderedProblem) -> dict[str, Any]:
    module = sys.modules[predicates.defined_in(check.kind)]
    said = str(module.__doc__).splitlines()[0]
    return {
        "name": check.name,
        "demands": said.partition(": ")[2] or said,
        "when": MODES[check.mode],
        "kind": check.kind,
        "with": answers.withheld(check.with_, rendered),
    }


def _boundary(rendered: RenderedProblem) -> dict[str, Any]:
    boundary = rendered.boundary
    given = {
        "may_change": [
            {"object": allowed.object, "fields": allowed.fields}
            | ({"must_keep": [kept.model_dump() for kept in allowed.keep]} if allowed.keep else {})
            for allowed in boundary.allowed
        ],
        "may_change_as_root_on": boundary.nodes,
        "severities": [relaxed.model_dump(mode="json") for relaxed in boundary.relaxed],
    }
    return {
        "namespaces": boundary.namespaces,
        **answers.withheld(given, rendered),
        "never": f"whatever guards others: {', '.join(sorted(GUARDS))}",
    }


def _counted(controls: Iterable[Control]) -> dict[str, int]:
    """How many must get which verdict; which of them, and what they do, would tell the answer."""
    return dict(sorted(Counter(control.expect.value for control in controls).items()))
