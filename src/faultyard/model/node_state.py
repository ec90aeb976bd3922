"""The state of nodes beside the cluster, before and after the turn, and what differs.

Left out is what changes on a node that nobody touches; each rule has its reason beside it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from faultyard.model.shapes import items, mapping, mappings

FILE: Final = "nodes.json"
MOMENTS: Final = ("before", "injected", "after")
_UNITS: Final = {
    r"user(-runtime-dir)?@\d+\.service": "comes and goes with logins",
}
_MOUNTS: Final = {
    r"/var/lib/kubelet/pods/.*": "made by the kubelet for pods",
    r"/run/containerd/.*": "made by the runtime for containers",
    r"/run/netns/.*": "made by the runtime for pods",
    r"/run/user/.*": "comes and goes with logins",
    r"/run/credentials/.*": "made for services as they start",
}
_SYSCTLS: Final = {
    r".*/veth[^/]*/.*": "of a pod's cable",
    r".*/nf_conntrack_count": "a measurement",
    r".*/(stable_secret|tcp_fastopen_key)": "a secret",
}
_ROUTES: Final = {
    r".*\bveth\S+.*": "of a pod's cable",
}
_ENABLING: Final = re.compile(r"/etc/systemd/system/[^/]+\.(?:wants|requires)/([^/]+)")
_MASKING: Final = re.compile(r"/etc/systemd/system/([^/]+\.[a-z]+)")


class NodeStateError(ValueError):
    """The file is not one of node states."""


@dataclass(frozen=True)
class NodeState:
    """One node at one moment."""

    aspects: Mapping[str, Mapping[str, str]]
    """units, etc, routes, sysctls, firewall, mounts -> what -> how it is."""
    texts: Mapping[str, str]
    """Path -> content, of files that changed."""
    errors: tuple[str, ...]
    """What could not be seen."""


@dataclass(frozen=True)
class NodeChange:
    """One thing on a node that differs."""

    node: str
    aspect: str
    what: str
    before: str | None
    """None: it was not there."""
    after: str | None
    texts: tuple[str, str] | None = None
    """A file's content on both sides, if both are known."""


def parse(content: bytes) -> dict[str, dict[str, NodeState]]:
    """Read nodes.json; moment -> node -> state.

    Raises:
        NodeStateError: not JSON, or not of that form.
    """
    try:
        raw = json.loads(content)
        if not isinstance(raw, dict):
            raise NodeStateError("not an object")
        return {
            moment: {str(node): _state(seen) for node, seen in raw[moment].items()}
            for moment in MOMENTS
            if moment in raw
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise NodeStateError(f"not a file of node states: {error!r}") from error


def trimmed(raw: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return node states without the contents of files that are the same at every moment."""
    digests: dict[tuple[str, str], list[object]] = {}
    for states in raw.values():
        for node, state in states.items():
            for path, known in mapping(state.get("etc")).items():
                digests.setdefault((node, path), []).append(known.get("sha256"))

    def entry(node: str, path: str, known: Mapping[str, Any]) -> dict[str, Any]:
        seen = digests[node, path]  # less often than there are moments: it is new, or gone
        differs = len(set(seen)) > 1 or len(seen) < len(raw)
        return {key: value for key, value in known.items() if key != "text" or differs}

    return {
        moment: {
            node: {
                **state,
                "etc": {p: entry(node, p, e) for p, e in mapping(state.get("etc")).items()},
            }
            for node, state in states.items()
        }
        for moment, states in raw.items()
    }


def compare(
    before: Mapping[str, NodeState], after: Mapping[str, NodeState]
) -> Iterator[NodeChange]:
    """Yield what differs on nodes that were seen both times, aspects that were seen both times."""
    for node in sorted(before.keys() & after.keys()):
        one, other = before[node], after[node]
        for aspect in one.aspects:
            if aspect not in other.aspects:
                continue
            was, now = one.aspects[aspect], other.aspects[aspect]
            for what in sorted(was.keys() | now.keys()):
                if was.get(what) != now.get(what):
                    texts = _texts(one, other, what) if aspect == "etc" else None
                    yield NodeChange(node, aspect, what, was.get(what), now.get(what), texts)


def _texts(one: NodeState, other: NodeState, path: str) -> tuple[str, str] | None:
    known = [state.texts.get(path) for state in (one, other)]
    # A file that is new, or gone, is compared with nothing.
    there = [path in state.aspects["etc"] for state in (one, other)]
    texts = [text if is_there else "" for text, is_there in zip(known, there, strict=True)]
    before, after = texts
    return None if before is None or after is None or before == after else (before, after)


def _state(raw: Mapping[str, Any]) -> NodeState:
    files = {str(path): mapping(entry) for path, entry in mapping(raw.get("etc")).items()}
    aspects = {
        "units": _units(mapping(raw.get("units")), files),
        "etc": {path: _file(entry) for path, entry in files.items()},
        "routes": dict.fromkeys(_lines(raw.get("routes")), "there"),
        "sysctls": _kept(mapping(raw.get("sysctls")), _SYSCTLS),
        "firewall": _firewall(mapping(raw.get("firewall"))),
        "mounts": _mounts(items(raw.get("mounts"))),
    }
    return NodeState(
        {name: facts for name, facts in aspects.items() if name in raw},
        {path: str(entry["text"]) for path, entry in files.items() if "text" in entry},
        tuple(f"{e.get('part')}: {e.get('message')}" for e in mappings(raw.get("errors"))),
    )


def _kept(facts: Mapping[str, Any], rules: Mapping[str, str]) -> dict[str, str]:
    # As one pattern, since there are thousands of facts for each node and moment.
    left_out = re.compile("|".join(f"(?:{rule})" for rule in rules))
    return {name: str(value) for name, value in facts.items() if not left_out.fullmatch(name)}


def _units(raw: Mapping[str, Any], files: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return each unit's state and whether it is started at the next boot."""
    enabled = {found[1] for path in files if (found := _ENABLING.fullmatch(path))}
    masked = {
        found[1]
        for path, entry in files.items()
        if (found := _MASKING.fullmatch(path)) and entry.get("link") == "/dev/null"
    }
    # One that does not run is listed as long as somebody asks for it.
    told = {
        name: f"{mapping(unit).get('active')} ({mapping(unit).get('sub')})"
        for name, unit in raw.items()
        if mapping(unit).get("active") != "inactive"
    }
    for name in enabled | masked:
        boot = "masked" if name in masked else "enabled"
        told[name] = f"{told.get(name, 'inactive')}, {boot}"
    return _kept(told, _UNITS)


def _file(entry: Mapping[str, Any]) -> str:
    parts = [f"{entry.get('kind')} {entry.get('mode')} {entry.get('owner')}"]
    parts += [f"-> {entry['link']}"] if "link" in entry else []
    parts += [f"{entry['size']} bytes"] if "size" in entry else []
    parts += [str(entry[key]) for key in ("sha256", "changed") if key in entry]
    return ", ".join(parts)


def _lines(raw: object) -> list[str]:
    # What remains of a route's life counts down.
    lines = {" ".join(re.sub(r"\bexpires \S+", "", str(line)).split()): "" for line in items(raw)}
    return list(_kept(lines, _ROUTES))


def _firewall(raw: Mapping[str, Any]) -> dict[str, str]:
    """Return each table's rules; of those that a program keeps itself only that they are there."""
    older = {f"older table {name}": "there" for name in items(raw.get("older_tables"))}
    kept = {f"table {name}": f"kept by {name.split()[-1]}" for name in mapping(raw.get("proxy"))}
    own = {
        f"table {name}": str(rules) or "no rules"
        for name, rules in mapping(raw.get("tables")).items()
    }
    return older | kept | own


def _mounts(lines: list[Any]) -> dict[str, str]:
    """Return what is mounted where, from lines of mountinfo (proc(5))."""
    found: dict[str, str] = {}
    for line in lines:
        own, _, rest = str(line).partition(" - ")
        fields, kind = own.split(), rest.split()
        if len(fields) < 6 or len(kind) < 2:
            continue  # no line of the kernel's: an older record split names that hold line ends
        place = fields[4]
        told = f"{kind[0]} of {kind[1]} {fields[3]}, {fields[5]}"
        found[place] = f"{found[place]}; {told}" if place in found else told
    return _kept(found, _MOUNTS)
