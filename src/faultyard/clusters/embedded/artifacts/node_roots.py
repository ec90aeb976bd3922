"""The root file system of a node: a Debian machine with a container runtime and kubelet."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from faultyard.clusters.embedded.artifacts import debian
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build, hash_of_files
from faultyard.clusters.embedded.artifacts.programs import run

PACKAGES = (
    "bind9-dnsutils ca-certificates conntrack containernetworking-plugins curl dbus ethtool "
    "iproute2 ipset iptables iputils-ping jq kmod less lsof nftables openssh-server procps "
    "prometheus-node-exporter runc socat sudo systemd systemd-journal-remote systemd-sysv tcpdump "
    "vim-tiny"
).split()
OVERLAY = Path(__file__).parent / "node"
"""Files that are put over the packages' as they are."""
LOCAL_PROGRAMS = (
    *("containerd", "containerd-shim-runc-v2", "ctr", "crictl"),
    *("vlagent", "network-policies"),
)
KUBE_LINKS = ("kubelet", "kube-proxy")
NOT_STARTED = ("timers.target.wants/apt-daily.timer", "timers.target.wants/apt-daily-upgrade.timer")
"""Nodes of a fleet are upgraded by their image, not by themselves."""
USER = "oncall"
USER_ID = 1000
EXECUTABLE = {"usr/sbin/preinit"}
MODES = {"etc/sudoers.d/oncall": 0o440}


def packages_artifact() -> Artifact:
    """The packages of a node, as a tar archive: this part needs no compiler."""

    def build(build: Build) -> None:
        root = build.scratch / "root"
        debian.bootstrap(root, "minbase", PACKAGES, build.log)
        archive = build.target / "root.tar"
        run(["tar", "--xattrs", "--numeric-owner", "-C", root, "-cf", archive, "."], build.log)

    return Artifact(
        name="node-packages",
        title="Debian packages of a node",
        inputs={"packages": PACKAGES, "suite": debian.SUITE, "epoch": debian.EPOCH},
        build=build,
        expected_s=45,
    )


def root_artifact(packages: Artifact, programs: Mapping[str, Artifact]) -> Artifact:
    """The finished root file system, as a folder `root`.

    A plain folder is what gets into a new subvolume fastest: `cp -a` took 2.7 s, an archive 5.4 s,
    `btrfs receive` 4.8 s.
    """
    used = {name: programs[name] for name in (*LOCAL_PROGRAMS, "kube")}

    def build(build: Build) -> None:
        root = build.target / "root"
        root.mkdir(mode=0o755)
        archive = build.of(packages) / "root.tar"
        run(["tar", "--xattrs", "--numeric-owner", "-C", root, "-xf", archive], build.log)
        folders = {name: build.of(artifact) for name, artifact in used.items()}
        _install_programs(root, folders)
        _install_overlay(root)
        _add_user(root, build.log)
        # No file tells when this was built: as if every image were made on the same day.
        touch = ["-exec", "touch", "--no-dereference", f"--date=@{debian.EPOCH}", "{}", "+"]
        run(["find", root, "-newermt", f"@{debian.EPOCH}", *touch], build.log)

    return Artifact(
        name="node-root",
        title="root file system of a node",
        inputs={
            "overlay": hash_of_files(OVERLAY, [OVERLAY]),
            "layout": hash_of_files(OVERLAY.parent, [Path(__file__)]),
        },
        build=build,
        needs=(packages, *used.values()),
        expected_s=8,
    )


def _install_programs(root: Path, folders: Mapping[str, Path]) -> None:
    for name in LOCAL_PROGRAMS:
        shutil.copy(folders[name] / name, root / "usr/local/bin" / name)
    kube = root / "opt/kube"
    kube.mkdir()
    shutil.copy(folders["kube"] / "kube", kube / "kube")
    for link in KUBE_LINKS:
        (kube / link).symlink_to("kube")


def _install_overlay(root: Path) -> None:
    for file in sorted(OVERLAY.rglob("*")):
        if file.is_file():
            name = str(file.relative_to(OVERLAY))
            place = root / name
            place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            shutil.copyfile(file, place)
            place.chmod(MODES.get(name, 0o755 if name in EXECUTABLE else 0o644))
    units = root / "etc/systemd/system"
    link = units / "multi-user.target.wants/containerd.service"
    link.symlink_to("/etc/systemd/system/containerd.service")
    for unit in NOT_STARTED:
        (units / unit).unlink(missing_ok=True)
    # A journal that outlives a reboot, as on a server.
    (root / "var/log/journal").mkdir(exist_ok=True)


def _add_user(root: Path, log: Path) -> None:
    # `*` is no password at all, yet not a locked account: sshd lets a key in.
    add = ["useradd", "--create-home", "--shell", "/bin/bash", "--uid", str(USER_ID)]
    run(["chroot", root, *add, "--password", "*", USER], log)
    subprocess.run(["chmod", "755", str(root / "home" / USER)], check=True)
    for backup in ("passwd-", "group-", "shadow-", "gshadow-", "subuid-", "subgid-", ".pwd.lock"):
        (root / "etc" / backup).unlink(missing_ok=True)
