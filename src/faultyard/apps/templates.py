"""Templates of applications: made once for each version of everything that goes into one."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

from faultyard.apps import deployment, nights
from faultyard.apps.applications import ROOT, ApplicationFolder
from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.embedded.taking import take
from faultyard.clusters.embedded.template import Template

SOURCES = ("src/faultyard/clusters", "src/faultyard/apps")
"""The code that makes a template; another code makes another one."""
APART = ("src/faultyard/clusters/embedded/artifacts", "src/faultyard/clusters/requirements")
"""Not this: what builds artifacts, which their keys stand for, and what tries the machine."""


def ensure(
    artifacts: Artifacts,
    application: ApplicationFolder,
    nodes: int = 2,
    report: Callable[[str], None] = lambda _: None,
    state: Path | None = None,
) -> Template:
    """The template of an application; made first if there is none, which takes a minute or two.

    Args:
        artifacts: what set-up built.
        application: what is in it.
        nodes: number of workers.
        report: is told each phase of making it.
        state: the state folder.

    Raises:
        ClusterError: it could not be made.
    """
    folder = state or layout.state_folder()
    folder.mkdir(parents=True, exist_ok=True)
    pool = Pool(folder)
    name = f"{application.description.name}-{nodes}"
    target = pool.templates / f"{name}-{key(artifacts, application, nodes)}"
    with pool.used(), pool.lock(name):
        pool.open()
        if not target.exists():
            # What a killed one has half made too, whatever version that was of.
            for pattern in (f"{name}-*", f".making-{name}-*"):
                for old in pool.templates.glob(pattern):
                    pool.delete(old)
            _make(artifacts, application, nodes, report, folder, target)
    return Template(target)


def key(artifacts: Artifacts, application: ApplicationFolder, nodes: int) -> str:
    """The hash of all that makes a template what it is: artifacts, application, code, nodes."""
    digest = hashlib.sha256(json.dumps([dict(artifacts.keys), nodes], sort_keys=True).encode())
    for folder in (application.folder, *(ROOT / source for source in SOURCES)):
        for file in _files(folder):
            digest.update(f"{file.relative_to(folder)}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:20]


def _files(folder: Path) -> Iterator[Path]:
    apart = [ROOT / place for place in APART]
    for path in sorted(folder.rglob("*")):
        known = "__pycache__" in path.parts or any(place in path.parents for place in apart)
        if path.is_file() and not known:
            yield path


def _make(
    artifacts: Artifacts,
    application: ApplicationFolder,
    nodes: int,
    report: Callable[[str], None],
    state: Path,
    target: Path,
) -> None:
    report("no template of this version yet: making one, which takes a minute or two")
    cell = Cell(f"{layout.TRIAL}{secrets.token_hex(3)}", state)
    try:
        cell.up(artifacts, nodes, lambda phase: report(f"template: {phase}"))
        deployment.deploy(cell, application, lambda phase: report(f"template: {phase}"))
        report("template: the nights before")
        nights.live(cell, application)
        report("template: stopping it")
        take(cell, target)
    finally:
        cell.down()
