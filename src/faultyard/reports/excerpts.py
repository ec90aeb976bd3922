"""Texts of an agent's, as far as a page has room for them, and how much there is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import yaml

LONGEST: Final = 20_000
"""Characters of a body or an answer that are shown."""
_LONGEST_VALUE: Final = 4000
"""Characters of a value that are shown; the record has all of them."""
_DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # the C one is ten times as fast


class Room:
    """What a page has room for: it must open on a phone, whatever an agent sends.

    Args:
        characters: of all texts together.
    """

    def __init__(self, characters: int = 2_000_000) -> None:
        self._left = characters

    def fit(self, content: Any, where: str) -> str:
        """Return as much of a content as there is room for; None is empty.

        Args:
            content: a text; anything else is written as YAML.
            where: in the record, where a reader finds it.
        """
        if not content:
            return ""
        if self._left <= 0:
            return f"left out here, since the page would grow too large; see {where}"
        text = content if isinstance(content, str) else as_yaml(content)
        shown = shortened(text, LONGEST)
        self._left -= len(shown)
        return shown


def shortened(text: str, longest: int = _LONGEST_VALUE) -> str:
    """Return a text that says so where it is cut."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n… cut here: {len(text) - longest} more characters are in the record"


def size(octets: int) -> str:
    """Return a size for people: `512 B`, `12.3 kB`."""
    if octets < 1000:
        return f"{octets} B"
    return f"{octets / 1000:.1f} kB" if octets < 1_000_000 else f"{octets / 1_000_000:.1f} MB"


def as_yaml(sent: Any) -> str:
    """Return what was sent as YAML, without the server's notes on who manages which field."""
    metadata = sent.get("metadata") if isinstance(sent, dict) else None
    if isinstance(sent, dict) and isinstance(metadata, Mapping) and "managedFields" in metadata:
        kept = {key: value for key, value in metadata.items() if key != "managedFields"}
        sent = {**sent, "metadata": kept}
    # Half a character, which JSON can hold, is none that the library can write.
    whole = json.loads(json.dumps(sent, ensure_ascii=False).encode(errors="replace"))
    text = yaml.dump(whole, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=100)
    return str(text).rstrip().removesuffix("\n...")
