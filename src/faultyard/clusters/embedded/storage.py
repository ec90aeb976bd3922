"""What lies on disk when a cell begins: keys, node roots, the registry's images, etcd."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from faultyard.clusters.embedded import sshkeys
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.layout import CellPaths, NodeLayout
from faultyard.clusters.embedded.pki import COMPONENTS, Authority, node_identity
from faultyard.clusters.embedded.pool import Pool
from faultyard.clusters.embedded.template import STORE, Template

ONCALL = "oncall@meridian.internal"


def lay_out(
    pool: Pool,
    paths: CellPaths,
    artifacts: Artifacts,
    nodes: int,
    template: Template | None,
) -> None:
    """Make it all.

    Args:
        pool: an open one.
        paths: the cell's.
        artifacts: what set-up built.
        nodes: number of workers.
        template: what to begin with; an empty cluster when None.
    """
    places = [NodeLayout(i) for i in range(1, nodes + 1)]
    for folder in (paths.folder, paths.log):
        folder.mkdir(parents=True, exist_ok=True)
    paths.roots.mkdir(exist_ok=True)
    _make_keys(paths, places)
    for place in places:
        pool.clone(_node(pool, artifacts, place, template), paths.roots / place.name)
    images = pool.golden("registry", artifacts.keys["registry-store"], artifacts.registry_store)
    pool.clone(images, paths.roots / "registry")
    if template is None:
        pool.create(paths.roots / STORE)
    else:
        pool.clone(template.part(STORE), paths.roots / STORE)


def _make_keys(paths: CellPaths, places: Sequence[NodeLayout]) -> None:
    authority = Authority(paths.pki)
    authority.create()
    for identity in (*COMPONENTS, *(node_identity(place) for place in places)):
        authority.issue(identity)
        authority.kubeconfig(identity.file)
    sshkeys.create(paths.folder / "oncall", ONCALL)


def _node(pool: Pool, artifacts: Artifacts, place: NodeLayout, template: Template | None) -> Path:
    if template is not None:
        return template.part(place.name)
    return pool.golden("node", artifacts.keys["node-root"], artifacts.node_root)
