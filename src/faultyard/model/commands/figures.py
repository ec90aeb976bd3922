"""Commands of which it is known that they print numbers alone."""

from __future__ import annotations

import re
from typing import Final

_SEGMENT: Final = r"(?:[^;&\n()`<>|\\'\"#]|'[^']*'|\"[^\"`\\]*\"|2>/dev/null|2>&1)+"
_DIGITS: Final = r"tr\s+-(?:dc|cd)\s+(?:0-9|'0-9')|grep\s+-o\s+'\[0-9\]\*'|grep\s+-oE\s+'\[0-9\]\+'"
_COUNTS: Final = re.compile(
    rf"\s*(?:(?:{_SEGMENT}\|)+\s*(?:wc\s+-[lcwm]|grep\s+-c\s+[\w.]+|{_DIGITS})"
    r"|wc\s+-[lcwm]\s*<\s*[\w./-]+|seq(?:\s+\d+){1,3}|date\s+\+%s(?:%N)?|nproc|id\s+-u)\s*"
)
_GROUP: Final = r"/sys/fs/cgroup/(?:\w[\w.@:-]*/)*"
_PAIRS: Final = (
    rf"(?:{_GROUP}(?:cpu\.(?:stat(?:\.local)?|max)|memory\.(?:stat|events(?:\.local)?)|pids\.events)"
    r"|/proc/(?:stat|vmstat))"
)
"""The kernel's files in which each line is a name, or a number, and numbers behind blanks."""
_SINGLE: Final = rf"{_GROUP}(?:memory\.(?:current|peak)|pids\.(?:current|peak)|cpu\.weight)"
"""Those that are a number."""
_COLUMN: Final = r"(?:[2-9]|[1-9]\d)"
_WHICH: Final = r"(?:/[\w^ .:-]{1,60}/|NR\s*==\s*\d+)?\s*"
_KEY: Final = r"\$1\s*==\s*\"\w+\"\s*"
_END: Final = r"\s*(?:;\s*exit\s*;?\s*)?\}"
_PICKS: Final = (
    rf"(?:awk\s+(?:'\s*(?:{_KEY}|{_WHICH})\{{\s*print\s+\${_COLUMN}{_END}\s*'"
    rf"|\"\s*{_WHICH}\{{\s*print\s+\\\${_COLUMN}{_END}\s*\")"
    rf"|cut\s+-d\s*(?:' '|\" \")\s+-f\s*{_COLUMN}|cut\s+-f\s*{_COLUMN}\s+-d\s*(?:' '|\" \"))"
)
"""They print one column of numbers."""
_LINES: Final = (
    r"(?:grep\s+(?:-[EFiwxsh]+\s+|-m\s*\d+\s+)*"
    r"(?:[\w.^:][\w.^:-]*|'[\w.^:][\w.^: -]*'|\"[\w.^:][\w.^: -]*\")|(?:head|tail)\s+-(?:n\s*)?\d+)"
)
"""They print whole lines."""
_MEASURES: Final = re.compile(
    rf"\s*(?:{_PICKS}\s+(?:<\s*)?{_PAIRS}(?:\s+2>/dev/null)?"
    rf"|(?:cat|{_LINES})\s+{_PAIRS}(?:\s+2>/dev/null)?\s*\|(?:\s*{_LINES}\s*\|)*\s*{_PICKS}"
    rf"|(?:cat\s+|<\s*){_SINGLE}(?:\s+2>/dev/null)?)\s*"
)
_LONGEST: Final = 300


def counts(text: str) -> bool:
    """Tell whether a text's commands print numbers alone.

    They count, or they show what the kernel has counted: in those files nobody writes a text.

    Args:
        text: what a shell puts the output of.
    """
    told = text.strip(" \t\n")
    # A line's end ends a command, and other blanks are signs like any other to a shell.
    if len(text) > _LONGEST or any(sign.isspace() and sign not in " \t" for sign in told):
        return False
    return bool(_COUNTS.fullmatch(told) or _MEASURES.fullmatch(told))
