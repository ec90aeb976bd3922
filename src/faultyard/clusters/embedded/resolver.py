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
    file = paths.folder / "resolver.conf"
    file.write_text(corefile(nodes))
    argv = [str(binary), "-conf", str(file)]
    return namespaces.start("resolver", argv, paths.log / "resolver.log")


def corefile(nodes: list[NodeLayout]) -> str:
    """Its configuration: the site's names, and no others.

    A server of its own has the names: in one server `template` answers before `hosts`, and `hosts`
    alone calls a name that it does not know a failure of the server.
    """
    addresses = dict.fromkeys(layout.SITE_HOSTS, layout.GATEWAY)
    addresses |= {f"{node.name}.meridian.internal": node.address for node in nodes}
    names = " ".join(f"{name}:53" for name in addresses)
    entries = "\n        ".join(f"{address} {name}" for name, address in addresses.items())
    return f"""{names} {{
    bind {layout.GATEWAY}
    errors
    hosts {{
        {entries}
    }}
}}
.:53 {{
    bind {layout.GATEWAY}
    errors
    template ANY ANY {{
        rcode NXDOMAIN
    }}
}}
"""
