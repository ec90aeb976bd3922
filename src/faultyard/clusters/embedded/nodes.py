"""Nodes: booted Debian machines, each a clone of the golden root file system.

A node is a systemd-nspawn container with systemd as first process, on a cable of its own to the
cell's bridge, in a cgroup of its own.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

from faultyard.clusters.embedded import cgroups, layout, node_files, node_sessions, sshkeys
from faultyard.clusters.embedded.commands import run
from faultyard.clusters.embedded.layout import NodeLayout
from faultyard.clusters.embedded.namespaces import Namespaces
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.waiting import wait_for

# What a node needs to run containers, networks and FUSE volumes. Not in it, since there is no user
# namespace between node and host: SYS_TIME (the host's clock), SYSLOG (its kernel log),
# SYS_MODULE, SYS_BOOT, SYS_RAWIO. SYS_ADMIN includes BPF and PERFMON, and more that acts on the
# whole host: native/confine refuses the calls.
CAPABILITIES = (
    "CAP_AUDIT_WRITE CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID "
    "CAP_IPC_LOCK CAP_IPC_OWNER CAP_KILL CAP_LEASE CAP_LINUX_IMMUTABLE CAP_MKNOD CAP_NET_ADMIN "
    "CAP_NET_BIND_SERVICE CAP_NET_BROADCAST CAP_NET_RAW CAP_SETFCAP CAP_SETGID CAP_SETPCAP "
    "CAP_SETUID CAP_SYS_ADMIN CAP_SYS_CHROOT CAP_SYS_NICE CAP_SYS_PTRACE CAP_SYS_RESOURCE "
    "CAP_SYS_TTY_CONFIG"
).split()
DROPPED = (
    "CAP_AUDIT_CONTROL CAP_AUDIT_READ CAP_BLOCK_SUSPEND CAP_BPF CAP_MAC_ADMIN CAP_MAC_OVERRIDE "
    "CAP_PERFMON CAP_SYSLOG CAP_SYS_BOOT CAP_SYS_MODULE CAP_SYS_PACCT CAP_SYS_RAWIO CAP_SYS_TIME "
    "CAP_WAKE_ALARM CAP_CHECKPOINT_RESTORE"
).split()

SERVICES = ("kubelet.service", "kube-proxy.service", f"{layout.NETWORK_POLICIES}.service")
"""What makes a machine a node of the cluster."""
CONFINE = "/usr/sbin/confine"
"""Where a node has the filter of system calls that its first process starts with."""


def launching() -> dict[str, str]:
    """The environment that systemd-nspawn starts a node with."""
    return {
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network",
        # Its own filter refuses what kubelet and runc need; ours is on it and all below it.
        "SYSTEMD_SECCOMP": "0",
        "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1" if cgroups.unified() else "0",
    }


def launcher(root: Path, name: str) -> list[str]:
    """The command line of a machine; its first process is to follow.

    Args:
        root: its root file system.
        name: its own, and that of its network namespace.
    """
    argv = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit"]
    argv += [f"--directory={root}", f"--machine={name}"]
    argv += [f"--network-namespace-path=/run/netns/{name}"]
    argv += [f"--capability={','.join(CAPABILITIES)}"]
    argv += [f"--drop-capability={','.join(DROPPED)}"]
    # The host's name servers and time zone are not for nodes.
    argv += ["--resolv-conf=off", "--timezone=off"]
    return [*argv, "--kill-signal=SIGRTMIN+3"]


class Node:
    """One worker of a cell.

    Args:
        place: its names and addresses.
        namespaces: the cell's.
        paths: the cell's files.
        peers: all nodes of the cell, for routes and host names.
        confine: the program that filters system calls; empty: a cell of an older version.
    """

    def __init__(
        self,
        place: NodeLayout,
        namespaces: Namespaces,
        paths: layout.CellPaths,
        peers: list[NodeLayout],
        confine: str,
    ) -> None:
        self.place = place
        self.namespaces = namespaces
        self.paths = paths
        self.peers = peers
        self._confined = [confine] if confine else []
        self.root = paths.roots / place.name

    @property
    def cgroup(self) -> str:
        """The node's cgroup, below the cell's."""
        return f"{self.namespaces.cgroup}/{self.place.name}"

    def configure(self, oncall_key: str) -> None:
        """Write what tells this node from the golden one.

        Args:
            oncall_key: public SSH key of the on-call user.
        """
        name = self.place.name
        _write(self.root / "etc/hostname", f"{name}\n")
        hosts = ["127.0.0.1 localhost", f"{layout.GATEWAY} {' '.join(layout.SITE_HOSTS)}"]
        hosts += [f"{peer.address} {peer.name}" for peer in self.peers]
        _write(self.root / "etc/hosts", "\n".join(hosts) + "\n")
        # Not a link into /run: the node has no resolver of its own.
        (self.root / "etc/resolv.conf").unlink(missing_ok=True)
        _write(
            self.root / "etc/resolv.conf",
            f"nameserver {layout.GATEWAY}\nsearch meridian.internal\n",
        )
        _write(self.root / "etc/cni/net.d/10-bridge.conflist", node_files.cni(self.place))
        _write(self.root / "etc/containerd/config.toml", node_files.containerd())
        mirror = f'server = "http://{layout.GATEWAY}:{layout.REGISTRY_PORT}"\n'
        registry = f"{layout.REGISTRY_HOST}:{layout.REGISTRY_PORT}"
        _write(self.root / f"etc/containerd/certs.d/{registry}/hosts.toml", mirror)
        _write(self.root / "etc/kubernetes/kubelet.yaml", node_files.kubelet(self.place))
        for unit, text in node_files.units(self.place).items():
            _write(self.root / f"etc/systemd/system/{unit}", text)
        # Without SYS_BOOT a node that restarts ends for good: whoever asks for it is refused.
        reboot = self.root / "etc/systemd/system/reboot.target"
        reboot.unlink(missing_ok=True)
        reboot.symlink_to("/dev/null")
        self._install_credentials()
        self.authorize(oncall_key)

    def _install_credentials(self) -> None:
        target = self.root / "etc/kubernetes"
        _copy(self.paths.pki / "ca.crt", target / "ca.crt")
        sources = {"kubelet": self.place.name, "kube-proxy": "proxy"}
        sources[layout.NETWORK_POLICIES] = layout.NETWORK_POLICIES
        for user, source in sources.items():
            for suffix in ("crt", "key"):
                _copy(self.paths.pki / f"{source}.{suffix}", target / f"{user}.{suffix}")
            text = (self.paths.pki / f"{source}.kubeconfig").read_text()
            text = text.replace(f"{self.paths.pki}/{source}.", f"/etc/kubernetes/{user}.")
            text = text.replace(str(self.paths.pki), "/etc/kubernetes")
            _write(target / f"{user}.kubeconfig", text.replace(f" {source}\n", f" {user}\n"), 0o600)

    def authorize(self, public_key: str) -> None:
        """Let the holder of this key, and nobody else, log in as `oncall`."""
        sshkeys.authorize(self.root, "oncall", public_key)

    def boot(self) -> None:
        """Plug in the cable and start the machine."""
        cgroups.create(self.cgroup)
        machine = cgroups.create_for_machine(self.cgroup)
        self.namespaces.run(["sh", "-ec", self._network_script()])
        argv = [*launcher(self.root, self.place.name), "--console=pipe"]
        if self._confined:
            # The launcher has to change file systems as a whole; what it starts must not.
            self._install(Path(self._confined[0]))
            argv = [*self._confined, "-launch", *argv, CONFINE]
        argv += ["/sbin/preinit"]
        log = self.paths.log / f"{self.place.name}.log"
        self.namespaces.start(self.place.name, argv, log, cgroup=machine, env=launching())

    def _install(self, confine: Path) -> None:
        """Put the filter's program among the others, as old as they are."""
        program = self.root / CONFINE.lstrip("/")
        shutil.copy(confine, program)
        shutil.copystat(self.root / "usr/sbin/preinit", program)

    def _network_script(self) -> str:
        name, link = self.place.name, self.place.link
        lines = [
            f"ip netns add {name}",
            f"ip link add {link} type veth peer name eth0 netns {name}",
            f"ip link set {link} master {layout.BRIDGE} up",
            f"ip -n {name} addr add {self.place.address}/24 dev eth0",
            f"ip -n {name} link set eth0 up",
            f"ip -n {name} link set lo up",
            f"ip -n {name} route add default via {layout.GATEWAY}",
            f"ip netns exec {name} sysctl -qw net.ipv4.ip_forward=1",
            # Traffic between pods of one node passes its packet filter too.
            f"ip netns exec {name} sysctl -qw net.bridge.bridge-nf-call-iptables=1",
            f"ip route replace {self.place.pod_cidr} via {self.place.address}",
        ]
        lines += [
            f"ip -n {name} route add {peer.pod_cidr} via {peer.address}"
            for peer in self.peers
            if peer != self.place
        ]
        return "\n".join(lines)

    def first_process(self) -> int | None:
        """Host PID of the node's systemd; None while it has none."""
        for pid in sorted(cgroups.processes(self.cgroup)):
            try:
                comm = Path(f"/proc/{pid}/comm").read_text().strip()
                status = Path(f"/proc/{pid}/status").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            spaces = next(x for x in status.splitlines() if x.startswith("NSpid:")).split()
            if comm == "systemd" and spaces[-1] == "1":
                return pid
        return None

    def inside(self, argv: list[str]) -> list[str]:
        """The command line that runs `argv` on the node, as the harness (leaves no session)."""
        pid = self.first_process()
        if pid is None:
            raise ClusterError(f"{self.place.name} does not run; its log: {self.paths.log}")
        # The programs there are the node's own, and an agent may have put others in their place:
        # they get no more capabilities and system calls than the node has.
        dropped = ",".join(f"-{name.removeprefix('CAP_').lower()}" for name in DROPPED)
        limit = ["setpriv", f"--bounding-set={dropped}"]
        enter = ["nsenter", "-t", str(pid), "-m", "-n", "-u", "-i", "-p", "-C", "--"]
        return [*self._confined, *limit, *enter, *argv]

    def run(self, argv: list[str], *, timeout_s: float = 60, check: bool = True) -> str:
        """Run a program on the node to its end; returns its output."""
        enter = shlex.join(
            self.inside(["/usr/bin/env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *argv])
        )
        script = f"{cgroups.join_script(self.cgroup)} exec {enter}"
        return run(["sh", "-c", script], timeout_s=timeout_s, check=check).stdout

    def wait_booted(self, timeout_s: float = 60) -> None:
        """Wait until containerd and sshd answer."""

        def look() -> tuple[bool | None, str]:
            if self.first_process() is None:
                if not self.namespaces.alive:
                    raise ClusterError("the cell ended while its nodes booted: was it killed?")
                return None, "systemd not started"
            state = self.run(
                ["systemctl", "is-active", "containerd.service", "ssh.service"], check=False
            ).split()
            return (True if state == ["active", "active"] else None), f"units: {state}"

        hint = f"Its console: {self.paths.log / self.place.name}.log"
        wait_for(f"{self.place.name} to boot", look, timeout_s=timeout_s, hint=hint)

    def join(self) -> None:
        """Start kubelet, proxy and network policies, now and at every boot."""
        self.run(["systemctl", "enable", "--quiet", "--now", *SERVICES])

    def enforces_policies(self) -> bool:
        """Whether its table of network policies is there."""
        table = ["nft", "list", "table", "ip", layout.NETWORK_POLICIES]
        return bool(self.run(table, check=False))

    def quiet(self) -> node_sessions.Quiet:
        """What runs on it while nobody is logged in."""
        return node_sessions.look(self.cgroup)

    def end_sessions(self, quiet: node_sessions.Quiet) -> None:
        """End all that was started since, over SSH or as a unit; pods stay.

        Raises:
            NotReady: it came faster than it could be ended.
        """
        node_sessions.end(self.cgroup, quiet)


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def _copy(source: Path, target: Path) -> None:
    _write(target, source.read_text(), 0o600 if target.suffix == ".key" else 0o644)
