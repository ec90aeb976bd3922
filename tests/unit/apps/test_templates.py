"""What makes a template another one, and what does not."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from faultyard.apps import applications, templates

CLUSTERS = "src/faultyard/clusters"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the code that makes templates, to be changed."""
    for source in templates.SOURCES:
        shutil.copytree(templates.ROOT / source, tmp_path / source)
    monkeypatch.setattr(templates, "ROOT", tmp_path)
    return tmp_path


def key(etcd: str = "1", nodes: int = 2) -> str:
    built: Any = SimpleNamespace(keys={"etcd": etcd, "kube": "2"})
    return templates.key(built, applications.find("hotel"), nodes)


def test_the_same_code_makes_the_same_template(checkout: Path) -> None:
    assert key() == key()
    assert key(nodes=3) != key()


def test_another_artifact_makes_another_template(checkout: Path) -> None:
    assert key(etcd="3") != key()


@pytest.mark.parametrize(
    "place",
    [
        "src/faultyard/apps/deployment.py",
        f"{CLUSTERS}/workloads.py",
        f"{CLUSTERS}/embedded/nodes.py",
        f"{CLUSTERS}/embedded/manifests/new.yaml",
    ],
)
def test_code_that_makes_a_template_makes_another_one(checkout: Path, place: str) -> None:
    before = key()
    with (checkout / place).open("a") as file:
        file.write("# more\n")
    assert key() != before


@pytest.mark.parametrize(
    "place",
    [
        f"{CLUSTERS}/embedded/artifacts/downloads.py",
        f"{CLUSTERS}/embedded/artifacts/node/new",
        f"{CLUSTERS}/requirements/host.py",
        f"{CLUSTERS}/__pycache__/new.pyc",
    ],
)
def test_what_builds_artifacts_or_tries_the_machine_makes_no_other_one(
    checkout: Path, place: str
) -> None:
    before = key()
    (checkout / place).parent.mkdir(exist_ok=True)
    with (checkout / place).open("a") as file:
        file.write("# more\n")
    assert key() == before
