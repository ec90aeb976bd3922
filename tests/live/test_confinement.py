"""What root on a node cannot ask the host's kernel for."""

from __future__ import annotations

import errno
import json
import shlex
import sys

import pytest

from faultyard.clusters.embedded import artifacts as built
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.commands import run

BPF, IOCTL, X32 = 321, 16, 0x40000000
REMOUNT, BIND = 32, 4096
PROGRAM_BY_NUMBER, MAP_BY_NUMBER = 13, 14
NONE = 0xFFFFFFF0
"""No program and no map has this number, so that nothing is touched where it is allowed."""
REFUSED = {
    "bpf: a program of others": [BPF, PROGRAM_BY_NUMBER, "number", 16],
    "bpf: a map of others": [BPF, MAP_BY_NUMBER, "number", 16],
    "bpf: the upper half does not count": [BPF, 7 << 32 | MAP_BY_NUMBER, "number", 16],
    "perf_event_open": [298, 0, 0, 0, 0],
    "fanotify_init": [300, -1, 0],
    "open_by_handle_at": [304, -1, 0, 0],
    "syslog": [103, 10, 0, 0],
    "swapon": [167, 0, 0],
    "quotactl_fd": [443, -1, 0, 0, 0],
    "clock_settime": [227, -1, 0],
    "x32": [X32 | 39],
    "FIFREEZE": [IOCTL, 0, 0xC0045877, 0],
    "NS_MNT_GET_NEXT": [IOCTL, 0, 0x8010B70B, 0],
    "fspick": [433, -1, 0, 0],
    "mount: a file system as a whole": [165, 0, 0, 0, REMOUNT, 0],
}
ABSENT = {
    "add_key": [248, 0, 0, 0, 0],
    "request_key": [249, 0, 0, 0, 0],
    "keyctl": [250, -1, 0, 0, 0],
    "statmount": [457, 0, 0, 0, 0],
    "listmount": [458, 0, 0, 0, 0],
    "a call of later kernels": [470, 0, 0, 0, 0],
}
"""Answered as a kernel would that does not have them."""
VSOCK = {"socket: AF_VSOCK": [41, 40, 1, 0]}
ONE_MOUNT = {"mount: one mount's flags": [165, 0, 0, 0, REMOUNT | BIND, 0]}
CALLS = """
import ctypes, json, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
number = ctypes.create_string_buffer(struct.pack("4I", int(sys.argv[1]), 0, 0, 0))
codes = {}
for name, words in json.loads(sys.argv[2]).items():
    words = [ctypes.byref(number) if word == "number" else ctypes.c_long(word) for word in words]
    ctypes.set_errno(0)
    libc.syscall(*words)
    codes[name] = ctypes.get_errno()
print(json.dumps(codes))
"""


def codes(confine: list[str], calls: dict[str, list[int | str]]) -> dict[str, int]:
    """The error of each call, 0 for none, as root in a mount and PID namespace of its own."""
    spaces = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
    argv = [*spaces, *confine, sys.executable, "-c", CALLS, str(NONE), json.dumps(calls)]
    answer: dict[str, int] = json.loads(run(argv).stdout)
    return answer


@pytest.mark.cost(1)
def test_calls_that_act_on_the_whole_host_are_refused(artifacts: built.Artifacts) -> None:
    found = codes([str(artifacts.binary("confine"))], REFUSED)
    assert found == dict.fromkeys(REFUSED, errno.EPERM)


@pytest.mark.cost(1)
def test_calls_that_reach_past_namespaces_are_as_if_they_were_not_there(
    artifacts: built.Artifacts,
) -> None:
    confine = [str(artifacts.binary("confine"))]
    assert codes(confine, {**ABSENT, **VSOCK, **ONE_MOUNT}) == {
        **dict.fromkeys(ABSENT, errno.ENOSYS),
        **dict.fromkeys(VSOCK, errno.EAFNOSUPPORT),
        **dict.fromkeys(ONE_MOUNT, errno.EFAULT),
    }
    # What launches a machine still sets the file systems up that it mounts.
    mount = {"mount": REFUSED["mount: a file system as a whole"]}
    assert codes([*confine, "-launch"], mount) == {"mount": errno.EFAULT}


@pytest.mark.cost(1)
def test_without_the_filter_other_programs_in_the_kernel_can_be_had(
    artifacts: built.Artifacts,
) -> None:
    """Else the test above would hold for a kernel that refuses by itself."""
    found = codes([], {name: REFUSED[name] for name in REFUSED if name.startswith("bpf")})
    assert set(found.values()) == {errno.ENOENT}


@pytest.mark.cost(1)
def test_what_asks_for_btrfs_finds_another_file_system_and_copies_all_the_same(
    artifacts: built.Artifacts,
) -> None:
    calls = {"FS_INFO": [IOCTL, -1, 0x8400941F, 0], "FICLONE": [IOCTL, -1, 0x40049409, 0]}
    found = codes([str(artifacts.binary("confine"))], calls)
    assert found == {"FS_INFO": errno.ENOTTY, "FICLONE": errno.EBADF}


PERL = f"""
$attr = pack("L4", {NONE}, 0, 0, 0);
for $command ({PROGRAM_BY_NUMBER}, {MAP_BY_NUMBER}) {{
    $! = 0; syscall({BPF}, $command, $attr, 16); print $!+0, " ";
}}
$! = 0; syscall(304, -1, 0, 0); print $!+0;
"""


@pytest.mark.cost(3)
def test_root_on_a_node_has_the_filter_on_however_it_got_there(cell: Cell) -> None:
    refused = " ".join([str(errno.EPERM)] * 3)
    script = shlex.join(["sudo", "perl", "-e", PERL])
    for place in cell.node_layouts:
        assert run(cell.ssh(place.name, [script])).stdout == refused
        assert cell.node(place.name).run(["perl", "-e", PERL]) == refused
        assert "Seccomp:\t2" in cell.node(place.name).run(["cat", "/proc/1/status"])
