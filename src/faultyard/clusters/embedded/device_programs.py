"""Which devices a cgroup of version 2 may use: there, a program in the kernel decides it."""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path

from faultyard.clusters.errors import ClusterError

BPF_CALL = 321
"""bpf(2) on x86-64."""
PROG_LOAD, PROG_ATTACH = 5, 8
CGROUP_DEVICE_PROGRAM, CGROUP_DEVICE_HOOK = 15, 6
ALLOW_MULTI = 2
"""Cgroups below may have programs of their own as well; a device has to please all."""
ATTRIBUTES = 128
"""Bytes that the kernel is shown; those after a command's last attribute are zero."""
# Each: operation, registers (source in the upper half), offset, number. Register 1 points to the
# question: kind of device in its lower half, kind of access in its upper one (make 1, read 2,
# write 4). Register 0 is the answer.
NO_BLOCK_DEVICES = b"".join(
    struct.pack("<BBhi", *instruction)
    for instruction in (
        (0x61, 0x12, 0, 0),  # r2 = the question
        (0xB7, 0x00, 0, 1),  # r0 = yes
        (0xBF, 0x23, 0, 0),  # r3 = r2
        (0x57, 0x03, 0, 0xFFFF),  # r3 &= kind of device
        (0x55, 0x03, 4, 1),  # unless it is a block device, end
        (0x77, 0x02, 0, 16),  # r2 >>= 16
        (0x57, 0x02, 0, 6),  # r2 &= read, write
        (0x15, 0x02, 1, 0),  # if it is neither, end
        (0xB7, 0x00, 0, 0),  # r0 = no
        (0x95, 0x00, 0, 0),  # end
    )
)


def deny_block_devices(cgroup: Path) -> None:
    """No process in the cgroup or below may open a block device, as long as the cgroup is there.

    Args:
        cgroup: its folder.

    Raises:
        ClusterError: the kernel does not take it.
    """
    try:
        program = _load(NO_BLOCK_DEVICES)
        try:
            _attach(program, cgroup)
        finally:
            os.close(program)
    except OSError as error:
        raise ClusterError(
            f"block devices cannot be denied to {cgroup}: {error.strerror}. Cells need a kernel "
            "with CONFIG_CGROUP_BPF, as distributions have it, and the right to use bpf(2)."
        ) from error


def _load(instructions: bytes) -> int:
    code = ctypes.create_string_buffer(instructions, len(instructions))
    license_name = ctypes.create_string_buffer(b"Apache-2.0")
    return _call(
        PROG_LOAD,
        struct.pack(
            "<IIQQ",
            CGROUP_DEVICE_PROGRAM,
            len(instructions) // 8,
            ctypes.addressof(code),
            ctypes.addressof(license_name),
        ),
    )


def _attach(program: int, cgroup: Path) -> None:
    folder = os.open(cgroup, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _call(PROG_ATTACH, struct.pack("<IIII", folder, program, CGROUP_DEVICE_HOOK, ALLOW_MULTI))
    finally:
        os.close(folder)


def _call(command: int, attributes: bytes) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    shown = ctypes.create_string_buffer(attributes, ATTRIBUTES)
    result: int = libc.syscall(BPF_CALL, command, ctypes.byref(shown), ATTRIBUTES)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
