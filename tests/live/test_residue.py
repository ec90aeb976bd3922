"""The comparison of hosts sees what is really left: else finding nothing would prove nothing."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups, layout
from faultyard.clusters.waiting import wait_for
from live import residue, states

HARMLESS = Path("/proc/sys/fs/lease-break-time")
FILE_SIZE = 1 << 20


def run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True)


@contextlib.contextmanager
def a_process(state: Path) -> Iterator[None]:
    """One of a harness, told by its environment alone."""
    environment = {**os.environ, "FAULTYARD_STATE": str(state)}
    with subprocess.Popen(["sleep", "1000"], env=environment) as process:
        yield
        process.kill()


@contextlib.contextmanager
def a_namespace(_: Path) -> Iterator[None]:
    """One of a process that tells nothing."""
    argv = ["unshare", "--uts", "sh", "-c", "echo made; exec sleep 1000"]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"made\n"
        yield
        process.kill()


@contextlib.contextmanager
def a_mount(state: Path) -> Iterator[None]:
    (state / "run").mkdir()
    run("mount", "-t", "tmpfs", "tmpfs", str(state / "run"))
    yield
    run("umount", str(state / "run"))


@contextlib.contextmanager
def a_link(_: Path) -> Iterator[None]:
    run("ip", "link", "add", "v-left", "type", "bridge")
    yield
    run("ip", "link", "delete", "v-left")


@contextlib.contextmanager
def a_loop_device(state: Path) -> Iterator[None]:
    with (state / "pool.img").open("wb") as file:
        file.truncate(FILE_SIZE)
    run("losetup", "--find", str(state / "pool.img"))
    yield
    found = subprocess.run(
        ["losetup", "--noheadings", "--output", "NAME", "--associated", str(state / "pool.img")],
        check=True,
        capture_output=True,
        text=True,
    )
    run("losetup", "--detach", found.stdout.strip())


@contextlib.contextmanager
def a_cgroup(state: Path) -> Iterator[None]:
    name = f"cell-left-{layout.mark(state)}"
    cgroups.create(name)
    yield
    cgroups.remove(name)


@contextlib.contextmanager
def a_file(state: Path) -> Iterator[None]:
    (state / "cells/left").mkdir(parents=True)
    yield
    (state / "cells/left").rmdir()


@contextlib.contextmanager
def a_firewall(_: Path) -> Iterator[None]:
    run("nft", "add", "table", "ip", "left")
    yield
    run("nft", "delete", "table", "ip", "left")


@contextlib.contextmanager
def a_setting(_: Path) -> Iterator[None]:
    before = HARMLESS.read_text()
    HARMLESS.write_text(f"{int(before) + 1}\n")
    yield
    HARMLESS.write_text(before)


LEAVERS: dict[str, Callable[[Path], AbstractContextManager[None]]] = {
    "process": a_process,
    "namespace": a_namespace,
    "mount": a_mount,
    "link": a_link,
    "loop device": a_loop_device,
    "cgroup": a_cgroup,
    "file": a_file,
    "firewall": a_firewall,
    "setting": a_setting,
}


@pytest.mark.cost(3)
def test_what_is_left_is_seen_and_what_has_gone_is_not() -> None:
    with states.folder() as state:
        before = residue.look(state)
        assert set(LEAVERS) == set(before.things)
        for sort, leave in LEAVERS.items():
            with leave(state):
                wait_for(
                    f"the {sort} to be seen",
                    lambda sort=sort: seen(state, before, sort),
                    timeout_s=5,
                )
        residue.wait_for_nothing_more(before, state)


def seen(state: Path, before: residue.Host, sort: str) -> tuple[bool | None, str]:
    more = residue.look(state).more_than(before)
    return (True if any(one.startswith(f"{sort}: ") for one in more) else None), f"{more}"
