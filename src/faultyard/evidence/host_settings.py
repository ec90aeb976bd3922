"""Settings of the host, and what else on it a cell could change: seen, and put back."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, Protocol

from faultyard.clusters.embedded import cgroups
from faultyard.clusters.embedded.commands import run

PLACES: Final = (
    "/proc/sys/**/*",
    "/proc/irq/default_smp_affinity",
    "/sys/kernel/uevent_helper",
    "/sys/kernel/profiling",
    "/sys/kernel/rcu_*",
    "/sys/kernel/reboot/*",
    "/sys/kernel/mm/**/*",
    "/sys/power/*",
    "/sys/module/*/parameters/*",
    "/sys/devices/system/cpu/cpu*/online",
    "/sys/devices/system/cpu/smt/control",
    "/sys/devices/system/cpu/cpufreq/*/scaling_governor",
    "/sys/devices/system/clocksource/clocksource*/current_clocksource",
    "/sys/block/*/queue/*",
    "/sys/fs/cgroup/*/release_agent",
)
"""Where settings lie that are the whole machine's."""
NOT_SETTINGS: Final = re.compile(
    r"/proc/sys/net/"  # each network's own
    r"|/proc/sys/fs/binfmt_misc/"  # see `KernelFiles`
    r"|/proc/sys/kernel/(ns_last_pid|random/|hostname|domainname)"
    r"|/proc/sys/kernel/perf_\w+$"  # the kernel lowers them by itself
    r"|/proc/sys/vm/stat_refresh"
    r"|/sys/kernel/mm/damon/"  # its monitor of memory moves regions by itself
    r"|/sys/power/wakeup_count"  # waits
    r"|/sys/block/(loop|ram|zram)"  # come and go with cells
)
CELLS: Final = re.compile(r"loop\d+(p\d+)?")
"""Devices that come and go with cells."""
MOST_BYTES: Final = 4096
CLOCK_S: Final = 5
"""A time service moves the clock by less at a time."""
GONE: Final = "gone"


class Source(Protocol):
    """A kind of settings."""

    def look(self) -> Mapping[str, str]:
        """The settings there are now, by name."""
        ...

    def restore(self, name: str, value: str) -> None:
        """Put one back; an empty value is one that was not there."""
        ...


class SettingFiles:
    """Files of the kernel that hold one setting each.

    Args:
        files: which.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._files = list(files)

    def look(self) -> Mapping[str, str]:
        """What they hold; those that went meanwhile are left out, as their part of the kernel."""
        held = {}
        for file in self._files:
            try:
                with file.open("rb", buffering=0) as content:
                    held[str(file)] = content.read(MOST_BYTES).decode("latin-1").strip()
            except OSError:  # some can be written, but not read in the state that they are in
                continue
        return held

    def restore(self, name: str, value: str) -> None:
        """Write what it held; of a choice the word in brackets."""
        chosen = re.findall(r"\[([^\]]*)\]", value)
        text = chosen[0] if len(chosen) == 1 else value
        Path(name).write_bytes(f"{text}\n".encode("latin-1"))


def setting_files() -> Iterator[Path]:
    """Those of this host."""
    for place in PLACES:
        for file in Path("/").glob(place.lstrip("/")):
            if NOT_SETTINGS.match(str(file)):
                continue
            try:
                mode = file.lstat().st_mode
            except OSError:
                continue
            if stat.S_ISREG(mode) and mode & 0o444 and mode & 0o222:
                yield file


PRIVATE: Final = """
mount -t tmpfs tmpfs /run
for kind in binfmt_misc tracefs; do
  grep -qw "$kind" /proc/filesystems || continue
  mkdir "/run/$kind"; mount -t "$kind" "$kind" "/run/$kind"
done
cd /run
"""
"""These file systems show the same whoever mounts them; the host need not have them mounted."""
LOOK: Final = """
for file in binfmt_misc/* tracefs/tracing_on tracefs/current_tracer tracefs/set_event \
    tracefs/kprobe_events tracefs/uprobe_events; do
  case "$file" in */register) continue;; esac
  [ ! -f "$file" ] || printf '%s\\0%s\\0' "$file" "$(cat "$file")"
done
for folder in tracefs/instances/*; do
  [ ! -d "$folder" ] || printf '%s\\0there\\0' "$folder"
done
"""
RESTORE: Final = """
case "$1" in
  binfmt_misc/status) [ "$2" != enabled ] || exec sh -c 'echo 1 > "$0"' "$1"; echo 0 > "$1";;
  binfmt_misc/*) [ -n "$2" ] || echo -1 > "$1";;
  tracefs/instances/*) [ -n "$2" ] || rmdir "$1";;
  *) printf '%s\\n' "$2" > "$1";;
esac
"""


class KernelFiles:
    """What is registered with the kernel by file systems of its own.

    That is programs that run others' files, and what is traced.
    """

    def __init__(self) -> None:
        self._names = set(self._now())

    def look(self) -> Mapping[str, str]:
        """By file; an empty value is a registration that went."""
        return dict.fromkeys(self._names, "") | self._now()

    def _now(self) -> dict[str, str]:
        parts = self._privately(LOOK).split("\0")
        return dict(zip(parts[::2], parts[1::2], strict=False))

    def restore(self, name: str, value: str) -> None:
        """Take off what was registered, or write the value."""
        self._privately(RESTORE, name, value)

    @staticmethod
    def _privately(script: str, *arguments: str) -> str:
        enter = ["unshare", "--mount", "--propagation=private", "sh", "-ec"]
        return run([*enter, PRIVATE + script, "sh", *arguments]).stdout


class Devices:
    """The files in /dev that lead to devices; whoever mounts a devtmpfs can remove the host's."""

    def __init__(self) -> None:
        self._files = {
            file: status
            for file in Path("/dev").iterdir()
            if (status := _device(file)) is not None and not CELLS.fullmatch(file.name)
        }

    def look(self) -> Mapping[str, str]:
        """Kind, number and mode of each that its driver still has."""
        found = {}
        for file, known in self._files.items():
            now = _device(file)
            if now is not None:
                found[str(file)] = f"{stat.filemode(now.st_mode)} {now.st_rdev}"
            elif _driven(known):
                found[str(file)] = GONE
        return found

    def restore(self, name: str, value: str) -> None:
        """Make it anew if it is not the device that it was, and give it its mode."""
        file, known = Path(name), self._files[Path(name)]
        now = _device(file)
        if now is None or (now.st_rdev, stat.S_IFMT(now.st_mode)) != (
            known.st_rdev,
            stat.S_IFMT(known.st_mode),
        ):
            file.unlink(missing_ok=True)
            os.mknod(file, known.st_mode, known.st_rdev)
            os.chown(file, known.st_uid, known.st_gid)
        file.chmod(stat.S_IMODE(known.st_mode))


def _device(file: Path) -> os.stat_result | None:
    try:
        status = file.lstat()
    except FileNotFoundError:
        return None
    return status if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode) else None


def _driven(status: os.stat_result) -> bool:
    kind = "block" if stat.S_ISBLK(status.st_mode) else "char"
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    return Path(f"/sys/dev/{kind}/{number}").exists()


class Clock:
    """The host's clock, by how far it is from the one that nobody can set."""

    def __init__(self) -> None:
        self._offset = self._now()

    def look(self) -> Mapping[str, str]:
        """By how much it was set, in seconds."""
        moved = self._now() - self._offset
        return {"the clock": "as it ran" if abs(moved) < CLOCK_S else f"set by {moved:+.0f} s"}

    def restore(self, name: str, value: str) -> None:
        """Leave it: the host's time service may have set it, and will."""

    @staticmethod
    def _now() -> float:
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)


class CgroupCount:
    """How many cgroups a cell has made.

    Version 1 has no limit, and the kernel has room for 65535 with a memory controller, on the whole
    host.

    Args:
        path: the cell's.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def look(self) -> Mapping[str, str]:
        """Whether there are more than any use of a cluster makes."""
        count = cgroups.count(self._path)
        many = count > cgroups.MOST_CGROUPS
        return {"the cell's cgroups": f"{count}" if many else "as many as usual"}

    def restore(self, name: str, value: str) -> None:
        """Leave them: they end with the cell."""
