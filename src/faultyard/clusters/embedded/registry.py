"""The cell's image registry: nodes really pull from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.namespaces import Namespaces

LOG = "registry.log"


def start(namespaces: Namespaces, paths: layout.CellPaths, binary: Path) -> int:
    """Start the registry on the cell's clone of the image store; returns its PID in the cell."""
    file = paths.folder / "registry.yml"
    file.write_text(yaml.safe_dump(configuration(paths.roots / "registry")))
    environment = {"OTEL_TRACES_EXPORTER": "none"}
    argv = [str(binary), "serve", str(file)]
    return namespaces.start("registry", argv, paths.log / LOG, env=environment)


def configuration(store: Path) -> dict[str, Any]:
    """Its configuration.

    Nobody logs in to it, so nobody may write: another image under a tag that is in use would be a
    change that no object of the cluster shows.

    Args:
        store: the folder with the images.
    """
    return {
        "version": 0.1,
        "log": {"level": "info", "accesslog": {"disabled": False}},
        "storage": {
            "filesystem": {"rootdirectory": str(store)},
            "maintenance": {"readonly": {"enabled": True}, "uploadpurging": {"enabled": False}},
        },
        "http": {"addr": f"{layout.GATEWAY}:{layout.REGISTRY_PORT}"},
    }
