"""The cell's image registry: nodes really pull from it."""

from __future__ import annotations

from pathlib import Path

import yaml

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.namespaces import Namespaces

LOG = "registry.log"


def start(namespaces: Namespaces, paths: layout.CellPaths, binary: Path) -> int:
    """Start the registry on the cell's clone of the image store; returns its PID in the cell."""
    configuration = {
        "version": 0.1,
        "log": {"level": "info", "accesslog": {"disabled": False}},
        "storage": {
            "filesystem": {"rootdirectory": str(paths.roots / "registry")},
            "delete": {"enabled": True},
        },
        "http": {"addr": f"{layout.GATEWAY}:{layout.REGISTRY_PORT}"},
    }
    file = paths.folder / "registry.yml"
    file.write_text(yaml.safe_dump(configuration))
    environment = {"OTEL_TRACES_EXPORTER": "none"}
    argv = [str(binary), "serve", str(file)]
    return namespaces.start("registry", argv, paths.log / LOG, env=environment)
