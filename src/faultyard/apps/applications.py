"""Applications on disk: a folder with an app.yaml is one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from faultyard.clusters.errors import Refused, UnknownName
from faultyard.model import yaml_text
from faultyard.model.application import Application, Journey, load_application
from faultyard.model.partials import merge
from faultyard.model.refs import ref_of

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class ApplicationFolder:
    """An application's description and the files beside it."""

    folder: Path
    description: Application
    journeys: Mapping[str, Journey]

    @property
    def manifests(self) -> Path:
        """The folder of its manifests."""
        return self.folder / self.description.manifests

    @property
    def journeys_file(self) -> Path:
        """What the load generator reads."""
        return self.folder / self.description.journeys

    def objects(self) -> list[dict[str, Any]]:
        """Every object of its manifests, in the order in which they are applied."""
        found = []
        for file in sorted(self.manifests.glob("*.yaml")):
            found += [item for item in yaml_text.load_all(file.read_text()) if item]
        return found

    def releases(self) -> list[list[dict[str, Any]]]:
        """The Deployments of its past releases, the oldest first: whole manifests without pods.

        Raises:
            Refused: the file of its history is not as it should be.
        """
        if self.description.history is None:
            return []
        file = self.folder / self.description.history
        own = {ref_of(item): item for item in self.objects()}
        try:
            listed = [entry["objects"] for entry in yaml_text.load(file.read_text())["history"]]
            return [[_past(own[ref_of(part)], part) for part in parts] for parts in listed]
        except (FileNotFoundError, KeyError, TypeError, yaml.YAMLError) as error:
            what = "a list `history` of entries with title and objects, each one of the manifests"
            raise Refused(f"{file} is not {what}: {error!r}") from error


def _past(manifest: Mapping[str, Any], partial: Mapping[str, Any]) -> dict[str, Any]:
    return merge(merge(manifest, partial), {"spec": {"replicas": 0}})


def find(name: str) -> ApplicationFolder:
    """Find an application.

    Args:
        name: of one that comes with the tool, or the path of a folder with an app.yaml.

    Raises:
        UnknownName: there is none.
        DescriptionError: its description is wrong.
    """
    folder = Path(name) if "/" in name or Path(name, "app.yaml").exists() else ROOT / "apps" / name
    if not (folder / "app.yaml").is_file():
        known = ", ".join(sorted(p.parent.name for p in (ROOT / "apps").glob("*/app.yaml")))
        raise UnknownName(
            f"no application {name}; there are: {known}, or give a folder with app.yaml"
        )
    description, journeys = load_application(folder)
    return ApplicationFolder(folder.resolve(), description, journeys)
