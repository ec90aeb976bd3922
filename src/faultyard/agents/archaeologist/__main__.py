"""Takes an incident: python3 -m archaeologist, where kubectl and report-cause are."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from . import ranking, traces

LEFT_OUT = frozenset(("events", "events.events.k8s.io", "leases.coordination.k8s.io"))
"""Reports and beats, which are no objects that anybody changes."""
REST = ("--mechanism", "configuration_value_wrong", "--impact", "requests_fail")
"""It is no part of what this agent can know; the report needs it."""


def main() -> int:
    """Name one object; the exit code."""
    objects = [one for kind in kinds() for one in listed(kind)]
    own = whoami()
    objects = [one for one in objects if not traces.grants(one, own)]
    found = traces.traces(objects)
    order = ranking.ranked(traces.recent(found, traces.now(objects)), found)
    for weight, one in order:
        print(f"{weight:5.1f}  {one.changed:%H:%M:%S}  {one.ref}")
    if not order:
        print("nothing was changed in the last hour")
        return 0
    named = order[0][1].ref
    said = f"{named} is the odd one among {len(order)} that were changed in the last hour"
    argv = ["report-cause", "--component", named, *REST, "--evidence", said]
    return subprocess.run(argv, check=False).returncode


def kinds() -> list[str]:
    """What can be listed."""
    names = kubectl("api-resources", "--verbs=list", "-o", "name").split()
    return [name for name in names if name not in LEFT_OUT]


def listed(kind: str) -> list[dict[str, Any]]:
    """All objects of a kind; none of one that this agent may not list.

    What has no age is no object but an answer, such as the health of a component.
    """
    text = kubectl("get", kind, "-A", "-o", "json", "--show-managed-fields")
    items = json.loads(text)["items"] if text else []
    return [item for item in items if item["metadata"].get("creationTimestamp")]


def whoami() -> str:
    """Whose credentials this agent has: what was made to let it in is no part of the incident."""
    answer = json.loads(kubectl("auth", "whoami", "-o", "json"))
    return str(answer["status"]["userInfo"]["username"])


def kubectl(*words: str) -> str:
    """What kubectl answers; nothing if it refuses, which it says itself."""
    return subprocess.run(
        ["kubectl", *words], stdout=subprocess.PIPE, text=True, check=False
    ).stdout


if __name__ == "__main__":
    sys.exit(main())
