"""Each capability is taken away for real: what tries it must say so, and what to do."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from faultyard.cli import main
from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.artifacts import machine
from unit.cli import forked, looks
from unit.cli.forked import OURS, Way

SOURCE = Path(main.__file__).parents[2]
Findings = dict[str, dict[str, str]]


def look(names: Sequence[str], way: Way = OURS) -> Findings:
    """What is found of some requirements by a process that is other in a certain way."""
    done = forked.call(looks.tell, names, way)
    assert (done.returncode, done.stderr) == (0, "")
    return _found(names, done.stdout)


def look_after(before: Sequence[str], names: Sequence[str], **env: str) -> Findings:
    """The same by a process that a program starts: what it takes away is away from there on."""
    done = subprocess.run(
        [*before, sys.executable, "-c", Path(looks.__file__).read_text(), *names],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **env},
    )
    return _found(names, done.stdout)


def _found(names: Sequence[str], printed: str) -> Findings:
    found: Findings = json.loads(printed)
    assert set(found) == set(names)
    return found


def without_capabilities(*names: str) -> list[str]:
    return ["setpriv", f"--bounding-set={','.join(f'-{name}' for name in names)}"]


def with_mounts(script: str, *arguments: str, **env: str) -> Way:
    """A process among mounts of its own, which a script changes first."""
    return Way(mounts=script, arguments=arguments, env=env)


def states(found: Findings) -> dict[str, str]:
    return {name: finding["state"] for name, finding in found.items()}


CAPABILITIES = {
    "sys_admin": {
        "namespaces": "missing",
        "mounts": "missing",
        "overlayfs": "missing",
        "clones": "limited",
        "nodes": "missing",
        "sandbox": "missing",
    },
    "net_admin": {"namespaces": "ok", "network": "missing", "packet filter": "missing"},
    "mknod": {"namespaces": "ok", "mounts": "missing"},
    "setuid": {"mounts": "ok", "sandbox": "missing"},
    "setpcap": {"mounts": "ok", "nodes": "missing"},
    "sys_nice": {"mounts": "ok", "real-time priority": "limited"},
}


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_without_a_capability_what_needs_it_is_missing_and_nothing_else(capability: str) -> None:
    expected = CAPABILITIES[capability]
    found = look_after(without_capabilities(capability), list(expected))
    assert states(found) == expected
    for finding in found.values():
        assert finding["seen"]
        if finding["state"] != "ok":
            assert "privileged" in finding["remedy"] or "loop devices" in finding["remedy"]


def test_a_kernel_that_does_not_tell_its_types_cannot_record_processes() -> None:
    name = "recording of processes"
    if states(look([name])) == {name: "untried"}:
        pytest.skip("the recorder is not built")
    found = look([name], with_mounts("mount --bind /dev/null /sys/kernel/btf/vmlinux"))
    assert states(found) == {name: "limited"}
    assert "records lack what is started" in found[name]["seen"]
    assert "/sys/kernel/btf/vmlinux" in found[name]["remedy"]


def test_without_cgroups_of_version_2_nodes_are_less_isolated(tmp_path: Path) -> None:
    name = "isolation of nodes"
    if cgroups.unified() or states(look([name])) == {name: "untried"}:
        pytest.skip("there is nothing beside version 2, or the rules are not built")
    hide = with_mounts('mount --bind "$1" /sys/fs/cgroup/unified', str(tmp_path))
    found = look([name], hide)
    assert states(found) == {name: "limited"}
    assert "root on a node can change the host's settings" in found[name]["seen"]
    assert "mount cgroup2" in found[name]["remedy"]


def test_another_user_than_root_is_told_so_and_nothing_else_is_tried(tmp_path: Path) -> None:
    # Another user need not be able to read this checkout.
    shutil.copytree(SOURCE / "faultyard", tmp_path / "faultyard")
    tmp_path.chmod(0o755)
    before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    for parent in tmp_path.parents:
        if not parent.stat().st_mode & 0o001:
            script = f'mount --bind {tmp_path} /mnt; exec "$@"'
            mounted = ["unshare", "--mount", "--propagation=private", "sh", "-ec", script, "sh"]
            before = [*mounted, *before]
            break
    found = look_after(before, ["root", "namespaces", "sandbox"], PYTHONPATH="/mnt")
    assert found["root"]["state"] == "missing"
    assert "sudo" in found["root"]["remedy"]
    assert found["namespaces"]["state"] == found["sandbox"]["state"] == "untried"


@pytest.fixture
def path_without(tmp_path: Path) -> str:
    """A folder with all programs of this machine, of which a test may take some away."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for place in ("/usr/bin", "/usr/sbin"):
        for program in Path(place).iterdir():
            (folder / program.name).unlink(missing_ok=True)
            (folder / program.name).symlink_to(program)
    return str(folder)


def test_a_program_that_is_not_there_is_told_with_its_package(path_without: str) -> None:
    for name in ("systemd-nspawn", "tini"):
        (Path(path_without) / name).unlink()
    found = look(["programs", "namespaces", "nodes", "mounts"], Way(env={"PATH": path_without}))
    assert found["programs"]["state"] == "missing"
    assert found["programs"]["seen"] == "not on the PATH: systemd-nspawn, tini"
    assert found["programs"]["remedy"].endswith("apt-get install systemd-container tini")
    assert found["namespaces"] == {
        "name": "namespaces",
        "state": "untried",
        "seen": "needs tini",
        "remedy": "",
    }
    assert found["nodes"]["seen"] == "needs systemd-nspawn"
    assert found["mounts"]["state"] == "ok"


def test_without_loop_devices_nodes_are_copied() -> None:
    found = look(["clones"], with_mounts("mount -t tmpfs tmpfs /dev; mknod -m 666 /dev/null c 1 3"))
    assert states(found) == {"clones": "limited"}
    assert "copied instead of cloned" in found["clones"]["seen"]


def test_without_cgroups_there_are_no_cells() -> None:
    found = look(["cgroups", "nodes"], with_mounts("mount -t tmpfs tmpfs /sys/fs/cgroup"))
    assert states(found) == {"cgroups": "missing", "nodes": "missing"}
    assert "no cgroup hierarchy" in found["cgroups"]["seen"]


@pytest.mark.skipif(cgroups.unified(), reason="this host has cgroup v2")
def test_a_controller_that_is_not_mounted_is_named(tmp_path: Path) -> None:
    # In a new tmpfs: removing the folder itself would unmount it in every namespace there is.
    script = f"""
    mount --rbind /sys/fs/cgroup {tmp_path}
    mount -t tmpfs tmpfs /sys/fs/cgroup
    for name in cpu cpuacct cpuset devices freezer memory systemd; do
        mkdir /sys/fs/cgroup/$name
        mount --bind {tmp_path}/$name /sys/fs/cgroup/$name
    done
    """
    found = look(["cgroups"], with_mounts(script))
    assert states(found) == {"cgroups": "missing"}
    assert found["cgroups"]["seen"] == "not mounted below /sys/fs/cgroup: pids"


@pytest.mark.skipif(cgroups.unified(), reason="this host has cgroup v2")
def test_controllers_that_version_2_does_not_have_are_named() -> None:
    found = look(["cgroups"], with_mounts("mount -t cgroup2 cgroup2 /sys/fs/cgroup"))
    assert states(found) == {"cgroups": "missing"}
    assert found["cgroups"]["seen"] == "new cgroups lack cpu, cpuset, memory, pids"


def test_cgroups_that_cannot_be_written_are_missing() -> None:
    script = "for place in /sys/fs/cgroup/*; do mount -o remount,bind,ro $place || true; done"
    found = look(["cgroups"], with_mounts(f"{script}; mount -o remount,bind,ro /sys/fs/cgroup"))
    assert states(found) == {"cgroups": "missing"}
    assert "Read-only file system" in found["cgroups"]["seen"]


def test_a_disk_that_is_too_small_is_told(tmp_path: Path) -> None:
    folders = {"FAULTYARD_CACHE": f"{tmp_path}/cache", "FAULTYARD_STATE": f"{tmp_path}/state"}
    small = with_mounts(f"mount -t tmpfs -o size=64m tmpfs {tmp_path}", **folders)
    found = look(["room for the cache", "room for cells"], small)
    assert set(states(found).values()) == {"missing"}
    assert "0.1 GB are free under" in found["room for the cache"]["seen"]
    assert "a cell needs 6" in found["room for cells"]["seen"]


def test_little_memory_is_told(tmp_path: Path) -> None:
    figures = tmp_path / "meminfo"
    figures.write_text("MemTotal: 3900000 kB\nMemAvailable: 3000000 kB\n")
    found = look(["memory"], with_mounts(f"mount --bind {figures} /proc/meminfo"))
    assert states(found) == {"memory": "limited"}
    assert found["memory"]["seen"].startswith("4.0 GB, 3.1 GB of it available; ")


def test_a_single_processor_is_told() -> None:
    one = frozenset([min(os.sched_getaffinity(0))])
    found = look(["processors"], Way(processors=one))
    assert states(found) == {"processors": "limited"}


def test_another_distribution_is_told(tmp_path: Path) -> None:
    release = tmp_path / "os-release"
    for content, state in (
        ('ID=fedora\nPRETTY_NAME="Fedora Linux 42"\n', "missing"),
        ('ID=ubuntu\nID_LIKE=debian\nPRETTY_NAME="Ubuntu 24.04"\n', "limited"),
    ):
        release.write_text(content)
        found = look(["system"], with_mounts(f"mount --bind {release} /etc/os-release"))
        assert states(found) == {"system": state}


def test_an_empty_cache_is_told_with_the_time_that_it_takes_to_fill(tmp_path: Path) -> None:
    names = ["programs of clusters", "recording of processes"]
    found = look(names, Way(env={"FAULTYARD_CACHE": str(tmp_path)}))
    assert states(found) == {names[0]: "missing", names[1]: "untried"}
    assert found[names[0]]["remedy"].startswith("run `make setup`: about 1")
    assert not list(tmp_path.iterdir())


def test_a_missing_browser_matters_to_nothing_but_tests(path_without: str) -> None:
    (Path(path_without) / machine.BROWSER).unlink(missing_ok=True)
    found = look(["browser"], Way(env={"PATH": path_without}))
    assert states(found) == {"browser": "limited"}
    assert "tests of reports fail" in found["browser"]["seen"]


def doctor(*arguments: str, before: Sequence[str] = (), **env: str) -> tuple[int, str]:
    done = subprocess.run(
        [*before, sys.executable, "-m", "faultyard", "doctor", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SOURCE), **env},
    )
    assert not done.stderr
    return done.returncode, done.stdout


def traces() -> set[str]:
    """What a probe could leave on the host."""
    mounts = Path("/proc/mounts").read_text().splitlines()
    found = [*cgroups.MOUNT.glob("**/probe-*"), *Path("/run").glob("netns/*")]
    return {str(path) for path in found} | {line for line in mounts if "/run/pool" in line}


def test_the_whole_of_it_leaves_nothing_and_its_exit_code_says_whether_cells_can_run() -> None:
    before = traces()
    code, out = doctor("--json")
    told = json.loads(out)
    assert code == (0 if told["able"] else 3)
    assert told["able"] == all(
        finding["state"] in ("ok", "limited") for finding in told["requirements"]
    )
    assert traces() - before == set()


def test_what_a_killed_one_left_is_removed_by_the_next() -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    left = cgroups.create(f"probe-{ended.pid}/child")
    look(["cgroups"])
    assert not [folder for folder in left if folder.parent.exists()]


def test_something_missing_ends_with_3_and_a_table_that_says_what_to_do(tmp_path: Path) -> None:
    code, out = doctor(before=without_capabilities("net_admin"), FAULTYARD_CACHE=str(tmp_path))
    assert code == 3
    assert "make setup" in out
    assert "cells cannot run here yet" in out
