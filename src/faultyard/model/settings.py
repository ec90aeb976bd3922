"""Whether a setting says anything to whoever reads it.

Programs take an empty text for one that is not there, and a zero, a number below it or a word such
as `off` for "none": to write that is to remove the setting in other words.
"""

from __future__ import annotations

import re
from typing import Final

_ZERO: Final = re.compile(r"(?:[+-]?(?:0+\.?0*|\.0+)[a-zA-Zµμ%]*)+")
"""In any unit, or in several: `0`, `0s`, `0m0s`, `0.0`, `0Mi`."""
_BELOW: Final = re.compile(r"-[\d.]+[a-zA-Zµμ%\d.]*")
_WORDS: Final = frozenset("off false no none null nil disabled unlimited infinite inf".split())


def set_to_something(value: object, *, zero: bool = False) -> bool:
    """Tell whether a value is one, and none that stands for "absent" or "off".

    Args:
        value: as an object has it; anything but a text or a number is none.
        zero: whether zero is a value like any other, as where it is a bound: nothing at all.
    """
    if value is False or not isinstance(value, str | int | float):
        return False
    text = str(value).strip().lower()
    if not text or text in _WORDS or _BELOW.fullmatch(text):
        return False
    return zero or not _ZERO.fullmatch(text)
