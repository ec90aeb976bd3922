"""What the machine is and has: system, programs, processors, memory, room."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path

from faultyard.clusters.embedded import layout, room
from faultyard.clusters.embedded.artifacts import builds, machine
from faultyard.clusters.embedded.artifacts.cache import default_root
from faultyard.clusters.embedded.artifacts.progress import clock
from faultyard.clusters.requirements.requirement import Lacking, Requirement, packages_of

LEAST_PROCESSORS = 2
LEAST_MEMORY_GB = 7.5
"""Of a machine that is sold with 8 GB."""
SETUP = "run `make setup`"


def system() -> str:
    """The system and the processor."""
    release = platform.freedesktop_os_release() if machine.OS_RELEASE.exists() else {}
    warning = machine.check(platform.system(), platform.machine(), 0, release)
    if warning:
        raise Lacking(warning, "", bearable=True)
    return f"{release['PRETTY_NAME']}, Linux {platform.release()}, {platform.machine()}"


def root() -> str:
    """The user."""
    if os.geteuid() != 0:
        raise Lacking("cells need root", "run it with sudo, on a disposable machine")
    return "root"


def programs() -> str:
    """The programs of Debian packages that are run on the host."""
    absent = [name for name in machine.PROGRAMS if shutil.which(name) is None]
    if absent:
        packages = " ".join(packages_of(absent))
        raise Lacking(
            f"not on the PATH: {', '.join(absent)}", f"{SETUP} or apt-get install {packages}"
        )
    return f"{len(machine.PROGRAMS)} programs on the PATH"


def processors() -> str:
    """The processors that this process may use."""
    count = len(os.sched_getaffinity(0))
    if count < LEAST_PROCESSORS:
        raise Lacking(
            f"{count} of {LEAST_PROCESSORS}", "use a machine with more, or allow them all"
        )
    return str(count)


def memory() -> str:
    """The machine's memory."""
    figures = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    total, free = (
        int(figures[name].split()[0]) * 1024 / 1e9 for name in ("MemTotal", "MemAvailable")
    )
    seen = f"{total:.1f} GB, {free:.1f} GB of it available"
    if total < LEAST_MEMORY_GB:
        raise Lacking(seen, "use a machine with 8 GB")
    return seen


def cache_room() -> str:
    """The disk under the cache, for what is not built yet."""
    place = _existing(default_root())
    if builds.missing():
        machine.check_disk(place)
    return f"{shutil.disk_usage(place).free / 1e9:.1f} GB free under {default_root()}"


def state_room() -> str:
    """The disk under the cells."""
    state = layout.state_folder()
    if (state / "pool.img").exists():
        return f"{state} has its pool already"
    return f"{room.check(_existing(state)):.1f} GiB free under {state}"


def artifacts() -> str:
    """What set-up builds."""
    missing = builds.missing()
    if missing:
        about = clock(builds.expected_s(missing))
        raise Lacking(
            f"{len(missing)} are not built", f"{SETUP}: about {about} minutes on two cores"
        )
    return "everything is built"


def browser() -> str:
    """The browser for the tests of reports."""
    if not machine.has_browser():
        raise Lacking(f"no {machine.BROWSER}", f"{SETUP} or apt-get install {machine.BROWSER}")
    return machine.BROWSER


def _existing(folder: Path) -> Path:
    """The folder, or what is there of the way to it."""
    return next(place for place in (folder, *folder.parents) if place.exists())


REQUIREMENTS = (
    Requirement("system", system, root=False),
    Requirement("root", root, root=False),
    Requirement("programs", programs, root=False),
    Requirement(
        "processors",
        processors,
        root=False,
        without="trials on fewer are slow, and many end as runtime_error",
    ),
    Requirement("memory", memory, root=False, without="an application may not fit"),
    Requirement("room for the cache", cache_room, root=False),
    Requirement("room for cells", state_room, root=False),
    Requirement("programs of clusters", artifacts, root=False),
    Requirement(
        "browser", browser, root=False, without="tests of reports fail, all else works without"
    ),
)
