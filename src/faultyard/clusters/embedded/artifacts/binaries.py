"""Binaries: every Go program of a cluster, built from modules that go.mod and go.sum pin.

Versions stand in go.mod alone: the version that a program reports is read from there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build, Lane, hash_of_files
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from faultyard.clusters.embedded.artifacts.go_sources import sources
from faultyard.clusters.embedded.artifacts.programs import run
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

KUBE_COMPONENTS = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-proxy",
    "kubelet",
    "kubectl",
)
PLATFORM = Path("native/platform")
APPS = Path("native/apps")
OBJECTS = Path("native/objects")
RECORDER = Path("native/recorder")
CONFINE = Path("native/confine")
ADDONS = Path("native/addons")
KUBE_VERSION_VARIABLE = "k8s.io/component-base/version"


@dataclass(frozen=True)
class Program:
    """One Go program of a module in this repository."""

    name: str
    title: str
    module: Path
    """The module's folder, relative to the repository."""
    package: str
    expected_s: float
    """How long its build takes on the reference machine after those before it, in seconds."""
    version_of: str = ""
    """The module whose version the program reports; empty: none."""
    variables: tuple[str, ...] = ()
    """Linker settings; {version}, {major} and {minor} are filled in."""
    tags: tuple[str, ...] = ()
    """Build tags."""
    links: tuple[str, ...] = ()
    """Further names for the program."""


PROGRAMS = (
    Program(
        name="kube",
        title="Kubernetes, all components in one binary",
        module=PLATFORM,
        package="./cmd/kube",
        expected_s=490,
        version_of="k8s.io/kubernetes",
        variables=(
            f"{KUBE_VERSION_VARIABLE}.gitVersion={{version}}",
            f"{KUBE_VERSION_VARIABLE}.gitMajor={{major}}",
            f"{KUBE_VERSION_VARIABLE}.gitMinor={{minor}}",
            f"{KUBE_VERSION_VARIABLE}.gitTreeState=clean",
            # What kubectl says of itself in each request, and so in the audit log.
            "k8s.io/client-go/pkg/version.gitVersion={version}",
        ),
        links=KUBE_COMPONENTS,
    ),
    Program(
        name="containerd",
        title="containerd",
        module=PLATFORM,
        package="github.com/containerd/containerd/v2/cmd/containerd",
        expected_s=55,
        version_of="github.com/containerd/containerd/v2",
        variables=("github.com/containerd/containerd/v2/version.Version={version}",),
    ),
    Program(
        name="containerd-shim-runc-v2",
        title="containerd's shim",
        module=PLATFORM,
        package="github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
        expected_s=2,
        version_of="github.com/containerd/containerd/v2",
        variables=("github.com/containerd/containerd/v2/version.Version={version}",),
    ),
    Program(
        name="ctr",
        title="ctr",
        module=PLATFORM,
        package="github.com/containerd/containerd/v2/cmd/ctr",
        expected_s=8,
        version_of="github.com/containerd/containerd/v2",
        variables=("github.com/containerd/containerd/v2/version.Version={version}",),
    ),
    Program(
        name="crictl",
        title="crictl",
        module=PLATFORM,
        package="sigs.k8s.io/cri-tools/cmd/crictl",
        expected_s=20,
        version_of="sigs.k8s.io/cri-tools",
        variables=("sigs.k8s.io/cri-tools/pkg/version.Version={version}",),
    ),
    Program(
        name="registry",
        title="image registry",
        module=PLATFORM,
        package="./cmd/registry",
        expected_s=21,
        version_of="github.com/distribution/distribution/v3",
        variables=("github.com/distribution/distribution/v3/version.version={version}",),
    ),
    Program(
        name="coredns",
        title="CoreDNS",
        module=PLATFORM,
        package="./cmd/coredns",
        expected_s=15,
    ),
    Program(
        name="local-path-provisioner",
        title="local-path-provisioner",
        module=PLATFORM,
        package="github.com/rancher/local-path-provisioner",
        expected_s=9,
        version_of="github.com/rancher/local-path-provisioner",
        variables=("main.VERSION={version}",),
    ),
    Program(name="pause", title="pause", module=PLATFORM, package="./cmd/pause", expected_s=1),
    Program(
        name="etcd",
        title="etcd",
        module=PLATFORM,
        package="go.etcd.io/etcd/server/v3",
        expected_s=11,
    ),
    Program(
        name="loadgen",
        title="load generator",
        module=APPS,
        package="./load/cmd/loadgen",
        expected_s=20,
    ),
    Program(
        name="object-metrics",
        title="metrics of the cluster's objects",
        module=OBJECTS,
        package="./cmd/object-metrics",
        expected_s=15,
    ),
    Program(
        name="recorder",
        title="recorder of processes",
        module=RECORDER,
        package="./cmd/recorder",
        expected_s=5,
    ),
    Program(
        name="confine",
        title="filter of nodes' system calls",
        module=CONFINE,
        package="./cmd/confine",
        expected_s=3,
    ),
    Program(
        name="network-policies",
        title="network policies of a node",
        module=ADDONS,
        package="./cmd/network-policies",
        expected_s=8,
    ),
    Program(
        name="ingress-controller",
        title="ingress controller",
        module=ADDONS,
        package="./cmd/ingress-controller",
        expected_s=8,
    ),
    Program(
        name="metrics-server",
        title="metrics-server",
        module=ADDONS,
        package="sigs.k8s.io/metrics-server/cmd/metrics-server",
        expected_s=15,
        version_of="sigs.k8s.io/metrics-server",
        variables=("sigs.k8s.io/metrics-server/pkg/version.gitVersion={version}",),
    ),
    Program(
        name="govern",
        title="rules for cells' devices and settings",
        module=CONFINE,
        package="./cmd/govern",
        expected_s=5,
    ),
)


def program_artifact(root: Path, toolchain: Toolchain, program: Program) -> Artifact:
    """The artifact of one program: a folder with the binary and its links."""
    flags = linker_flags(program, (root / program.module / "go.mod").read_text())
    argv = [toolchain.go, "build", "-trimpath", "-ldflags", flags, "-tags", ",".join(program.tags)]

    def build(build: Build) -> None:
        binary = build.target / program.name
        run(
            [*argv, "-o", binary, program.package],
            build.log,
            cwd=root / program.module,
            env=toolchain.environment(build.cache),
        )
        for link in program.links:
            (build.target / link).symlink_to(program.name)

    return Artifact(
        name=program.name,
        title=program.title,
        inputs={
            "go": toolchain.version,
            "package": program.package,
            "flags": flags,
            "tags": list(program.tags),
            "links": list(program.links),
            "sources": hash_of_files(root, sources(root / program.module, program.package)),
        },
        build=build,
        lane=Lane.GO,
        expected_s=program.expected_s,
    )


def linker_flags(program: Program, go_mod: str) -> str:
    """The linker's flags: stripped, with the version that go.mod pins.

    Raises:
        ArtifactError: go.mod does not require the module whose version is asked for.
    """
    flags = ["-s", "-w"]
    if program.version_of:
        version = pinned(program.version_of, go_mod)
        if version is None:
            raise ArtifactError(f"go.mod of {program.module} does not require {program.version_of}")
        major, minor = version.removeprefix("v").split(".")[:2]
        for variable in program.variables:
            filled = variable.format(version=version, major=major, minor=minor)
            flags.append(f"-X {filled}")
    return " ".join([*flags, *(f"-X {v}" for v in program.variables if not program.version_of)])


def pinned(module: str, go_mod: str) -> str | None:
    """The version of a module that a go.mod requires, as "v3.7.3"; None if it requires none."""
    found = re.search(rf"^\s*{re.escape(module)} (v\S+)", go_mod, re.MULTILINE)
    return found.group(1) if found else None
