"""What a result rests on: it is fresh as long as none of this has changed."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from faultyard.apps.applications import ROOT
from faultyard.checks import registry as registry_of_checks
from faultyard.clusters.embedded.artifacts import binaries
from faultyard.clusters.embedded.artifacts import modules as go_modules
from faultyard.faults import registry
from faultyard.model import predicates
from faultyard.model.verdict import SCORING_VERSION
from faultyard.trials import hold_events, noise
from faultyard.trials.problems import ProblemFolder

LENGTH = 16
"""Hexadecimal digits of a fingerprint."""
PROGRAMS = (ROOT / binaries.APPS, ROOT / binaries.ADDONS, Path(str(go_modules.__file__)))
"""What is in the images of an application: our own programs, and others' with what is mended."""


def places(found: ProblemFolder) -> list[Path]:
    """What happens in a problem's trials rests on: its folder, its application, its faults, checks.

    Noise and events of the hold too.

    Not the rest of the code, which tests hold: a trial that needs more than this to stay the same
    is a defect of the harness, whatever was changed in it.
    """
    return sorted({found.folder, *places_beside(found)})


def places_beside(found: ProblemFolder) -> list[Path]:
    """The same without the problem's own folder, whose hash every record has."""
    judged = [predicates.defined_in(check.kind) for check in found.problem.checks]
    return _with_application(found, [*_done(found), *judged])


def places_done(found: ProblemFolder) -> list[Path]:
    """What a trial did, and how its observations were made, rests on, without the problem's folder.

    A record is judged anew by today's predicates, from what was observed: they are none of it.
    """
    tried = [registry_of_checks.defined_in(check.kind) for check in found.problem.checks]
    return _with_application(found, [*_done(found), *(name for name in tried if name)])


def _done(found: ProblemFolder) -> list[str]:
    """The modules by which faults, noise and events of the hold come."""
    names = [registry.defined_in(fault.kind) for fault in found.problem.faults]
    names += [noise.__name__] if found.problem.noise else []
    return names + ([hold_events.__name__] if found.problem.hold_events else [])


def _with_application(found: ProblemFolder, names: Iterable[str]) -> list[Path]:
    modules = [Path(str(sys.modules[name].__file__)) for name in names]
    return sorted({found.application.folder, *PROGRAMS, *modules})


def of_files(root: Path, paths: Iterable[str]) -> str:
    """The hash of files and folders: their names and contents, compiled Python left out.

    Args:
        root: the folder that the paths are relative to.
        paths: files and folders, in an order of meaning.

    Raises:
        FileNotFoundError: one of them does not exist.
    """
    digest = hashlib.sha256()
    for path in paths:
        for file in _files(root / path):
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            digest.update(f"{file.relative_to(root)}\0{content}\n".encode())
    return digest.hexdigest()[:LENGTH]


def of_control_trials(found: ProblemFolder) -> str:
    """The fingerprint of a problem's control trials: with the version of the verdict's rules."""
    digest = hashlib.sha256(f"scoring version {SCORING_VERSION}\n".encode())
    for place in places(found):
        base = ROOT if place.is_relative_to(ROOT) else place.parent
        digest.update(of_files(base, [str(place.relative_to(base))]).encode())
    return digest.hexdigest()[:LENGTH]


def _files(place: Path) -> list[Path]:
    if not place.is_dir():
        return [place]
    found = (file for file in place.rglob("*") if "__pycache__" not in file.parts)
    return sorted(file for file in found if file.is_file())
