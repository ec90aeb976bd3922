"""The site's name server: nodes and the cluster's DNS ask it for names outside the cluster."""

from __future__ import annotations

from pathlib import Path

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.layout import NodeLayout
from faultyard.clusters.embedded.namespaces import Namespaces


def start(
    namespaces: Namespaces, paths: layout.CellPaths, binary: Path, nodes: list[NodeLayout]
) -> int:
    """Start it on the gateway's address; returns its PID in the cell."""
    zone = "meridian.internal"
    hosts = [f"{layout.GATEWAY} {layout.REGISTRY_HOST} api.{zone}"]
    hosts += [f"{node.address} {node.name}.{zone}" for node in nodes]
    entries = "\n        ".join(hosts)
    corefile = f""".:53 {{
    bind {layout.GATEWAY}
    errors
    hosts {{
        {entries}
        fallthrough
    }}
    template ANY ANY {{
        rcode NXDOMAIN
    }}
}}
"""
    file = paths.folder / "resolver.conf"
    file.write_text(corefile)
    argv = [str(binary), "-conf", str(file)]
    return namespaces.start("resolver", argv, paths.log / "resolver.log")
