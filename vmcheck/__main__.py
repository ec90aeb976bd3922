"""`python -m vmcheck`: boots a stock Debian with cgroup v2 in QEMU, and uses the tool in it."""

from __future__ import annotations

import dataclasses
import math
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from faultyard.clusters.embedded.artifacts.cache import default_root
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from vmcheck import images, machine, steps
from vmcheck.agent import Agent, NoAnswer
from vmcheck.machine import Machine

JOB = """
import hashlib, time
start = time.process_time(), time.monotonic()
table = {}
for number in range(300000):
    table[str(number)] = hashlib.sha256(str(number).encode()).digest()
print(time.process_time() - start[0], time.monotonic() - start[1])
"""
"""Something that keeps a processor busy, and the seconds of it and of the clock that it took."""
PROGRAMS = ("qemu-system-x86_64", "mke2fs", "git")
PACKAGES = "qemu-system-x86 e2fsprogs git"
UNKNOWN_PATIENCE = 200.0
"""How long an emulated machine is waited for before its slowness is measured."""


@dataclasses.dataclass(frozen=True)
class Level:
    """How one step went."""

    name: str
    reached: bool
    took_s: float
    seen: str


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the result there too.")
@click.option("--nodes", help="Of the cell; 2 with KVM, 1 without.", type=int)
def main(output: Path | None, nodes: int | None) -> None:
    """Boot the machine, go up the levels, print how far it came."""
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    if absent:
        raise click.ClickException(f"{', '.join(absent)} missing: apt-get install {PACKAGES}")
    try:
        disks = images.make(default_root() / "vm")
    except ArtifactError as error:
        raise click.ClickException(str(error)) from error
    accelerated = machine.kvm_works(disks.kernel)
    if not accelerated and not Path(machine.FAKETIME).exists():
        raise click.ClickException(
            "KVM does not work here; to do without: apt-get install libfaketime"
        )
    with tempfile.TemporaryDirectory() as folder:
        levels = check(disks, Path(folder), accelerated, nodes, output)
    Console(highlight=False).print(_table(levels))
    sys.exit(0 if all(level.reached for level in levels) else 3)


def check(
    disks: images.Images, folder: Path, accelerated: bool, nodes: int | None, output: Path | None
) -> list[Level]:
    """Boot the machine and go up the levels.

    Args:
        disks: what it boots from.
        folder: for its sockets and console.
        accelerated: run it by KVM.
        nodes: of the cell; what fits the machine when None.
        output: gets the result after every level, so that a check that is ended leaves one.
    """
    patience = 1.0 if accelerated else UNKNOWN_PATIENCE
    levels = []
    try:
        with machine.running(disks, folder, accelerated=accelerated, patience=patience) as booted:
            levels = [Level("the machine answers", True, booted.boot_s, "")]
            factor = slowness(booted.agent)
            patience = 1.0 if accelerated else max(1.0, math.ceil(factor))
            count = nodes or (2 if accelerated else 1)
            for level in climb(booted, patience, count):
                levels.append(level)
                if output:
                    output.write_text(told(levels, booted, factor, count))
    except (machine.NotBooted, NoAnswer) as error:
        console = (folder / "console.log").read_text(errors="replace")[-2000:]
        raise click.ClickException(f"{error}\n{console}") from error
    return levels


def slowness(agent: Agent) -> float:
    """How many times as long as the host the machine takes for the same job, by its own clock."""
    done = agent.run(f"python3 -c '{JOB}'", within_s=60 * UNKNOWN_PATIENCE)
    here = subprocess.run([sys.executable, "-c", JOB], capture_output=True, text=True, check=True)
    # Of the host its processor time: what else runs here makes the machine slow, not the host.
    return float(done.output.split()[1]) / float(here.stdout.split()[0])


def climb(booted: Machine, patience: float, nodes: int) -> Iterator[Level]:
    """Go through the steps until one fails; what clears up is done all the same."""
    reached = True
    for step in steps.steps(accelerated=booted.accelerated):
        if not reached and not step.clears_up:
            continue
        script = steps.filled(step, patience=patience, nodes=nodes)
        start = time.monotonic()
        try:
            done = booted.agent.run(f"set -e\n{script}", step.within_s * patience * booted.slower)
            said = f"{done.errors}\n{done.output}".strip()
            level = Level(step.name, done.code == 0, done.took_s, said)
        except (NoAnswer, OSError) as error:
            level = Level(step.name, False, time.monotonic() - start, str(error))
        mark = "reached" if level.reached else "NOT reached"
        click.echo(f"{level.took_s:8.1f} s  {mark}: {level.name}\n{level.seen}", err=True)
        reached = reached and level.reached
        yield level


def told(levels: Sequence[Level], booted: Machine, factor: float, nodes: int) -> str:
    """The result as a page of Markdown."""
    how = "KVM" if booted.accelerated else "emulated, without KVM"
    lines = [
        "# The last result of `make vm-check`",
        "",
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, on Linux {platform.release()}: {how}, "
        f"{machine.PROCESSORS} processors, {machine.MEMORY_MIB} MiB, a cell with {nodes} node(s). "
        f"The machine's clock ran {booted.slower} times slower than the host's; by its clock the "
        f"same job took {factor:.1f} times as long as on the host.",
        "",
        "| level | reached | seconds by the host's clock | last line seen |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {each.name} | {'yes' if each.reached else '**no**'} | {each.took_s:.0f} "
        f"| {_last(each.seen)} |"
        for each in levels
    ]
    return "\n".join(lines) + "\n"


def _table(levels: Sequence[Level]) -> Table:
    table = Table("level", "reached", "seconds", "last line seen", box=None, pad_edge=False)
    for each in levels:
        reached = "yes" if each.reached else "no"
        table.add_row(each.name, reached, f"{each.took_s:.0f}", _last(each.seen))
    return table


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1].replace("|", "\\|")[:160] if lines else ""


if __name__ == "__main__":
    main()
