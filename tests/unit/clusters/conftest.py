from __future__ import annotations

import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups


@pytest.fixture
def unified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A name for a cgroup on a host with version 2 alone; needs root."""
    hierarchy = tmp_path / "hierarchy"
    hierarchy.mkdir()
    subprocess.run(["mount", "-t", "cgroup2", "cgroup2", hierarchy], check=True)
    monkeypatch.setattr(cgroups, "MOUNT", hierarchy)
    chosen = f"unified-{uuid.uuid4().hex}"
    try:
        yield chosen
    finally:
        try:
            cgroups.kill(chosen)
            cgroups.remove(chosen)
        finally:
            subprocess.run(["umount", hierarchy], check=True)
