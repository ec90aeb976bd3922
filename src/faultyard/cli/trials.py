"""`run`, `validate` and `verify`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from faultyard.agents import registry
from faultyard.agents.command import passed_through
from faultyard.agents.privacy import closed, require_showable
from faultyard.campaigns import capacity, entrants, parallel, validation, validity
from faultyard.cli import paths, reports
from faultyard.cli.cells import phases
from faultyard.cli.problems import Seed
from faultyard.clusters.embedded import artifacts, layout
from faultyard.clusters.embedded.commands import require_root
from faultyard.model import manifests
from faultyard.model.autopsy import Mistake
from faultyard.model.record import parse_record, read_files
from faultyard.model.verdict import Verdict, judge
from faultyard.model.vocabulary import Outcome
from faultyard.reports import autopsies, terminal, wording
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings

MOUNT = click.Path(exists=True, path_type=Path)
OUTPUT = click.Path(path_type=Path)
AT_LEAST_1 = click.IntRange(min=1)


@click.command("run")
@click.argument("problem")
@click.option("-a", "--agent", "agent_name", required=True, help="See list agents.")
@Seed
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    help="Folder for the record; default: records/PROBLEM-AGENT-sSEED-TIME.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
@click.option(
    "--mount",
    multiple=True,
    type=MOUNT,
    help="A folder that the agent's program needs; repeatable.",
)
@click.option("--env", multiple=True, help="NAME of a variable of yours that it needs; repeatable.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def run_command(  # noqa: PLR0913, PLR0917 - one for each option
    problem: str,
    agent_name: str,
    seed: int,
    output: Path | None,
    as_json: bool,
    mount: tuple[Path, ...],
    env: tuple[str, ...],
    command: tuple[str, ...],
) -> None:
    """Run one trial of an agent at PROBLEM, in a cell of its own.

    With `-a command`, COMMAND is the agent: faultyard run hotel/wrong-target-port -a command --
    bash -c 'kubectl get pods -A'. It finds the alert in $ALERT_FILE, a KUBECONFIG and an SSH key,
    and ends its turn by exit. With `-a human` you are; with --json you see your turn on standard
    error.
    """
    require_root()
    found = problems.find(problem)
    options = registry.CommandOptions(command, passed_through(env), mount, 2 if as_json else 1)
    agent = registry.choose(agent_name, found.problem.render(seed), found.folder, options)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    default = Path("records") / f"{problem.replace('/', '-')}-{agent_name}-s{seed}-{stamp}"
    folder = output or default
    require_showable(mount, closed(layout.state_folder(), (folder, found.folder)))
    paths.require_folder(folder)
    built = artifacts.ensure(build=False)
    settings = TrialSettings(found, agent, seed, folder)
    verdict = Trial(settings, built, phases()).run()
    report, mistakes = None, []
    try:
        report = reports.write(folder)
        mistakes = autopsies.of_folder(folder, verdict)
    finally:  # a trial takes minutes: its verdict is shown, whatever becomes of the page
        title = f"{problem}, {agent_name}, seed {seed}"
        show_verdict(verdict, title, as_json, folder, report, mistakes)
    sys.exit(3 if verdict.outcome is Outcome.RUNTIME_ERROR else 0)


def show_verdict(
    verdict: Verdict,
    title: str,
    as_json: bool,
    folder: Path,
    report: Path | None = None,
    mistakes: Sequence[Mistake] = (),
    facts: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Print a verdict and where its record lies, with the report if one was written.

    Args:
        verdict: the verdict.
        title: says what of.
        as_json: print it as JSON.
        folder: the record's.
        report: the page, if one was written.
        mistakes: how it came to that.
        facts: more for the JSON.
    """
    places = {"record": str(folder)} | ({"report": str(report)} if report else {})
    if as_json:
        said = wording.worded(verdict).to_json()
        how = {"autopsy": [mistake.to_json() for mistake in mistakes]}
        click.echo(json.dumps({**said, **how, **places, **facts}, indent=1))
        return
    terminal.print_verdict(verdict, title, mistakes)
    if report:
        click.echo(terminal.summary(verdict))
    for name, place in places.items():
        click.echo(f"  {name}: {place}")


class Jobs(click.IntRange):
    """A number from 1 on, or `auto`."""

    name = "number or auto"

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; of `auto`, what this machine has room for now."""
        if value == "auto":
            return capacity.trials_at_once()
        number: int = super().convert(value, param, ctx)
        return number


@click.command("validate")
@click.argument("problem", required=False)
@click.option("--all", "every", is_flag=True, help="All problems that come with the tool.")
@click.option(
    "--seeds", default=1, type=AT_LEAST_1, show_default=True, help="How many seeds, from 1 on."
)
@click.option(
    "-a",
    "--agent",
    "agents",
    multiple=True,
    help="Only this control agent, attacker, or the archaeologist; repeatable.",
)
@click.option("--attackers", is_flag=True, help="The attackers, not the problem's control agents.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    default="records/validation",
    show_default=True,
    help="Folder for the records; those present are not run again.",
)
@click.option(
    "-j",
    "--jobs",
    type=Jobs(),
    default="1",
    show_default=True,
    help="How many trials at once: a number, or auto for as many as there is room for now.",
)
@click.option(
    "--rows",
    is_flag=True,
    help="Write each trial into docs/validity.jsonl; leave out those that have a fresh row there.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON line per trial.")
def validate_command(  # noqa: PLR0913, PLR0917 - one for each option
    problem: str | None,
    every: bool,
    seeds: int,
    agents: tuple[str, ...],
    attackers: bool,
    output: Path,
    jobs: int,
    rows: bool,
    as_json: bool,
) -> None:
    """Run the control agents of PROBLEM, or attackers, and compare with the expected verdicts.

    Exits with 1 when anything is not as expected.
    """
    require_root()
    if (problem is None) != every:
        raise click.UsageError("name a problem, or say --all")
    if attackers and agents:
        raise click.UsageError("--attackers or -a, not both")
    found = [problems.find(name) for name in (problems.names() if problem is None else [problem])]
    plans = validation.plans(found, agents, range(1, seeds + 1), output, attackers)
    if rows:
        fresh = validity.read().fresh
        plans = [validity.without_fresh(plan, fresh) for plan in plans]
    paths.require_folder(output)
    built = artifacts.ensure(build=False)
    done = _printer(plans, rows, as_json)
    tried: list[validation.Row] = []
    for plan in plans:
        if not as_json:
            click.echo(f"{plan.problem.problem.name}\n{plan.problem.problem.render(1).alert}")
        if jobs == 1:
            tried += validation.validate(plan, built, phases(), done)
    if jobs > 1:
        tried = parallel.validate(plans, jobs, phases(), done)
    if not as_json:
        click.echo(conclusion(tried, sum(len(plan.known) for plan in plans)))
    sys.exit(0 if all(row.as_expected for row in tried) else 1)


def _printer(
    plans: Sequence[validation.Plan], write: bool, as_json: bool
) -> Callable[[validation.Row], None]:
    prints = {
        (plan.problem.problem.name, control.agent): entrants.fingerprint(
            plan.problem, control.agent
        )
        for plan in plans
        for control in plan.controls
    }

    def show(row: validation.Row) -> None:
        committed = validity.of_row(row, prints[row.problem, row.agent])
        if write:
            validity.append(committed)
        if as_json:
            click.echo(json.dumps({**committed.to_json(), "record": str(row.record)}))
            return
        title = f"{row.problem}, {row.agent}, seed {row.seed}, {row.duration_s:.0f} s"
        terminal.print_verdict(row.verdict, title)
        word = "as expected"
        if not row.is_result:
            word = f"NO RESULT, expected {row.expected}"
        elif not row.as_expected:
            word = f"NOT AS EXPECTED: {'; '.join(row.differences)}"
        click.echo(f"  {word}; record: {row.record}")

    return show


def conclusion(rows: Sequence[validation.Row], known: int = 0) -> str:
    """What a validation came to, and what to do now.

    Args:
        rows: its trials.
        known: how many were left out, as their rows are fresh.
    """
    good = sum(row.as_expected for row in rows)
    missing = sum(not row.is_result for row in rows)
    said = f"{good} of {len(rows)} as expected"
    if known:
        said += f", {known} more have fresh rows"
    if missing:
        said += (
            f"; {missing} without a result: give the same command again when nothing else runs on"
            " this machine, it runs only these anew"
        )
    for row in rows[-1:]:
        said += f"\nto tell one of them as a page: faultyard report {row.record}"
    return said


@click.command("verify")
@click.argument("record", type=paths.RECORD)
@click.option(
    "--unsealed", is_flag=True, help="Recompute although the files do not fit the manifest."
)
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON.")
def verify_command(record: Path, unsealed: bool, as_json: bool) -> None:
    """Recompute the verdict of RECORD from its raw observations.

    Exits with 3 when the record is damaged. With --unsealed a broken seal is told on standard
    error, and in the JSON: `sealed` is false, and `differing_files` lists what does not fit.
    """
    content = read_files(record)
    loaded = parse_record(content, str(record), unsealed)
    title = f"{loaded.trial.problem}, {loaded.trial.agent}, seed {loaded.trial.seed}"
    differing = manifests.differing(content)
    if differing:
        click.echo(terminal.broken_seal(differing.values()), err=True)
    seal = {"sealed": not differing, "differing_files": sorted(differing)}
    verdict = judge(loaded)
    mistakes = autopsies.of_record(loaded, content, verdict)
    show_verdict(verdict, title, as_json, record, mistakes=mistakes, facts=seal)
