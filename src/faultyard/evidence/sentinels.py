"""Sentinels: what a cell did to its host is found after the turn, put back, and told."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from faultyard.clusters.errors import ClusterError
from faultyard.evidence import host_settings
from faultyard.evidence.host_settings import Source
from faultyard.model import sentinels
from faultyard.model.sentinels import Change

MOST_SHOWN = 200
"""Characters of a value that are kept in the record."""


@dataclass
class Sentinels:
    """Settings of the host, as they were when this was made. See `watch`.

    Args:
        sources: where they are looked for.
        tell: gets a sentence for each that changed.
    """

    sources: Sequence[Source]
    tell: Callable[[str], None]
    changes: list[Change] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _known: list[Mapping[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._known = [self._look(source) for source in self.sources]

    def settle(self) -> list[Change]:
        """Find what changed since it was looked last, and put it back.

        Returns:
            What was found now.
        """
        found = []
        for number, source in enumerate(self.sources):
            before, after = self._known[number], self._look(source)
            different = {name for name in after if before.get(name, "") != after[name]}
            for name in sorted(different):
                restored = self._restore(source, name, before.get(name, ""))
                change = Change(
                    t=round(time.time(), 3),
                    name=name,
                    before=before.get(name, "")[:MOST_SHOWN],
                    after=after[name][:MOST_SHOWN],
                    restored=restored,
                )
                found.append(change)
                self.tell(sentence(change))
            if different:
                # What could not be put back is found once, not at each look.
                self._known[number] = {**before, **self._look(source)}
        self.changes += found
        return found

    def result(self) -> sentinels.Sentinels:
        """What the record keeps."""
        watched = sum(len(known) for known in self._known)
        return sentinels.Sentinels(
            watched=watched, changes=tuple(self.changes), errors=tuple(self.errors)
        )

    def _look(self, source: Source) -> Mapping[str, str]:
        try:
            return source.look()
        except (OSError, ClusterError) as error:
            self.errors.append(f"{type(source).__name__}: {error}")
            return {}

    def _restore(self, source: Source, name: str, value: str) -> bool:
        try:
            source.restore(name, value)
        except (OSError, ClusterError) as error:
            self.errors.append(f"{name} could not be put back: {error}")
            return False
        return self._look(source).get(name, "") == value


def watch(cgroup: str, tell: Callable[[str], None]) -> Sentinels:
    """Look at the host's settings; from now on changes can be found.

    Args:
        cgroup: the cell's.
        tell: gets a sentence for each change.
    """
    return Sentinels(
        [
            host_settings.SettingFiles(host_settings.setting_files()),
            host_settings.KernelFiles(),
            host_settings.Devices(),
            host_settings.Clock(),
            host_settings.CgroupCount(cgroup),
        ],
        tell,
    )


def sentence(change: Change) -> str:
    """What a person reads of a change."""
    done = "it was put back" if change.restored else "it was NOT put back"
    was, became = (value or "(none)" for value in (change.before, change.after))
    return f"a setting of this host changed: {change.name}, from {was!r} to {became!r}; {done}"
