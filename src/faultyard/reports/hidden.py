"""Signs in others' words that cannot be seen, or that move or recolour what is shown."""

from __future__ import annotations

import re
from typing import Final

_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# C0 and C1 but tab and line feed; marks that reorder or hide text; separators; lone surrogates.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def shown(text: str) -> str:
    """Return a text with colours taken out and what cannot be seen written as its code point.

    A terminal's colours are dropped; a mark that turns the order of letters round, or a zero-width
    space in a name, is shown as ⟨U+202E⟩.
    """
    plain = _ANSI.sub("", text.replace("\r\n", "\n"))
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", plain)


def in_a_line(text: str) -> str:
    """Return a text that stays in its line of a terminal; a line's end is shown, too."""
    return shown(text).replace("\n", "⟨U+000A⟩")
