"""Programs for files and texts: what they write, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_option, by_reading_option, to_files, to_option
from faultyard.model.commands.words import Act, line, writing

_SUBSTITUTION: Final = r"s([/|#,])(?:\\.|(?!\2)[^\\])*\2(?:\\.|(?!\2)[^\\])*\2[gIip\d]*"
_PATTERN: Final = r"/(?:\\.|[^/\\])*/I?"
_ADDRESS: Final = rf"(?:{_PATTERN}|[\d$~+]+)"
_HARMLESS_SED: Final = re.compile(
    rf"(?:\s*(?:{_ADDRESS}(?:,{_ADDRESS})?)?\s*!?\s*([pdqnN=]|{_SUBSTITUTION})\s*(?:;|$))+\s*"
)
_SED_LENGTH: Final = 500
_ACTING_AWK: Final = re.compile(r"system\s*\(|getline|print[^;}\n]*(?:>|\|)|\|\s*\"|@load|@include")


def _copying(arguments: Sequence[str]) -> Act:
    given = line(arguments, "tSZ", ["--target-directory"])
    return writing(given.values("-t", "--target-directory") or given.words[-1:])


def _awk(arguments: Sequence[str]) -> Act:
    given = line(arguments, "Fvfi", ["--file", "--include"], mixed=False)
    if given.has("-i", "-f", "--file", "--include", "--in-place") or not given.words:
        return Act.UNKNOWN
    return Act.UNKNOWN if _ACTING_AWK.search(given.words[0]) else Act.READ


def _sed(arguments: Sequence[str]) -> Act:
    given = line(arguments, "efl", ["--expression", "--file", "--line-length"])
    if given.has("-i", "--in-place"):
        return Act.CHANGE
    scripts = given.values("-e", "--expression") or list(given.words[:1])
    harmless = not given.has("-f", "--file") and all(map(_harmless, scripts))
    return Act.READ if harmless else Act.UNKNOWN


def _harmless(script: str) -> bool:
    # Whoever wrote it must not make this take long.
    plain = re.sub(r"\s+", " ", script.replace("\n", ";"))
    return len(plain) <= _SED_LENGTH and bool(_HARMLESS_SED.fullmatch(plain))


def _find(arguments: Sequence[str]) -> Act:
    if set(arguments) & {"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"}:
        return Act.CHANGE
    acts = {"-exec", "-execdir", "-ok", "-okdir"}
    return Act.STARTS if acts & set(arguments) else Act.READ


def _tar(arguments: Sequence[str]) -> Act:
    letters = arguments[0].lstrip("-") if arguments and arguments[0][:2] != "--" else ""
    given = line([f"-{letters}", *arguments[1:]] if letters else arguments, "fCbgTXHIF", ["--file"])
    if given.has("-t", "--list"):
        return Act.READ
    if given.has("-c", "--create"):
        return writing(given.values("-f", "--file"))
    return Act.CHANGE


def _dd(arguments: Sequence[str]) -> Act:
    return writing([word[3:] for word in arguments if word.startswith("of=")])


FILES: Final[Mapping[str, Rule]] = {
    "sed": _sed,
    "awk": _awk,
    "mawk": _awk,
    "gawk": _awk,
    "find": _find,
    "tee": to_files(),
    "touch": to_files("drt"),
    "mkdir": to_files("m"),
    "rm": to_files(),
    "rmdir": to_files(),
    "chmod": lambda given: writing(line(given).words[1:]),
    "chown": lambda given: writing(line(given).words[1:]),
    "chgrp": lambda given: writing(line(given).words[1:]),
    "cp": _copying,
    "mv": _copying,
    "dd": _dd,
    "tar": _tar,
    "sort": to_option("-o --output", "ktSTo"),
    "shuf": to_option("-o --output", "ino"),
    "tree": to_option("-o", "LPIo"),
    "iconv": to_option("-o --output", "fto"),
    "uniq": to_option("", "fsw", second_word=True),
    "xxd": to_option("", "clogs", second_word=True),
    "gzip": by_reading_option("-c -l -t --stdout --list --test"),
    "gunzip": by_reading_option("-c -l -t --stdout --list --test"),
    "yq": by_option("-i --inplace", "op"),
}
