"""`run` and `verify`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click

from faultyard.agents import registry
from faultyard.agents.command import passed_through
from faultyard.agents.privacy import closed, require_showable
from faultyard.cli import paths, reports
from faultyard.cli.cells import phases
from faultyard.cli.neighbours import Neighbours
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
@click.option(
    "--one-of-several",
    is_flag=True,
    hidden=True,
    help="Say nothing of cells beside it: who started it knows them.",
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def run_command(  # noqa: PLR0913, PLR0917 - one for each option
    problem: str,
    agent_name: str,
    seed: int,
    output: Path | None,
    as_json: bool,
    mount: tuple[Path, ...],
    env: tuple[str, ...],
    one_of_several: bool,
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
    if not one_of_several:
        Neighbours().warn()
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
