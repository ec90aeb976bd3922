"""Commands that a shell runs itself, so that there is no line of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from faultyard.model.commands.starters import safe_variable, sensitive
from faultyard.model.commands.words import Act

OTHERS: Final = frozenset(
    """eval coproc alias unalias enable mapfile readarray fc bind complete compgen
    compopt typeset let suspend logout caller history getopts hash newgrp print
    whence autoload function select case repeat foreach noglob nocorrect emulate zmodload ztcp
    zsocket sysopen syswrite vared fg bg env-update chdir setopt unsetopt sched limit unlimit
    kill trap exec builtin command""".split()
)
"""Builtins of any shell of which it is not known that they are harmless."""
_VARIABLE: Final = re.compile(r"[A-Za-z_]\w*")
_OWN: Final = re.compile(
    r"[A-Z]\d?|NS|NAMESPACE|POD|NODE|SVC|SERVICE|DB|DEPLOY|DEPLOYMENT|CONTAINER"
)
"""Variables in capitals that people set for themselves, and that no program reads."""
_EXPORTED: Final = re.compile(r"[a-z_][a-z\d_]*=(?:\d+|/[\w./:@%+,-]*)")
"""Others start with a value that no shell takes for the name of another variable."""
_PATTERNS: Final = frozenset({"nullglob", "globstar", "dotglob"})
"""Settings by which a shell's patterns come to other files; not those by which it reads others."""
_SETTING: Final = re.compile(r"[-+](?:[euxfhv]+|[eux]*o)|pipefail|errexit|nounset|xtrace|--")
_READING: Final = re.compile(r"-[rse]+|-[tnN]|-[tnN]?\d+(?:\.\d+)?|\d+(?:\.\d+)?")
_COMPARING: Final = frozenset("= == != -eq -ne -lt -gt -le -ge -nt -ot -ef".split())
_COMPUTING: Final = frozenset("-eq -ne -lt -gt -le -ge".split())
_NUMBER: Final = re.compile(r"-?\d+")
_DESCRIBES: Final = (("/etc/os-release",), ("/usr/lib/os-release",))
"""Texts of the system that set variables of their own and do nothing else."""


@dataclass(frozen=True)
class Arguments:
    """What a builtin is given; None: something is put in for a part of it."""

    words: tuple[str | None, ...]
    split: bool = False
    """Whether what is put in may come to several words."""

    def all(self, pattern: re.Pattern[str]) -> bool:
        """Tell whether each is known and as a pattern says."""
        return all(word is not None and pattern.fullmatch(word) for word in self.words)


def _nothing(_: Arguments) -> Act:
    return Act.READ


def _if(fine: Callable[[Arguments], bool]) -> Callable[[Arguments], Act]:
    return lambda given: Act.READ if fine(given) else Act.UNKNOWN


def _kill(given: Arguments) -> Act:
    asks = given.words[:1] in (("-l",), ("-L",), ("-0",)) or given.words[:2] == ("-s", "0")
    return Act.READ if asks else Act.CHANGE


def _tested(given: Arguments) -> bool:
    """Tell whether no name with an index can be among what is tested."""
    words = given.words[:-1] if given.words[-1:] == ("]",) else given.words
    places = [place for place, word in enumerate(words) if word is None]
    behind = [place for place in places if place and words[place - 1] is not None]
    before = [0] if places[:1] == [0] and words[1:2] and words[1] in _COMPARING else []
    return not given.split and not {"-v", "-R"} & {*words} and [*before, *behind] == places


def _tested_in_brackets(given: Arguments) -> bool:
    """Tell whether all that is computed is a number."""
    words, around = given.words, (-1, 1)
    places = [place for place, word in enumerate(words) if word in _COMPUTING]
    sides = [words[p + d] if 0 <= p + d < len(words) else None for p in places for d in around]
    return not {"-v", "-R"} & {*words} and all(side and _NUMBER.fullmatch(side) for side in sides)


def _printed(given: Arguments) -> bool:
    first = given.words[0] if given.words else None
    return first is not None and first[:1] != "-"


def _read(given: Arguments) -> bool:
    """Tell whether what is read comes into variables that nobody else goes by."""
    known = given.all(re.compile(rf"{_VARIABLE.pattern}|{_READING.pattern}"))
    return known and not any(sensitive(word or "") for word in given.words)


def _exported(given: Arguments) -> bool:
    return all(word is not None and _exports(word) for word in given.words)


def _exports(word: str) -> bool:
    """Tell whether a variable makes none of the programs that see it do something else."""
    name = word.partition("=")[0]
    own = bool(_OWN.fullmatch(name) or _EXPORTED.fullmatch(word)) and not sensitive(name)
    return word == "-p" or safe_variable(name) or own


def _declared(given: Arguments) -> bool:
    """Tell whether variables are printed only."""
    return given.words[:1] == ("-p",) and all(
        word is not None and _VARIABLE.fullmatch(word) for word in given.words[1:]
    )


def _chosen(given: Arguments) -> bool:
    return given.words[:1] in (("-s",), ("-u",)) and _PATTERNS.issuperset(given.words[1:])


BUILTINS: Final[Mapping[str, Callable[[Arguments], Act]]] = {
    **dict.fromkeys(
        ": true false echo cd pwd exit return break continue shift times disown type umask "
        "ulimit pushd popd dirs".split(),
        _nothing,
    ),
    # In these a name with an index is computed, and a command in the index is run.
    "test": _if(_tested),
    "[": _if(_tested),
    "[[": _if(_tested_in_brackets),
    "printf": _if(_printed),
    "read": _if(_read),
    "unset": _if(lambda given: given.all(re.compile(rf"-[fv]|{_VARIABLE.pattern}"))),
    "wait": _if(lambda given: given.all(re.compile(r"%?\d+"))),
    "jobs": _if(lambda given: given.all(re.compile(r"-[lprs]+"))),
    "set": _if(lambda given: given.all(_SETTING)),
    "export": _if(_exported),
    "readonly": _if(_exported),
    "declare": _if(_declared),
    "shopt": _if(_chosen),
    "kill": _kill,
    **dict.fromkeys((".", "source"), _if(lambda given: given.words in _DESCRIBES)),
}
