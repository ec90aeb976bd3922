"""Shells: what they start has lines of its own, what they do themselves has not.

A shell writes files and opens connections by redirection, sends signals and runs texts by
builtins. Where its text is on the command line, each of its commands is looked at, and what is
not known to be harmless is unknown; where it comes from a file, a terminal or a pipe, nobody
knows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from faultyard.model.commands.builtins import BUILTINS, OTHERS, Arguments
from faultyard.model.commands.shell_words import Sign, Taken, UnreadableText, Word, take_apart
from faultyard.model.commands.starters import safe_variable
from faultyard.model.commands.words import Act, hidden, known, worst, writing

NAMES: Final = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh", "rbash"})
_READABLE: Final = frozenset({"sh", "bash", "dash", "ash", "rbash"})
_OFFLINE: Final = frozenset({"sh", "dash", "ash"})
"""They open no connections themselves."""
_ENDS: Final = frozenset({";", "\n", "|", "||", "&", "&&", "|&"})
_BEFORE: Final = frozenset("if then else elif do while until ! time {".split())
_AFTER: Final = frozenset({"fi", "done", "}"})
_UNREAD: Final = frozenset("case select function coproc".split())
_OPTIONS: Final = "ceuxlvf o: O: --login --norc --noprofile --posix --verbose"
_PLAIN: Final = re.compile(r"[\w./+:@%,-]+|\[\[?")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)\+?=")
_SENSITIVE: Final = re.compile(
    r"LD_.*|BASH.*|ENV|SHELLOPTS|PS\d|PROMPT_COMMAND|LESS.*|.*PAGER|.*EDITOR|HOME|XDG_.*|GCONV_PATH"
    r"|LOCPATH|TMPDIR|.*_HOME|HIST.*|GLIBC_.*|MALLOC_.*|[A-Za-z]*_?(?:proxy|PROXY)|IFS|.*_OPTIONS"
)
"""Variables that others may see already, and that make them do something else."""
NOTHING: Final = "/dev/null"
_SILENT: Final = frozenset({(), (":",), ("true",), ("echo",), ("echo", ""), ("echo", "-n")})
CONNECTION: Final = re.compile(r"/dev/(?:tcp|udp)(?=/)")
_DEEPEST: Final = 6
_LONGEST: Final = 20_000


@dataclass
class _Command:
    """A simple command while it is read."""

    assigned: list[str] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)
    redirections: list[tuple[Sign, Word]] = field(default_factory=list)
    closed: bool = False
    """Whether it is what stands behind a bracket, `done` or `fi`: redirections alone."""
    loop: bool = False
    """Whether it is the head of a `for`."""
    fed: bool = False
    """Whether the text has lines that it may be given to read."""


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
    for command in commands:
        command.fed = taken.documents
        acts += _acts_of(command, powerful, depth)
    return acts


def commands_of(taken: Taken) -> list[_Command]:
    """Return a text's simple commands.

    Raises:
        UnreadableText: it has something that is not known here.
    """
    found, open_ = [_Command()], 0
    waiting = list(reversed(taken.tokens))
    while waiting:
        token, current = waiting.pop(), found[-1]
        if isinstance(token, Word):
            _add(token, current, waiting)
        elif token.text in _ENDS or (token.text == "(" and current == _Command()):
            open_ += token.text == "("
            found.append(_Command())
        elif token.text == ")" and open_:
            open_ -= 1
            found.append(_Command(closed=True))
        elif token.text in ("(", ")") or not waiting or not isinstance(waiting[-1], Word):
            raise UnreadableText(token.text)
        else:
            target = waiting.pop()
            assert isinstance(target, Word)
            current.redirections.append((token, target))
    return found


def _add(word: Word, current: _Command, waiting: list[Word | Sign]) -> None:
    if current.words or current.loop:
        current.words.append(word)
        return
    text = word.text if word.bare and word.plain else ""
    if text in _UNREAD or (current.closed and text not in _AFTER | _BEFORE):
        raise UnreadableText(text)
    if text in _BEFORE | _AFTER and not current.assigned and not current.redirections:
        current.closed = text in _AFTER
        follows = waiting[-1] if waiting else None
        if text == "time" and isinstance(follows, Word) and follows.text.startswith("-"):
            raise UnreadableText("an option of time")
    elif text == "for":
        current.loop = True
    elif found := _ASSIGNMENT.match(word.text):
        current.assigned.append(found[1])
    else:
        current.words.append(word)


def _acts_of(command: _Command, powerful: bool, depth: int) -> list[Act]:
    if command.loop:
        head = command.words[0] if command.words else Word("", plain=False, bare=False)
        fine = head.plain and re.fullmatch(r"[A-Za-z_]\w*", head.text)
        unsure = not fine or bool(_SENSITIVE.fullmatch(head.text)) or bool(command.redirections)
        return [Act.UNKNOWN] if unsure else []
    idle = not command.closed and _says_nothing(command)
    acts = [_redirected(sign, target, powerful, idle) for sign, target in command.redirections]
    for name in command.assigned:
        safe = safe_variable(name) if command.words else not _SENSITIVE.fullmatch(name)
        acts += [] if safe else [Act.UNKNOWN]
    return [*acts, *_run(command.words, powerful, depth)] if command.words else acts


def _says_nothing(command: _Command) -> bool:
    """Tell whether a command writes no more than the end of a line, by which no server acts."""
    if not all(word.plain for word in command.words):
        return False
    told = tuple(word.text for word in command.words)
    if told == ("cat",):
        given = [(s, target.text) for s, target in command.redirections if s.text[0] == "<"]
        silent = [(s.text, s.descriptor, name) for s, name in given] == [("<", "", NOTHING)]
        return silent and not command.fed
    return told in _SILENT


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
        told = tuple(word.text if word.plain else None for word in rest)
        found = BUILTINS[name](Arguments(told, any(word.split for word in rest)))
        return Act.STARTS if found is Act.CHANGE and not powerful else found
    return Act.UNKNOWN if name in OTHERS else Act.STARTS


def _trap(words: Sequence[Word], powerful: bool, depth: int) -> list[Act]:
    if not words:
        return []
    if not words[0].plain or words[0].text.startswith("--"):
        return [Act.UNKNOWN]
    return [] if words[0].text in ("-", "") else _own_acts(words[0].text, powerful, depth - 1)


def _redirected(sign: Sign, target: Word, powerful: bool, idle: bool) -> Act:
    if CONNECTION.match(target.text):
        # To connect and to say nothing is to ask whether somebody listens.
        return Act.READ if idle and sign.text in ("<", ">", "<>") else Act.UNKNOWN
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
