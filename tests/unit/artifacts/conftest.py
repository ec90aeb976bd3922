from collections.abc import Callable
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.cache import Cache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def build_of(tmp_path: Path) -> Callable[[str], Build]:
    """Makes the folders of a build, as the cache does."""

    def make(name: str, needs: tuple[tuple[Artifact, Path], ...] = ()) -> Build:
        work = tmp_path / "builds" / name
        (work / "target").mkdir(parents=True)
        (work / "scratch").mkdir()
        return Build(
            target=work / "target",
            scratch=work / "scratch",
            needs={artifact.identity: folder for artifact, folder in needs},
            cache=tmp_path,
            log=work / "log",
        )

    return make
