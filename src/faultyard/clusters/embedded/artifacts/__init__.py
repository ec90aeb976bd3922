"""Artifacts: the binaries, root file systems and images that clusters are made of.

`make setup` builds them once into a cache; clusters ask for them with `ensure(build=False)`.
"""

from faultyard.clusters.embedded.artifacts.builds import ensure
from faultyard.clusters.embedded.artifacts.catalogue import Artifacts, Image
from faultyard.clusters.embedded.artifacts.errors import (
    ArtifactError,
    BadImages,
    BuildFailed,
    DiskFull,
    MissingPackage,
    NotBuilt,
    NotRoot,
    UnsuitableMachine,
)
from faultyard.clusters.embedded.artifacts.progress import Progress

__all__ = [
    "ArtifactError",
    "Artifacts",
    "BadImages",
    "BuildFailed",
    "DiskFull",
    "Image",
    "MissingPackage",
    "NotBuilt",
    "NotRoot",
    "Progress",
    "UnsuitableMachine",
    "ensure",
]
