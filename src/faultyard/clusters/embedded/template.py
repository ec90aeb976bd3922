"""Templates: the state of a stopped cell, from which others begin by clones.

A template is a folder of the pool: the stopped etcd, the nodes' file systems with their images
and volumes but without containers, and `template.json`. It is read-only, and below no root of a
running cell, so no node reaches it. A cell's keys never travel: each has an authority of its own.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from faultyard.clusters.embedded.past import aged, steady, woken
from faultyard.clusters.embedded.store import EVENTS, Store

AGE = timedelta(days=2, hours=19, minutes=23)
"""How long ago the moment is at which a template was taken, as a cluster made from it sees it."""
NOTE = "template.json"
STORE = "etcd"


@dataclass(frozen=True)
class Template:
    """A template in the pool."""

    folder: Path

    def part(self, name: str) -> Path:
        """What a node's root, or etcd's folder, is cloned from."""
        return self.folder / name

    def wake(self, store: Store, authority: str, begun: Path) -> None:
        """Make the clone of its etcd one of a cluster that begins now.

        Args:
            store: serves the clone, or will in a moment; the API server is not up yet.
            authority: the certificate of the new cluster's authority.
            begun: the file in which to keep what the cluster begins with, for `settle`.
        """
        note = json.loads((self.folder / NOTE).read_text())
        taken = datetime.fromisoformat(note["taken"])
        # By whole minutes: what was due on the minute still was.
        by = timedelta(minutes=(datetime.now(UTC) - taken - AGE) // timedelta(minutes=1))
        old = json.dumps(note["authority"])[1:-1]
        renamed = {old: json.dumps(authority)[1:-1]}
        store.wait_serving()
        store.delete(EVENTS)
        made: dict[str, str] = {}

        def wake_one(key: str, value: str) -> str:
            made[key] = woken(value, by, renamed)
            return made[key]

        store.rewrite(wake_one)
        begun.write_text(json.dumps(made))


def settle(store: Store, began: float, begun: Path) -> None:
    """Have all that a cell's start from its template did look as old as the template.

    What an agent finds young is then what was done since. Containers, and pods' statuses with
    them, are as young as they are: kubelets write them again.

    Args:
        store: of the running cell.
        began: when it began, in unix seconds.
        begun: the file in which `Template.wake` kept what it began with.
    """
    since = datetime.fromtimestamp(began, UTC)
    made = json.loads(begun.read_text())
    store.delete(EVENTS)
    store.rewrite(lambda key, value: aged(steady(value, made.get(key, "")), since, AGE))
    begun.unlink()
