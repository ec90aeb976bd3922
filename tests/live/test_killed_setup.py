"""Set-up that is killed before any of its acts is finished by the next one, as if nothing had been.

Of what is built, of the storage under the cells, of the Python environment.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.waiting import wait_for
from live import rows, setups

pytestmark = pytest.mark.long
BOOTSTRAP = "scripts/bootstrap.sh"


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    made = Pool(tmp_path)
    try:
        yield made
    finally:
        made.remove()


@pytest.mark.cost(15)
def test_an_artifact_whose_making_was_killed_anywhere_is_whole_the_next_time(
    tmp_path: Path,
) -> None:
    cache = Cache(tmp_path / "cache")
    ends, halves = 0, 0
    for done in setups.killed("artifact", cache.root):
        halves += any((cache.root / "building").glob("*"))
        folder = cache.obtain(setups.tool())
        cache.sweep()  # as set-up does: the killed one may have got as far as the end
        assert sorted(file.name for file in folder.iterdir()) == ["inputs.json", "whole"]
        assert (folder / "whole").read_bytes() == Path("/etc/passwd").read_bytes()
        assert list((cache.root / "building").iterdir()) == []
        shutil.rmtree(folder)
        ends = done
    # Two programs, the sync and the move into place at least; some kills did leave a half.
    assert ends > 5
    assert halves > 2


@pytest.mark.cost(15)
def test_storage_whose_making_was_killed_anywhere_is_usable_the_next_time(pool: Pool) -> None:
    ends = 0
    for done in setups.killed("image", pool.state):
        pool.open()
        (pool.root / "file").write_text("usable")
        pool.remove()
        assert list(pool.state.iterdir()) == [pool.state / ".lock"]
        ends = done
    assert ends > 3


@pytest.mark.cost(30)
def test_a_template_whose_copying_was_killed_anywhere_is_whole_the_next_time(pool: Pool) -> None:
    source = pool.state / "source"
    source.mkdir()
    (source / "file").write_text("whole")
    pool.open()
    ends, halves = 0, 0
    for done in setups.killed("template", pool.state):
        halves += (pool.root / "golden/.making-node").exists()
        golden = pool.golden("node", "k1", source)
        assert (golden / "file").read_text() == "whole"
        assert [path.name for path in golden.parent.iterdir()] == ["node-k1"]
        pool.delete(golden)
        ends = done
    assert ends > 3
    assert halves > 1


@pytest.mark.cost(20)
def test_a_python_environment_whose_making_was_killed_is_made_anew(tmp_path: Path) -> None:
    checkout, cache = tmp_path / "checkout", tmp_path / "cache"
    (checkout / "scripts").mkdir(parents=True)
    shutil.copy(rows.ROOT / BOOTSTRAP, checkout / BOOTSTRAP)
    for pins in ("requirements.txt", "requirements-dev.txt"):
        (checkout / pins).write_text("# nothing to be fetched\n")
    environment = {**os.environ, "FAULTYARD_CACHE": str(cache)}
    half = cache / "venv/.building/bin/python"
    with subprocess.Popen(
        [checkout / BOOTSTRAP], env=environment, start_new_session=True, stderr=subprocess.DEVNULL
    ) as first:
        wait_for(
            "half an environment",
            lambda: (half.exists() or None, f"it ended: {first.poll()}"),
            timeout_s=60,
            every_s=0.01,
        )
        os.killpg(first.pid, signal.SIGKILL)
    assert half.exists()
    made = subprocess.run([checkout / BOOTSTRAP], env=environment, check=True, capture_output=True)
    folder = Path(made.stdout.decode().strip())
    assert [path.name for path in folder.parent.glob("*")] == [".lock", folder.name]
    subprocess.run([folder / "bin/python", "-m", "pip", "--version"], check=True)
