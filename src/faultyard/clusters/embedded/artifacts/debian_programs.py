"""Programs that run beside the control plane and come from Debian's packages, not installed."""

from __future__ import annotations

from faultyard.clusters.embedded.artifacts import debian
from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build

PACKAGES = {"prometheus": ("usr/bin/prometheus", "usr/bin/promtool")}
"""Package -> the programs in it that are used."""


def package_artifact(package: str) -> Artifact:
    """The artifact of one package: a folder with its programs."""

    def build(build: Build) -> None:
        programs = PACKAGES[package]
        debian.extract(package, programs, build.target, build.scratch, build.log)

    return Artifact(
        name=package,
        title=f"{package.title()} of Debian",
        inputs={"programs": PACKAGES[package], "suite": debian.SUITE},
        build=build,
        expected_s=10,
    )
