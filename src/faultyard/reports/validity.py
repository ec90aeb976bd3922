"""What control trials have shown, as a page of documentation."""

from __future__ import annotations

from collections.abc import Sequence

from faultyard.model.statistics import upper_bound
from faultyard.model.validity import SEEDS, ProblemStanding, Standing

HEAD = """\
# Validity

Made by `faultyard validity` from `validity.jsonl` (fresh rows) and `validity-history.jsonl` (rows
that stand for nothing today, with the reason). A row is one trial of a control agent: a scripted
agent with a verdict that its problem states. It is fresh while the problem, its application, the
kinds of fault and check that it uses, and the version of the verdict's rules are unchanged. Counted
here is what rests on today's.

- **unexpected**: another verdict, or other critical findings, than stated. **at most**: the rate of
  such verdicts that the results do not exclude, at 95 % (one-sided, Clopper-Pearson; for none of n
  it is less than 3/n), as if each trial were drawn anew.
- **no result**: ended as `runtime_error`, through the harness; no part of n. One whose record was
  not kept and that wrote no row is not counted.
- **flakes**: seeds on which the agent got the stated verdict and, another time, did not.
"""


def page(standings: Sequence[ProblemStanding]) -> str:
    """The page, as Markdown."""
    agents = [agent for one in standings for agent in one.agents]
    parts = [HEAD, _all(agents, len(standings)), _problems(standings)]
    parts += [_agents(one) for one in standings]
    return "\n".join(parts)


def summary(standings: Sequence[ProblemStanding]) -> str:
    """All of it in a line."""
    agents = [agent for one in standings for agent in one.agents]
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
        f"A problem is admitted when each of its control agents got its verdict on {SEEDS} seeds, "
        "and never another.\n",
        "| problem | admitted | n | unexpected | at most | no result | flakes | lacks |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for one in standings:
        seen, results = _counts(one.agents)
        lost = sum(agent.lost for agent in one.agents)
        flakes = sum(agent.flakes for agent in one.agents)
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
    every = len(one.agents)
    return "; ".join(
        f"{'every agent' if len(agents) == every else ', '.join(agents)} {rest}"
        for rest, agents in grouped.items()
    )


def _agents(one: ProblemStanding) -> str:
    lines = [
        f"## {one.problem}\n",
        "| agent | must get | n | unexpected | at most | no result | flakes | median | longest |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for agent in one.agents:
        counts = f"{len(agent.results)} | {agent.unexpected} | {agent.bound:.0%}"
        more = f"{agent.lost} | {agent.flakes}"
        times = f"{_seconds(agent.median_s)} | {_seconds(agent.max_s)}"
        lines.append(f"| {agent.agent} | {agent.expected.value} | {counts} | {more} | {times} |")
    return "\n".join(lines) + "\n"


def _seconds(value: float | None) -> str:
    return "none" if value is None else f"{value:.0f} s"


def _counts(agents: Sequence[Standing]) -> tuple[int, int]:
    """Unexpected ones, of how many results."""
    return sum(agent.unexpected for agent in agents), sum(len(agent.results) for agent in agents)
