"""Validating a problem: its control agents must get exactly the verdicts that it states."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents import registry
from faultyard.campaigns import entrants
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.errors import UnknownName
from faultyard.evidence.recorder import sealed
from faultyard.model.guesses import Guess, guess
from faultyard.model.problem import Control
from faultyard.model.record import Record, load_record
from faultyard.model.verdict import Verdict, judge
from faultyard.trials import verdicts
from faultyard.trials.problems import ProblemFolder
from faultyard.trials.trial import Trial, TrialSettings


@dataclass(frozen=True)
class Row:
    """One control trial and what was expected of it."""

    problem: str
    agent: str
    seed: int
    expected: str
    verdict: Verdict
    differences: tuple[str, ...]
    duration_s: float
    ended: float
    """When its trial ended, unix seconds."""
    record: Path
    fresh: bool
    """False: the record was there already."""
    guess: Guess | None = None
    """Of an agent that only names an object."""

    @property
    def as_expected(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    @property
    def is_result(self) -> bool:
        """Whether it says anything about the problem."""
        return self.verdict.is_result


@dataclass(frozen=True)
class Plan:
    """Which control trials there are to be.

    Args:
        problem: the problem.
        controls: its control agents, or some of them.
        seeds: each control agent runs once on each; see `entrants.seed`.
        folder: gets a folder per trial; sealed records in it are not run again.
        known: control agents with a seed that are left out.
    """

    problem: ProblemFolder
    controls: Sequence[Control]
    seeds: Sequence[int]
    folder: Path
    known: frozenset[tuple[str, int]] = frozenset()

    @property
    def trials(self) -> list[tuple[Control, int]]:
        """The trials in their order: control agent and seed."""
        name = self.problem.problem.name
        listed = [
            (control, entrants.seed(control.agent, name, number))
            for number in self.seeds
            for control in self.controls
        ]
        return [(c, seed) for c, seed in listed if (c.agent, seed) not in self.known]

    @property
    def place(self) -> Path:
        """Where the records lie.

        The problem's hash is in its name, so a changed problem takes no old record for its own.
        """
        name = self.problem.problem.name.replace("/", "-")
        return self.folder / f"{name}-{self.problem.hash[:8]}"

    def record(self, control: Control, seed: int) -> Path:
        """Where a trial's record lies."""
        return self.place / f"{control.agent}{entrants.mark(control.agent)}-s{seed}"


def plans(
    found: Sequence[ProblemFolder],
    agents: Collection[str],
    seeds: Sequence[int],
    folder: Path,
    attackers: bool = False,
) -> list[Plan]:
    """Plan the control trials of several problems.

    Args:
        found: the problems.
        agents: only those of these names, general ones too; none: a problem's own, or attackers.
        seeds: see `Plan`.
        folder: see `Plan`.
        attackers: with no names, all attackers instead of the problems' own control agents.

    Raises:
        UnknownName: no problem has a control agent of a name that was asked for.
    """
    known = {name for one in found for name in entrants.all_of(one.problem)}
    unknown = set(agents) - known
    if unknown:
        there = ", ".join(sorted(known))
        raise UnknownName(f"no control agent {', '.join(sorted(unknown))}; there are: {there}")
    planned = []
    for one in found:
        usual = entrants.attackers(one.problem) if attackers else one.problem.controls
        every = entrants.all_of(one.problem)
        chosen = [every[name] for name in dict.fromkeys(agents) if name in every]
        chosen = chosen if agents else list(usual)
        if chosen:
            planned.append(Plan(one, chosen, seeds, folder))
    return planned


def validate(
    plan: Plan,
    artifacts: Artifacts,
    report: Callable[[str], None],
    done: Callable[[Row], None],
) -> list[Row]:
    """Run the plan's trials one after the other; those whose records are there are only judged.

    A record without a result is put aside, and the trial runs again.

    Args:
        plan: which.
        artifacts: what set-up built.
        report: is told each phase.
        done: is told each row as it comes.
    """
    rows = []
    for control, seed in plan.trials:
        rows.append(_row(plan, control, seed, artifacts, report))
        done(rows[-1])
    return rows


def has_result(folder: Path) -> bool:
    """Whether there is a record with a result; one without is put aside.

    Raises:
        DamagedRecord: it does not fit its manifest.
    """
    if not sealed(folder):
        return False
    if judge(load_record(folder)).is_result:
        return True
    number = 1
    while (aside := folder.with_name(f"{folder.name}-error-{number}")).exists():
        number += 1
    given = verdicts.file_of(folder)
    if given.exists():
        given.rename(verdicts.file_of(aside))
    folder.rename(aside)
    return False


def _row(
    plan: Plan, control: Control, seed: int, artifacts: Artifacts, report: Callable[[str], None]
) -> Row:
    folder = plan.record(control, seed)
    fresh = not has_result(folder)
    if fresh:
        rendered = plan.problem.problem.render(seed)
        agent = registry.choose(control.agent, rendered, plan.problem.folder)
        settings = TrialSettings(plan.problem, agent, seed, folder)
        told = f"{control.agent} (seed {seed})"
        Trial(settings, artifacts, lambda phase: report(f"{told}: {phase}")).run()
    return judged(plan, control, seed, fresh)


def judged(plan: Plan, control: Control, seed: int, fresh: bool) -> Row:
    """The row of a trial whose record is there.

    Args:
        plan: its plan.
        control: its agent.
        seed: its seed.
        fresh: it has just been run.
    """
    record = load_record(plan.record(control, seed))
    return row_of(record, control, fresh)


def row_of(record: Record, control: Control, fresh: bool) -> Row:
    """The row of a trial whose record was read.

    Args:
        record: the record.
        control: its agent, with the verdict that is expected.
        fresh: it has just been run.
    """
    trial, verdict = record.trial, judge(record)
    return Row(
        problem=trial.problem,
        agent=trial.agent,
        seed=trial.seed,
        expected=control.expect.value,
        verdict=verdict,
        differences=tuple(entrants.differences(control, verdict)),
        duration_s=trial.times["ended"] - trial.times["started"],
        ended=trial.times["ended"],
        record=Path(record.source),
        fresh=fresh,
        guess=guess(record) if trial.agent == entrants.ARCHAEOLOGIST else None,
    )
