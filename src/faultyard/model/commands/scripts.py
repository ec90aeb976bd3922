"""Texts of awk and sed: whether they only print what they are given."""

from __future__ import annotations

import re
from typing import Final

_SUBSTITUTION: Final = r"s([/|#,])(?:\\.|(?!\2)[^\\])*\2(?:\\.|(?!\2)[^\\])*\2[gIip\d]*"
_PATTERN: Final = r"/(?:\\.|[^/\\])*/I?"
_ADDRESS: Final = rf"(?:{_PATTERN}|[\d$~+]+)"
_SED: Final = re.compile(
    rf"(?:\s*(?:{_ADDRESS}(?:,{_ADDRESS})?)?\s*!?\s*([pdqnN=]|{_SUBSTITUTION})\s*(?:;|$))+\s*"
)
_LONGEST: Final = 500
"""Characters; whoever wrote a text must not make this take long."""

_AWK: Final = re.compile(
    r"""(?P<space>[ \t\n;]+|\#[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<name>[A-Za-z_]\w*)
    |(?P<number>\d+(?:\.\d+)?)|(?P<sign>&&|\|\||[=!<>+*/%^-]=|\+\+|--|!~|[{}()\[\],$=~!<>+*/%?:^-])""",
    re.VERBOSE,
)
_REGEX: Final = re.compile(r"/(?:\\.|\[\^?\]?[^\]\n]*\]|[^/\\\n\[])*/")
_FUNCTIONS: Final = frozenset(
    "length substr split index match tolower toupper sprintf int sub gsub strftime systime".split()
)
_KEYWORDS: Final = frozenset(
    "BEGIN END print printf if else for while in next exit delete return do break continue".split()
)
_ACTING: Final = frozenset(
    """getline system close fflush func function include load namespace nextfile switch case
    extension PROCINFO SYMTAB FUNCTAB""".split()
)


def sed_prints(script: str) -> bool:
    """Tell whether a text of sed only prints: it neither writes to a file nor runs a command."""
    plain = re.sub(r"\s+", " ", script.replace("\n", ";"))
    return len(plain) <= _LONGEST and bool(_SED.fullmatch(plain))


def awk_prints(script: str) -> bool:
    """Tell whether a text of awk only computes and prints to where it was told to.

    What is not known to is none: a pipe, a redirection, `system`, `getline`, an extension.
    """
    if len(script) > _LONGEST:
        return False
    place, before, braces, round_ = 0, "", 0, 0
    while place < len(script):
        found = _REGEX.match(script, place) if _starts_a_value(before) else None
        if found is None:
            found = _AWK.match(script, place)
            if found is None or not _harmless(found, script, braces, round_):
                return False
        text = found.group()
        braces += (text == "{") - (text == "}")
        round_ += (text == "(") - (text == ")")
        place = found.end()
        before = before if not text.strip(" \t") else text
    return True


def _starts_a_value(before: str) -> bool:
    return before in ("", "return", "in", "print") or before[-1] in "{}(,;~!&|\n=<>?:"


def _harmless(found: re.Match[str], script: str, braces: int, round_: int) -> bool:
    text = found.group()
    if text in (">", ">=") and braces and not round_:
        return text == ">="  # behind `print` it is a redirection
    if found.lastgroup != "name":
        return True
    called = script[found.end() :].lstrip(" \t").startswith("(")
    return text not in _ACTING and (not called or text in _FUNCTIONS | _KEYWORDS)
