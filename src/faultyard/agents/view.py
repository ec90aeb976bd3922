"""What the agent sees: bubblewrap's arguments and the files of its machine, a company's bastion.

The list says what is shown, not what is hidden, so that nothing of a host that nobody thought of
gets in. Where a host's folder is shown, /proc/self/mountinfo tells its path: nothing is shown from
the state folder, the cache, or a record, whose paths would say what this is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from faultyard.clusters.embedded import layout, sshkeys
from faultyard.clusters.embedded.layout import NodeLayout

USER = "oncall"
USER_ID = 1000
HOME = f"/home/{USER}"
HOSTNAME = "bastion"
ALERT_FILE = f"{HOME}/alert.txt"
TMP_BYTES = 512 * 2**20
TOOLS_PLACE = "/usr/local/bin"

SYSTEM = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec")
"""Folders of the host's /usr that are shown; /bin and the like are links to them."""
SHARED = (
    "bash-completion ca-certificates file i18n icu locale mime misc nodejs node_modules "
    "perl perl5 python3 tabset terminfo vim zoneinfo"
).split()
"""Folders of the host's /usr/share that are shown: data without which programs do not run."""
SYSTEM_FILES = ("alternatives", "ld.so.cache")
"""Of the host's /etc: where /usr points to, and where its libraries lie."""

VARIABLES = {
    "HOME": HOME,
    "USER": USER,
    "LOGNAME": USER,
    "SHELL": "/bin/bash",
    "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    "LANG": "C.UTF-8",
    "TERM": "xterm",
    "KUBECONFIG": f"{HOME}/.kube/config",
    "ALERT_FILE": ALERT_FILE,
}


def arguments(
    host: Path,
    parts: Path,
    variables: Mapping[str, str],
    mounts: Mapping[Path, str],
    hidden: Iterable[Path] = (),
) -> list[str]:
    """Bubblewrap's options, in the order in which it carries them out.

    Args:
        host: the root under which the host's folders are looked up, "/" but for tests.
        parts: the sandbox's own `tools`, `etc` and `home`.
        variables: of the program, beside the usual ones.
        mounts: the host's folders to show read-only, and where.
        hidden: folders below a shown one that are to look empty.
    """
    options = ["--unshare-user", "--disable-userns", "--uid", str(USER_ID), "--gid", str(USER_ID)]
    options += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"]
    options += ["--hostname", HOSTNAME, "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    options += _system(host)
    options += ["--ro-bind", str(parts / "tools"), TOOLS_PLACE]
    options += ["--ro-bind", str(parts / "etc"), "/etc"]
    for name in SYSTEM_FILES:
        options += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    options += ["--proc", "/proc", "--dev", "/dev", "--dir", "/run", "--dir", "/var"]
    options += ["--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp"]
    options += ["--symlink", "../tmp", "/var/tmp", "--bind", str(parts / "home"), HOME]
    for path in hidden:
        options += ["--tmpfs", str(path), "--remount-ro", str(path)]
    for source, target in mounts.items():
        options += ["--ro-bind", str(source), target]
    options += ["--clearenv"]
    for name, value in {**VARIABLES, **variables}.items():
        options += ["--setenv", name, value]
    return [*options, "--chdir", HOME, "--remount-ro", "/"]


def _system(host: Path) -> list[str]:
    options = []
    for folder in ("/usr", "/usr/share", "/usr/local", "/home"):
        options += ["--perms", "0755", "--dir", folder]
    for name in SYSTEM:
        if (host / "usr" / name).is_dir():
            options += ["--ro-bind", f"/usr/{name}", f"/usr/{name}"]
            if name != "libexec":
                options += ["--symlink", f"usr/{name}", f"/{name}"]
    for name in SHARED:
        if (host / "usr/share" / name).is_dir():
            options += ["--ro-bind", f"/usr/share/{name}", f"/usr/share/{name}"]
    return options


def shows(path: Path) -> bool:
    """Whether a path of this machine lies in one of its folders that every sandbox shows."""
    shown = [Path("/usr", name) for name in SYSTEM]
    shown += [Path("/", name) for name in SYSTEM if name != "libexec"]
    shown += [Path("/usr/share", name) for name in SHARED] + [Path("/etc", SYSTEM_FILES[0])]
    return any(path.is_relative_to(folder) for folder in shown)


def etc_files(nodes: Sequence[NodeLayout]) -> dict[str, str]:
    """The files of the sandbox's /etc, by name."""
    hosts = ["127.0.0.1 localhost", f"127.0.1.1 {HOSTNAME}"]
    hosts += [f"{layout.GATEWAY} api.meridian.internal"]
    hosts += [f"{node.address} {node.name}.meridian.internal {node.name}" for node in nodes]
    account = f"{USER}:x:{USER_ID}:{USER_ID}:On-call engineer:{HOME}:/bin/bash"
    return {
        "hostname": f"{HOSTNAME}\n",
        "hosts": "\n".join(hosts) + "\n",
        "passwd": f"root:x:0:0:root:/root:/bin/bash\n{account}\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
        "group": f"root:x:0:\n{USER}:x:{USER_ID}:\nnogroup:x:65534:\n",
        "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\nservices: files\n",
        # Without it a resolver library asks 127.0.0.1 and waits.
        "resolv.conf": "search meridian.internal\noptions timeout:1 attempts:1\n",
        "shells": "/bin/sh\n/bin/bash\n",
    }


def ssh_config(nodes: Sequence[NodeLayout]) -> str:
    """The on-call user's ssh settings: the nodes by name and address, without questions."""
    names = " ".join([*(node.name for node in nodes), *(node.address for node in nodes)])
    options = dict(option.split("=", 1) for option in sshkeys.OPTIONS if option != "-o")
    lines = [f"Host {names} *.meridian.internal", f"    User {USER}"]
    lines += [f"    {name} {value}" for name, value in options.items()]
    return "\n".join(lines) + "\n"
