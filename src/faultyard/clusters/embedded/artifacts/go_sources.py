"""Which files of this repository a Go package is made of.

The compiler could tell, but it takes seconds and must be there; keys are computed at every start of
a command. So imports within the module are followed here. What is found may be too much (a path in
a comment counts), never too little.
"""

from __future__ import annotations

import re
from pathlib import Path

from faultyard.clusters.embedded.artifacts.errors import ArtifactError


def sources(module: Path, package: str) -> list[Path]:
    """The module's go.mod and go.sum and the folders of the package and of all that it imports.

    Args:
        module: the module's folder.
        package: "./…" within the module; one of another module depends on go.mod and go.sum alone.

    Raises:
        ArtifactError: there is no such package.
    """
    pins = [file for name in ("go.mod", "go.sum") if (file := module / name).is_file()]
    if not package.startswith("./"):
        return pins
    first = module / package
    if not first.is_dir():
        raise ArtifactError(f"there is no Go package {package} in {module}")
    return [*pins, *sorted(_reached(module, first))]


def _reached(module: Path, first: Path) -> set[Path]:
    path = _module_path(module)
    imported = re.compile(rf'"{re.escape(path)}/([^"\s]+)"')
    reached: set[Path] = set()
    waiting = [first]
    while waiting:
        folder = waiting.pop()
        if folder in reached:
            continue
        reached.add(folder)
        for file in folder.glob("*.go"):
            if not file.name.endswith("_test.go"):
                found = (module / name for name in imported.findall(file.read_text()))
                waiting.extend(folder for folder in found if folder.is_dir())
    return reached


def _module_path(module: Path) -> str:
    found = re.search(r"^module (\S+)", (module / "go.mod").read_text(), re.MULTILINE)
    if not found:
        raise ArtifactError(f"{module}/go.mod has no line `module PATH`")
    return found.group(1)
