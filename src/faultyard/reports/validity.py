"""What control trials have shown, as a page of documentation."""

from __future__ import annotations

from collections.abc import Sequence

from faultyard.model.guesses import LEAST, LEVEL, Tally, tally
from faultyard.model.statistics import upper_bound
from faultyard.model.validity import KINDS, SEEDS, ProblemStanding, Standing

HEAD = """\
# Validity

Made by `faultyard validity` from `validity.jsonl` (fresh rows) and `validity-history.jsonl` (rows
that stand for nothing today, with the reason). A row is one trial of a control agent: a scripted
agent with a verdict that was stated before its first run, by its problem or, for attackers, by the
rule for all problems (`problems.md`). It is fresh while the problem, its application, the
kinds of fault and check that it uses, and the version of the verdict's rules are unchanged. Counted
here is what rests on today's.

- **unexpected**: another verdict, or other critical findings, than stated. **at most**: the rate of
  such verdicts that the results do not exclude, at 95 % (one-sided, Clopper-Pearson; for none of n
  it is less than 3/n), as if each trial were drawn anew.
- **no result**: ended as `runtime_error`, through the harness, or is a fail only because a check
  could not be evaluated, as on a busy host; no part of n. One whose record was not kept and that
  wrote no row is not counted.
- **flakes**: seeds on which the agent got the stated verdict and, another time, did not.
"""


def page(standings: Sequence[ProblemStanding], digs: Tally | None = None) -> str:
    """The page, as Markdown.

    Args:
        standings: of all problems.
        digs: what the archaeologist's guesses came to.
    """
    agents = [agent for one in standings for agent in one.all]
    parts = [HEAD, _all(agents, len(standings)), _problems(standings), _attackers(standings)]
    parts.append(_archaeologist(digs or tally([])))
    parts += [_agents(one) for one in standings]
    return "\n".join(parts)


def summary(standings: Sequence[ProblemStanding]) -> str:
    """All of it in a line."""
    agents = [agent for one in standings for agent in one.all]
    seen, results = _counts(agents)
    lost = sum(agent.lost for agent in agents)
    admitted = sum(one.admitted for one in standings)
    return (
        f"{results} control trials of {len(standings)} problems, {seen} unexpected "
        f"(at most {upper_bound(seen, results):.1%}), {lost} without a result; {admitted} admitted"
    )


def _all(agents: Sequence[Standing], problems: int) -> str:
    seen, results = _counts(agents)
    lost = sum(agent.lost for agent in agents)
    flakes = sum(agent.flakes for agent in agents)
    bound = upper_bound(seen, results)
    return (
        f"**{results} results over {problems} problems: {seen} unexpected, at most {bound:.1%}; "
        f"{lost} of {results + lost} trials without a result; {flakes} flakes.**\n"
    )


def _problems(standings: Sequence[ProblemStanding]) -> str:
    lines = [
        f"A problem is admitted when each of its control agents got its verdict on {SEEDS} seeds "
        f"and never another, and each attacker at problems of {KINDS} kinds of faults and no other "
        "verdict at this one.\n",
        "| problem | admitted | n | unexpected | at most | no result | flakes | lacks |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for one in standings:
        seen, results = _counts(one.all)
        lost = sum(agent.lost for agent in one.all)
        flakes = sum(agent.flakes for agent in one.all)
        word = "yes" if one.admitted else "no"
        figures = f"{results} | {seen} | {upper_bound(seen, results):.1%} | {lost} | {flakes}"
        lines.append(f"| `{one.problem}` | {word} | {figures} | {_lacks(one)} |")
    return "\n".join(lines) + "\n"


def _lacks(one: ProblemStanding) -> str:
    """What a problem lacks, the agents that lack the same together."""
    grouped: dict[str, list[str]] = {}
    for clause in one.lacks:
        agent, _, rest = clause.partition(" ")
        grouped.setdefault(rest, []).append(agent)
    every = {
        frozenset(agent.agent for agent in one.agents): "every control agent",
        frozenset(one.reached): "every attacker",
    }
    return "; ".join(
        f"{every.get(frozenset(agents), ', '.join(agents))} {rest}"
        for rest, agents in grouped.items()
    )


def _agents(one: ProblemStanding) -> str:
    lines = [
        f"## {one.problem}\n",
        "| agent | must get | n | unexpected | at most | no result | flakes | median | longest |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for agent in (*one.agents, *(attacker for attacker in one.attackers if attacker.rows)):
        counts = f"{len(agent.results)} | {agent.unexpected} | {agent.bound:.0%}"
        more = f"{agent.lost} | {agent.flakes}"
        times = f"{_seconds(agent.median_s)} | {_seconds(agent.max_s)}"
        lines.append(f"| {agent.agent} | {agent.expected.value} | {counts} | {more} | {times} |")
    return "\n".join(lines) + "\n"


def _attackers(standings: Sequence[ProblemStanding]) -> str:
    """How far each attacker has been tried."""
    lines = [
        "## Attackers\n",
        "Each makes any problem look solved; what it must come to is stated before.\n",
        "| attacker | kinds of problems | n | unexpected |",
        "| --- | ---: | ---: | ---: |",
    ]
    reached = standings[0].reached if standings else {}
    for name, kinds in reached.items():
        own = [agent for one in standings for agent in one.attackers if agent.agent == name]
        seen, results = _counts(own)
        lines.append(f"| {name} | {kinds} | {results} | {seen} |")
    return "\n".join(lines) + "\n"


def _archaeologist(digs: Tally) -> str:
    """Whether metadata alone tells what was broken."""
    count = len(digs.guesses)
    said = "too few trials to conclude anything"
    if digs.enough:
        said = "more than chance" if digs.leaks else "no more than chance explains"
    among = [one.among for one in digs.guesses]
    span = f"{min(among)} to {max(among)}" if among else "none"
    return (
        "## Archaeologist\n\n"
        "It looks at ages, managed fields, revisions, restarts, names and what was applied last, "
        "never at telemetry, and names one object a trial. Chance is one of the k objects changed "
        "in the last hour, benign changes included; p is the probability that chance hits at least "
        f"so often (exact, one-sided; below {LEVEL:.0%} it is more than chance; from {LEAST} trials"
        " on).\n\n"
        f"**{digs.hits} hits in {count} trials, {digs.expected:.1f} expected by chance (k: {span})"
        f", p = {digs.p:.3f}: {said}.**\n"
    )


def _seconds(value: float | None) -> str:
    return "none" if value is None else f"{value:.0f} s"


def _counts(agents: Sequence[Standing]) -> tuple[int, int]:
    """Unexpected ones, of how many results."""
    return sum(agent.unexpected for agent in agents), sum(len(agent.results) for agent in agents)
