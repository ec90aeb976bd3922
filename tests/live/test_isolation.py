"""From root on a node, and from a privileged pod, nothing of the host and of others is reached."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run
from faultyard.evidence import sentinels
from live import escapes, kube

NODE = "worker-1"
POD = "caretaker"
MARK = "31415926"
"""Seconds that a process of the host sleeps, to be known by."""
SCAN = "/sys/kernel/mm/transparent_hugepage/khugepaged/scan_sleep_millisecs"


def as_root(cell: Cell, script: str) -> str:
    """What a script prints as root on a node, over SSH as an agent would run it."""
    # Tests of an agent's turn leave nobody who may log in.
    cell.node(NODE).authorize((cell.paths.folder / "oncall.pub").read_text())
    return run(cell.ssh(NODE, [shlex.join(["sudo", "sh", "-c", script])])).stdout


def on_the_host(script: str) -> str:
    return run(["sh", "-c", script]).stdout


@pytest.fixture
def privileged(cell: Cell) -> Iterator[str]:
    """A pod with all that a pod can have of its node."""
    pod = kube.toolbox_pod(
        POD,
        hostPID=True,
        hostNetwork=True,
        hostIPC=True,
        nodeName=NODE,
        container={
            "securityContext": {"privileged": True},
            "volumeMounts": [{"name": "node", "mountPath": "/host"}],
        },
        volumes=[{"name": "node", "hostPath": {"path": "/"}}],
    )
    kube.apply(cell, pod)
    kube.wait_pod_ready(cell, POD)
    yield POD
    kube.kubectl(cell, "delete", "pod", POD, "--wait=false")


@pytest.fixture
def stranger() -> Iterator[None]:
    """A process of the host."""
    with subprocess.Popen(["sleep", MARK]) as process:
        yield
        process.kill()


@pytest.mark.cost(3)
def test_the_known_ways_from_root_on_a_node_lead_nowhere(cell: Cell) -> None:
    ways = escapes.script(escapes.WAYS, cell.pool.image)
    assert as_root(cell, ways).splitlines() == []
    assert on_the_host(ways).splitlines() == list(escapes.WAYS)
    needed = escapes.script(escapes.NEEDED)
    assert as_root(cell, needed).splitlines() == list(escapes.NEEDED)


@pytest.mark.long
@pytest.mark.cost(8)
def test_nor_do_they_from_a_privileged_pod(cell: Cell, privileged: str, stranger: None) -> None:
    ways = escapes.script(escapes.WAYS, cell.pool.image)
    enter = ["exec", privileged, "--"]
    assert kube.kubectl(cell, *enter, "chroot", "/host", "sh", "-c", ways).splitlines() == []
    names = kube.kubectl(cell, *enter, "sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    assert "kubelet" in names
    assert MARK not in names
    first = ["chroot", "/host", "nsenter", "-t", "1", "-m", "-u", "-n", "-p", "-C"]
    assert kube.kubectl(cell, *enter, *first, "hostname").strip() == NODE
    assert str(cell.state) not in kube.kubectl(cell, *enter, "cat", "/proc/1/mountinfo")


@pytest.mark.cost(1)
def test_a_nodes_root_cannot_allow_itself_the_disk_again(cell: Cell) -> None:
    if cgroups.unified():
        pytest.skip("cgroup version 2 has no file for it")
    allow = """
        (echo 'b *:* rwm' > /sys/fs/cgroup/devices/devices.allow) 2> /dev/null
        mkdir -p /sys/fs/cgroup/devices/own
        echo $$ > /sys/fs/cgroup/devices/own/cgroup.procs
    """
    disk = escapes.script({"disk": escapes.WAYS["the pool's disk"]}, cell.pool.image)
    assert as_root(cell, allow + disk) == ""


@pytest.mark.cost(1)
def test_a_node_that_could_not_come_back_refuses_to_restart(cell: Cell) -> None:
    asked = "systemctl reboot && echo accepted; shutdown -r now && echo accepted"
    assert as_root(cell, f"{asked}; systemctl is-active kubelet") == "active\n"


@pytest.mark.cost(1)
def test_a_node_mounts_nothing_of_the_host_and_of_other_cells(cell: Cell) -> None:
    mounts = as_root(cell, "cat /proc/1/mountinfo").splitlines()
    disks = [line for line in mounts if line.rpartition(" - ")[2].split()[1].startswith("/dev/")]
    roots = {line.split()[3] for line in disks}
    own = f"/{cell.name}/{NODE}"
    assert own in roots
    assert {root for root in roots if root != own and not root.startswith(f"{own}/")} == set()
    host = Path("/etc/os-release").read_text()
    copy = "/run/host/os-release"
    write = f"mount -o remount,bind,rw {copy}; echo '# more' >> {copy}; tail -1 {copy}"
    assert as_root(cell, write) == "# more\n"
    assert Path("/etc/os-release").read_text() == host


@pytest.mark.cost(1)
def test_a_node_is_not_told_where_the_host_keeps_its_storage(cell: Cell) -> None:
    look = "cat /sys/block/loop*/loop/backing_file /proc/1/mountinfo; losetup --list"
    told = as_root(cell, look)
    assert "/pool.img" in told
    assert str(cell.state) not in told


@pytest.mark.cost(1)
def test_files_of_the_pool_cannot_be_opened_by_their_numbers(cell: Cell) -> None:
    """One file system holds them all: cells with their nodes and etcd, and templates."""
    paths = [cell.pool.root, *cell.pool.root.glob("*/*")]
    assert cell.paths.roots / "etcd" in paths
    wanted = escapes.handles(paths)
    program = shlex.join(["perl", "-e", escapes.opening(wanted, "/etc/hostname")])
    assert as_root(cell, program) == "0"
    near = escapes.opening(wanted, str(cell.paths.roots / NODE / "etc/hostname"))
    assert run(["perl", "-e", near]).stdout == str(len(paths))


@pytest.mark.cost(1)
def test_a_node_sees_no_cgroups_but_its_own_and_makes_no_hierarchy(cell: Cell) -> None:
    if cgroups.unified():
        look = "mount -t cgroup2 cgroup dir; ls dir"
    else:
        look = "mount -t cgroup -o pids cgroup dir; ls dir"
    seen = as_root(cell, f"unshare --mount sh -ec {shlex.quote(escapes.PRELUDE + look)}")
    assert "cgroup.procs" in seen
    assert "release_agent" not in seen
    assert "cell-" not in seen
    made = escapes.script({"made": "mount -t cgroup -o none,name=own cgroup dir"})
    assert as_root(cell, made) == ""


@pytest.mark.cost(1)
def test_a_cell_has_limits_of_processes_and_cgroups_that_its_nodes_do_not_see(cell: Cell) -> None:
    folder = cgroups.MOUNT / ("" if cgroups.unified() else "pids") / cell.cgroup
    assert (folder / "pids.max").read_text().strip() == str(cgroups.MOST_TASKS)
    governed = cgroups.governed(cell.cgroup)
    assert governed is not None
    assert (governed / "cgroup.max.descendants").read_text().strip() == str(cgroups.MOST_CGROUPS)


@pytest.fixture
def device() -> Iterator[Path]:
    """A device of the host that has its mode afterwards, whatever was found."""
    file = Path("/dev/loop-control")
    mode = file.stat().st_mode
    yield file
    file.chmod(mode)


@pytest.mark.cost(4)
def test_what_a_node_can_still_change_of_the_host_is_found_and_put_back(
    cell: Cell, device: Path
) -> None:
    told: list[str] = []
    watch = sentinels.watch(cell.cgroup, told.append)
    assert watch.settle() == []
    before = Path(SCAN).read_text()
    as_root(
        cell,
        f"""
        unshare --net sh -ec 'mkdir -p /mnt/s; mount -t sysfs s /mnt/s
            echo {int(before) + 1} > /mnt/s/{SCAN.removeprefix("/sys/")}; umount /mnt/s'
        unshare --mount sh -ec 'mount -t devtmpfs d /mnt; chmod 640 /mnt/{device.name}'
        mkdir -p /mnt/b; mount -t binfmt_misc b /mnt/b
        echo ':own:E::own-binary::/bin/false:' > /mnt/b/register
        """,
    )
    assert Path(SCAN).read_text() != before
    found = watch.settle()
    assert [change.name for change in found] == [SCAN, "binfmt_misc/own", str(device)]
    assert all(change.restored for change in found)
    assert Path(SCAN).read_text() == before
    assert len(told) == 3
    assert watch.settle() == []
    assert watch.errors == []
    as_root(cell, "umount /mnt/b")


@pytest.mark.long
@pytest.mark.cost(10)
def test_a_flood_of_cgroups_is_found(cell: Cell) -> None:
    if cgroups.unified():
        pytest.skip("cgroup version 2 has a limit")
    watch = sentinels.watch(cell.cgroup, print)
    folder, count = "/sys/fs/cgroup/pids/own", cgroups.MOST_CGROUPS + 1
    flood = f'mkdir "{folder}"; mkdir "{folder}/$_" or die $! for 1..{count}'
    ebb = f'rmdir "{folder}/$_" for 1..{count}; rmdir "{folder}"'
    as_root(cell, shlex.join(["perl", "-e", flood]))
    try:
        (change,) = watch.settle()
        assert change.name == "the cell's cgroups"
        assert int(change.after) > count
        assert not change.restored
    finally:
        as_root(cell, shlex.join(["perl", "-e", ebb]))
