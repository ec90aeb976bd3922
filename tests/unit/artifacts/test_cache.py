import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.errors import BuildFailed, DiskFull, NotBuilt
from faultyard.clusters.embedded.artifacts.programs import run

SOURCE = Path(__file__).parents[3] / "src"
# Builds an artifact that never gets ready: it writes a half, tells so, and waits for its end.
HALF_A_BUILD = """
import sys, time
from pathlib import Path
from faultyard.clusters.embedded.artifacts.artifact import Artifact
from faultyard.clusters.embedded.artifacts.cache import Cache
from faultyard.clusters.embedded.artifacts.programs import run

def build(build):
    (build.target / "half").write_text("half")
    run(["sh", "-c", "echo $$ > half.pid; touch started; exec sleep 3600"], build.log,
        cwd=build.scratch)

Cache(Path(sys.argv[1])).obtain(Artifact("tool", "a tool", {"version": "1"}, build))
"""


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, f"waited 20 s for {what}"
        time.sleep(0.02)


def whole(build: Build) -> None:
    (build.target / "whole").write_text("whole")


def tool(build: Callable[[Build], None] = whole) -> Artifact:
    return Artifact("tool", "a tool", {"version": "1"}, build)


@pytest.fixture
def killed_build(cache: Cache) -> Cache:
    """A cache in which a build was killed half-way."""
    started = cache.root / "building" / f"tool-{tool().key}" / "scratch" / "started"
    process = subprocess.Popen(
        [sys.executable, "-c", HALF_A_BUILD, str(cache.root)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    wait_until(started.exists, "the build to begin")
    process.send_signal(signal.SIGKILL)
    process.wait()
    return cache


def test_an_artifact_is_built_once(cache: Cache):
    built = []

    def build(build: Build) -> None:
        built.append(build)
        whole(build)

    folders = {cache.obtain(tool(build)) for _ in range(3)}
    assert len(built) == 1
    assert (folders.pop() / "whole").read_text() == "whole"


def test_a_failed_build_leaves_nothing_to_be_used(cache: Cache):
    def build(build: Build) -> None:
        whole(build)
        run(["false"], build.log)

    with pytest.raises(BuildFailed):
        cache.obtain(tool(build))
    assert not cache.has(tool())
    assert list((cache.root / "building").iterdir()) == []


def test_after_a_kill_the_half_is_not_used(killed_build: Cache):
    assert not killed_build.has(tool())


def test_after_a_kill_the_next_build_starts_anew(killed_build: Cache):
    folder = killed_build.obtain(tool())
    assert sorted(file.name for file in folder.iterdir()) == ["inputs.json", "whole"]


def test_a_kill_ends_what_the_build_was_running(killed_build: Cache):
    def works_there(link: Path) -> bool:
        try:
            return link.readlink().is_relative_to(killed_build.root)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            return False  # Any process of the machine may end between the list and the look.

    def sleeps() -> bool:
        return any(works_there(link) for link in Path("/proc").glob("[0-9]*/cwd"))

    wait_until(lambda: not sleeps(), "the build's program to end")


def test_sweeping_removes_what_killed_builds_left(killed_build: Cache):
    killed_build.sweep()
    assert list((killed_build.root / "building").iterdir()) == []


def test_sweeping_leaves_a_running_build_alone(cache: Cache):
    begun, go_on = threading.Event(), threading.Event()

    def build(build: Build) -> None:
        begun.set()
        assert go_on.wait(20)
        whole(build)

    thread = threading.Thread(target=cache.obtain, args=(tool(build),))
    thread.start()
    assert begun.wait(20)
    cache.sweep()
    go_on.set()
    thread.join()
    assert (cache.folder(tool()) / "whole").exists()


def test_who_comes_second_waits_for_the_first_and_uses_its_build(cache: Cache):
    built = []
    begun = threading.Event()

    def build(build: Build) -> None:
        built.append(build)
        begun.set()
        time.sleep(0.2)  # the second one shall meet the lock
        whole(build)

    threads = [threading.Thread(target=cache.obtain, args=(tool(build),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(built) == 1


def test_a_full_disk_is_named_as_such(cache: Cache):
    def build(build: Build) -> None:
        raise OSError(ENOSPC, "No space left on device")

    with pytest.raises(DiskFull, match=r"full .* Free some space"):
        cache.obtain(tool(build))


def test_a_full_disk_that_a_program_met_is_named_as_such(cache: Cache):
    def build(build: Build) -> None:
        run(["cp", "/etc/passwd", "/dev/full"], build.log)

    with pytest.raises(DiskFull):
        cache.obtain(tool(build))


def test_a_failed_programs_last_words_are_shown(cache: Cache):
    def build(build: Build) -> None:
        run(["sh", "-c", "echo the reason; exit 7"], build.log)

    with pytest.raises(BuildFailed, match=r"exited with 7.*\n.*the reason") as failure:
        cache.obtain(tool(build))
    log = Path(str(failure.value).rpartition(" ")[2])
    assert log.read_text() == "the reason\n"


def test_what_is_missing_is_named_with_what_to_do(cache: Cache):
    with pytest.raises(NotBuilt, match=r"a tool.*make setup"):
        cache.require([tool()])


def test_artifacts_that_nobody_uses_are_pruned(cache: Cache):
    old = Artifact("tool", "old", {"version": "0"}, whole)
    recent = Artifact("tool", "recent", {"version": "0.9"}, whole)
    for artifact in (old, recent, tool()):
        cache.obtain(artifact)
    long_ago = time.time() - 1000
    for artifact in (old, tool()):
        os.utime(cache.folder(artifact), (long_ago, long_ago))
    cache.prune([tool()], unused_for_s=500)
    assert [cache.has(artifact) for artifact in (old, recent, tool())] == [False, True, True]
