"""Requests through the API server's proxy: whom they reach, and whether they only read.

What a GET does is the answering program's choice: some book by it. But what stands at the paths of
measurements, health, profiles and versions is told by convention, and nobody acts there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

ASKING: Final = frozenset({"get", "head"})
_PROFILES: Final = """(?:/(?:allocs|block|cmdline|goroutine|heap|mutex|profile|symbol|threadcreate
    |trace))?"""
_ANYWHERE: Final = re.compile(
    rf"""/(?:metrics|version|health
    |(?:debug/)?(?:healthz|livez|readyz)(?:/[\w-]+)*
    |debug/(?:metrics|vars|pprof{_PROFILES}))/?""",
    re.VERBOSE,
)
_ON_NODES: Final = re.compile(
    r"/(?:stats(?:/summary)?|metrics/(?:cadvisor|probes|resource|slis)|pods|runningpods)/?"
)
"""Of the kubelet, which by GET also runs commands, at other paths."""
_PLACE: Final = re.compile(r"/api/v1/(?:namespaces/[^/%]+/(?:pods|services)|nodes)/[^/%]+/proxy")


def whom(name: str) -> tuple[str, str]:
    """Return the object and the port that a request names: `[scheme:]object[:port]`.

    The port is empty if it names none; then the server chooses.
    """
    match name.split(":"):
        case [one, port] | [_, one, port]:
            return one, port
    return name, ""


def only_reads(raw: Mapping[str, Any]) -> bool:
    """Tell whether an event of the audit log is a GET or HEAD of such a path.

    The path counts as it was sent: one in which anything is encoded, doubled or climbs up is none
    of these.
    """
    reference = raw.get("objectRef") or {}
    if reference.get("subresource") != "proxy" or raw.get("verb") not in ASKING:
        return False
    asked = str(raw.get("requestURI", "")).partition("?")[0]
    place = _PLACE.match(asked)
    path = asked[place.end() :] if place else ""
    node = reference.get("resource") == "nodes" and bool(_ON_NODES.fullmatch(path))
    return node or bool(_ANYWHERE.fullmatch(path))
