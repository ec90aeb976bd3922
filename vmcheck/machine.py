"""The virtual machine: QEMU, with KVM where a stock kernel boots under it, else emulated."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from vmcheck.agent import Agent
from vmcheck.images import Images

PROCESSORS = 2
MEMORY_MIB = 6144
KVM_TRIAL_S = 30.0
SLOWER = 20
"""How many times slower than ours an emulated machine's clock runs.

The deadlines of systemd and Kubernetes cannot be stretched; a machine whose clock is slow keeps
them, and does not know.
"""
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
SLOWED = {"LD_PRELOAD": FAKETIME, "FAKETIME": f"+0 x{1 / SLOWER}"}
BOOT_S = 120.0
"""With KVM, in seconds."""
KERNEL_SPEAKS = b"Linux version"
EMULATED = ("-accel", "tcg,thread=multi,tb-size=1024", "-cpu", "max")
ACCELERATED = ("-accel", "kvm", "-cpu", "max")


class NotBooted(Exception):
    """The machine did not come up; the message says where its console is."""


@dataclass(frozen=True)
class Machine:
    """A running machine."""

    agent: Agent
    accelerated: bool
    """Whether KVM runs it."""
    console: Path
    boot_s: float

    @property
    def slower(self) -> int:
        """How many times slower than ours its clock runs."""
        return 1 if self.accelerated else SLOWER


def kvm_works(kernel: Path) -> bool:
    """Whether KVM runs a stock kernel here: the device may be there and do something else.

    Args:
        kernel: is booted until it says its version.
    """
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    argv = ["qemu-system-x86_64", *ACCELERATED, "-m", "512", "-no-reboot", "-display", "none"]
    argv += ["-kernel", str(kernel), "-append", "console=ttyS0 earlyprintk=ttyS0 panic=-1"]
    with tempfile.NamedTemporaryFile() as console:
        argv += ["-serial", f"file:{console.name}"]
        with _running(argv) as trial:
            end = time.monotonic() + KVM_TRIAL_S
            while time.monotonic() < end and trial.poll() is None:
                if KERNEL_SPEAKS in Path(console.name).read_bytes():
                    return True
                time.sleep(0.2)
            return KERNEL_SPEAKS in Path(console.name).read_bytes()


@contextlib.contextmanager
def running(
    images: Images, folder: Path, *, accelerated: bool, patience: float
) -> Iterator[Machine]:
    """A machine that ends with this, or with this process; its disks' changes go with it.

    Args:
        images: what it boots from.
        folder: gets its console and sockets.
        accelerated: run it by KVM.
        patience: how many times as long as usual it may take by our clock.

    Raises:
        NotBooted: its agent does not answer in time.
    """
    socket, console = folder / "agent.sock", folder / "console.log"
    argv = ["qemu-system-x86_64", *(ACCELERATED if accelerated else EMULATED)]
    argv += ["-smp", str(PROCESSORS), "-m", str(MEMORY_MIB), "-no-reboot", "-display", "none"]
    argv += ["-nodefaults", "-nic", "none", "-snapshot", "-serial", f"file:{console}"]
    argv += ["-kernel", str(images.kernel), "-initrd", str(images.initrd)]
    # The check would count by the processor, for which the clock is too slow.
    argv += ["-append", "root=/dev/vda rw console=ttyS0 panic=-1 no_timer_check"]
    for name in ("system", "cache", "checkout"):
        image = getattr(images, name)
        argv += ["-drive", f"file={image},format=raw,if=none,id={name},cache=unsafe"]
        argv += ["-device", f"virtio-blk-pci,drive={name},serial={name}"]
    argv += ["-device", "virtio-serial-pci", "-device", "virtio-rng-pci"]
    argv += ["-chardev", f"socket,path={socket},server=on,wait=off,id=agent"]
    argv += ["-device", "virtserialport,chardev=agent,name=org.qemu.guest_agent.0"]
    variables = {} if accelerated else SLOWED
    with _running(argv, folder / "qemu.log", variables) as process:
        start, agent = time.monotonic(), Agent(socket, patience)
        while not agent.answers():
            waited = time.monotonic() - start
            if process.poll() is not None or waited > BOOT_S * patience:
                raise NotBooted(
                    f"no answer after {waited:.0f} s; see {console} and {folder}/qemu.log"
                )
            time.sleep(1)
        yield Machine(agent, accelerated, console, time.monotonic() - start)


@contextlib.contextmanager
def _running(
    argv: list[str],
    log: Path = Path(os.devnull),
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[subprocess.Popen[bytes]]:
    """QEMU until the end of this, or of this process."""
    with log.open("wb") as said:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "--", *argv],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**os.environ, "TMPDIR": "/var/tmp", **variables},
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()
