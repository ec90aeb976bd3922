"""A problem's contract: how it is set up, broken, checked and bounded, without the answer.

For who wants to know what a verdict rests on. It tells general rules, kinds of checks and their
thresholds. Whatever could name what is at fault, say how much is, or that nothing is, reads `…`
in every problem, those in which nothing is broken too: where it stood in some only, it would tell.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final

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
_THRESHOLD: Final = re.compile(r"[0-9]+(\.[0-9]+)?(%|[A-Za-z]{0,2})")
"""A number, a quantity or a time span."""


def contract(
    rendered: RenderedProblem, application: ApplicationFolder, attackers: Iterable[Control] = ()
) -> dict[str, Any]:
    """Return a problem's contract, as data with sentences; for every seed it says the same.

    Args:
        rendered: the problem for its seed.
        application: what it is about.
        attackers: those who are tried at every problem, as they are put to this one.
    """
    return {
        "name": rendered.name,
        "seed": rendered.seed,
        "scoring_version": SCORING_VERSION,
        "setup": _setup(application),
        "break": _break(),
        "turn": {"at_most_s": rendered.limits.turn_s, "at_most_calls": MAX_CALLS},
        "before_the_hold": answers.WITHHELD,
        "checks": _checks(rendered),
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


def _break() -> dict[str, Any]:
    return {
        "faults": answers.WITHHELD,
        "noise": answers.WITHHELD,
        "benign_changes": decoys.NUMBER,
        "seen": "a check that is not `throughout` fails if something was broken, and none if not,"
        " or the trial is a runtime_error",
        "within_s": gates.VISIBLE_TIMEOUT_S,
    }


def _checks(rendered: RenderedProblem) -> list[dict[str, Any]]:
    """Every check in another form: how many are alike would tell how many objects are at fault."""
    told: list[dict[str, Any]] = []
    for check in rendered.checks:
        if (form := _check(check, rendered)) not in told:
            told.append(form)
    return told


def _check(check: Check, rendered: RenderedProblem) -> dict[str, Any]:
    """Without its name, in which an author may say what it is about."""
    module = sys.modules[predicates.defined_in(check.kind)]
    said = str(module.__doc__).splitlines()[0]
    return {
        "demands": said.partition(": ")[2] or said,
        "when": MODES[check.mode],
        "kind": check.kind,
        "with": _told(answers.withheld(check.with_, rendered), rendered),
    }


def _boundary(rendered: RenderedProblem) -> dict[str, Any]:
    """Its parts as a whole: how long a list is, or that it is empty, would tell as well."""
    guards = ", ".join(sorted(GUARDS))
    return {
        "namespaces": [*_namespaces(rendered), answers.WITHHELD],
        "may_change": answers.WITHHELD,
        "may_change_as_root_on": answers.WITHHELD,
        "severities": answers.WITHHELD,
        "never": f"whatever guards others, unless it stands in may_change: {guards}",
    }


def _told(value: Any, rendered: RenderedProblem) -> Any:
    """Return nested values in which only thresholds and namespaces of the alert are told.

    Names are not, whether they are at fault or not: those that stay tell by elimination. Nor is
    a list that has one, whatever its length.
    """
    if isinstance(value, Mapping):
        return {key: _told(inner, rendered) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        told = [_told(inner, rendered) for inner in value]
        return answers.WITHHELD if answers.WITHHELD in answers.texts(told) else told
    if value in _namespaces(rendered):
        return value
    drawn = {str(parameter) for parameter in rendered.parameters.values()}
    threshold = _THRESHOLD.fullmatch(str(value)) is not None and str(value) not in drawn
    return value if threshold else answers.WITHHELD


def _namespaces(rendered: RenderedProblem) -> list[str]:
    """Those of the boundary that the agent reads of in the alert."""
    return [name for name in rendered.boundary.namespaces if answers.says(rendered.alert, name)]


def _counted(controls: Iterable[Control]) -> dict[str, Any]:
    """How many; what they do, and which verdict they must get, would tell the answer."""
    return {"number": len(list(controls)), "verdicts": answers.WITHHELD}
