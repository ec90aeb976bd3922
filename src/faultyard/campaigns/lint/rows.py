"""rows-stale: what control trials have shown of a problem, they have shown of it as it is today."""

from __future__ import annotations

from collections.abc import Iterable

from faultyard.campaigns import entrants, fingerprints, validity
from faultyard.campaigns.lint.rule import Complaint, Subject, rule, shown
from faultyard.clusters.errors import ClusterError
from faultyard.model.errors import DescriptionError
from faultyard.model.validity import standing
from faultyard.trials import problems


@rule("rows-stale")
def rows(subject: Subject) -> Iterable[Complaint]:
    """Every control agent has a fresh row, and no row of the problem rests on other code."""
    found = subject.found
    if found is None or not found.folder.is_relative_to(problems.ROOT):
        return  # whoever has other problems keeps their rows
    try:
        now = fingerprints.of_control_trials(found)
    except (ClusterError, DescriptionError, KeyError):
        return  # what it uses is not there, which the rule `schema` tells
    name = found.problem.name
    known = validity.read()
    hint = f"Run `faultyard validate {name} --rows`, then `faultyard validity`."
    own = [row for row in known.fresh if row.problem == name]
    # Rows of general agents rest on their programs, too.
    prints = {agent: entrants.fingerprint(found, agent) for agent in {row.agent for row in own}}
    stale = [row for row in own if row.fingerprint != prints[row.agent]]
    if stale:
        message = f"{len(stale)} rows of {name} rest on other code or another problem than today's"
        yield Complaint("rows-stale", shown(validity.FILE), message, hint)
    agents = standing(found.problem, now, known.fresh).agents
    lacking = [agent.agent for agent in agents if not agent.results]
    if lacking:
        message = f"no fresh row of {name} for {', '.join(lacking)}"
        yield Complaint("rows-stale", shown(validity.FILE), message, hint)
