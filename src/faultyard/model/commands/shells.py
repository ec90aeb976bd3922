"""Shells: what they start has lines of its own, what they do themselves has not.

A shell writes files and opens connections by redirection, sends signals and runs texts by
builtins. Where its text is on the command line, each of its commands is looked at, and what is
not known to be harmless is unknown; where it comes from a file, a terminal or a pipe, nobody
knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from faultyard.model.commands.builtins import BUILTINS, OTHERS, Arguments
from faultyard.model.commands.connections import CONNECTION, all_quiet, asks, keeps_some
from faultyard.model.commands.shell_tokens import Sign, UnreadableText, Word
from faultyard.model.commands.simple_commands import Command, commands_of, name_of
from faultyard.model.commands.starters import safe_variable, sensitive
from faultyard.model.commands.texts import take_apart
from faultyard.model.commands.words import Act, hidden, known, worst, writing

NAMES: Final = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh", "rbash"})
_READABLE: Final = frozenset({"sh", "bash", "dash", "ash", "rbash"})
_OFFLINE: Final = frozenset({"sh", "dash", "ash"})
"""They open no connections themselves."""
_OPTIONS: Final = "ceuxlvf o: O: --login --norc --noprofile --posix --verbose"
_PLAIN: Final = re.compile(r"[\w./+:@%,-]+|\[\[?")
_PATTERN: Final = re.compile(r"[*?\[]")
_COUNTING: Final = BUILTINS.keys() - {"echo", "cd", ":", "true", "[["}
"""Builtins to which it matters at which place a word stands."""
_DEEPEST: Final = 6
_LONGEST: Final = 20_000


def act(name: str, arguments: Sequence[str], *, powerful: bool) -> Act:
    """Return what a shell does itself.

    Args:
        name: the shell.
        arguments: without the shell.
        powerful: whether it may change anything; another's redirections and signals reach only
            what is its own.
    """
    if list(arguments) in (["--version"], ["--help"]):
        return Act.STARTS
    text = text_of(arguments)
    if text is None or name not in _READABLE:
        return Act.STARTS if not powerful and name in _OFFLINE else Act.UNKNOWN
    return worst([Act.STARTS, *_own_acts(text, powerful, _DEEPEST)])


def text_of(arguments: Sequence[str]) -> str | None:
    """Return what is behind `-c`; None: the text comes from elsewhere."""
    given = known(arguments, _OPTIONS, mixed=False)
    if given is None or not given.has("-c") or given.has("-O") or not given.words:
        return None
    if not set(given.values("-o")) <= {"pipefail", "errexit", "nounset", "xtrace"}:
        return None
    return given.words[0]


def _own_acts(text: str, powerful: bool, depth: int) -> list[Act]:
    if not depth or len(text) > _LONGEST:
        return [Act.UNKNOWN]
    try:
        taken = take_apart(text)
        commands = commands_of(taken)
    except UnreadableText:
        return [Act.UNKNOWN]
    acts = [each for inner in taken.inner for each in _own_acts(inner, powerful, depth - 1)]
    quiet = keeps_some(commands) and _throughout(text, depth, all_quiet)
    if any(map(_lets_vanish, commands)) and not _throughout(text, depth, _all_stay):
        return [Act.UNKNOWN]
    for command in commands:
        command.fed, command.quiet = taken.documents, quiet
        acts += _acts_of(command, powerful, depth)
    return acts


def _throughout(text: str, depth: int, fine: Callable[[Sequence[Command]], bool]) -> bool:
    """Tell whether the commands of a text, and of those within it, are as they should be."""
    try:
        taken = take_apart(text)
        found = bool(depth) and fine(commands_of(taken))
    except UnreadableText:
        return False
    return found and all(_throughout(inner, depth - 1, fine) for inner in taken.inner)


def _lets_vanish(command: Command) -> bool:
    """Tell whether from then on patterns that fit no file come to nothing."""
    return "nullglob" in {word.text for word in command.words}


def _all_stay(commands: Sequence[Command]) -> bool:
    """Tell whether no word can vanish that a builtin would have before those it acts by."""
    for command in commands:
        texts = {word.text for word in command.words}
        if "trap" in texts or (texts & _COUNTING and _PATTERN.search(" ".join(texts - {"["}))):
            return False
    return True


def _acts_of(command: Command, powerful: bool, depth: int) -> list[Act]:
    if command.loop:
        head = command.words[0] if command.words else Word("", plain=False, bare=False)
        fine = head.plain and re.fullmatch(r"[A-Za-z_]\w*", head.text)
        unsure = not fine or sensitive(head.text) or bool(command.redirections)
        return [Act.UNKNOWN] if unsure else []
    acts = [
        (Act.READ if asks(command, sign) else Act.UNKNOWN)
        if CONNECTION.match(target.text)
        else _redirected(sign, target, powerful)
        for sign, target in command.redirections
    ]
    reads = [word.text for word in command.words[:1]] == ["read"]
    for name in map(name_of, command.assigned):
        safe = safe_variable(name) if command.words else not sensitive(name)
        # In front of `read` it says where words end, for it alone.
        acts += [] if safe or (reads and name == "IFS") else [Act.UNKNOWN]
    if command.tests:
        # A shell that does not know the brackets takes what stands in them for commands.
        acts.append(_builtin("[[", command.words, powerful))
    return [*acts, *_run(command.words, powerful, depth)] if command.words else acts


def _run(words: Sequence[Word], powerful: bool, depth: int) -> list[Act]:
    first = words[0]
    if not first.plain or not _PLAIN.fullmatch(first.text):
        return [Act.UNKNOWN]
    name, rest = first.text, words[1:]
    if name in ("command", "builtin", "exec"):
        option = rest[0].text if rest and rest[0].text.startswith("-") else ""
        if name == "command" and option in ("-v", "-V"):
            return []
        if option and (name, option) != ("command", "-p"):
            return [Act.UNKNOWN]
        rest = rest[1:] if option else rest
        return _run(rest, powerful, depth) if rest else []
    if name == "trap":
        return _trap(rest, powerful, depth)
    return [_builtin(name, rest, powerful)]


def _builtin(name: str, rest: Sequence[Word], powerful: bool) -> Act:
    if name in BUILTINS:
        # Between double brackets a number that is missing is one, too.
        numbers = name == "[["
        told = tuple(
            word.text if word.plain else word.shape if numbers and word.shape.isdigit() else None
            for word in rest
        )
        found = BUILTINS[name](Arguments(told, any(word.split for word in rest)))
        return Act.STARTS if found is Act.CHANGE and not powerful else found
    return Act.UNKNOWN if name in OTHERS else Act.STARTS


def _trap(words: Sequence[Word], powerful: bool, depth: int) -> list[Act]:
    if not words:
        return []
    if not words[0].plain or words[0].text.startswith("--"):
        return [Act.UNKNOWN]
    return [] if words[0].text in ("-", "") else _own_acts(words[0].text, powerful, depth - 1)


def _redirected(sign: Sign, target: Word, powerful: bool) -> Act:
    if sign.text in ("<", "<<<"):
        return Act.READ
    if sign.text in (">&", "<&"):
        if target.plain and target.text in ("1", "2", "-"):
            return Act.READ
        if sign.text == "<&" or not target.plain or re.fullmatch(r"\d+-?|", target.text):
            return Act.UNKNOWN
    if not target.plain or target.text == "":
        return Act.UNKNOWN
    # To a shell a dash is a file like any other.
    found = writing(["./-" if target.text == "-" else target.text])
    unsure = bool(re.search(r"[*?\[{]", target.text)) or (not powerful and hidden(target.text))
    if not powerful:
        found = Act.STARTS
    return worst([found, Act.UNKNOWN]) if unsure else found
