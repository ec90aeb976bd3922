"""Shells: what they start has lines of its own, what they do themselves has not.

A shell writes files by redirection and sends signals by a builtin. Where its text is on the
command line, that is looked for; where it comes from a file, a terminal or a pipe, nobody knows.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from faultyard.model.commands.words import Act, worst, writing

NAMES: Final = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh", "rbash"})
_VALUED: Final = frozenset({"-o", "+o", "-O", "+O", "--rcfile", "--init-file"})
_UNSEEN: Final = frozenset({"eval", "source", ".", "coproc"})
_ENDS: Final = frozenset({";", "\n", "|", "||", "&", "&&", "(", ")", "{", "}", "|&"})
_BEFORE: Final = frozenset(
    {"if", "then", "else", "elif", "do", "while", "until", "!", "time", "{", "command", "builtin"}
)
_TO_FILE: Final = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_INNER: Final = re.compile(r"\$\(|`|<\(|>\(")
_OPERATORS: Final = re.compile(r"&>>|&>|>>|>\||<>|>&|&&|\|\||\|&|[;|&()<>\n]")
_DESCRIPTOR: Final = re.compile(r"\d*>&\s*[\d-]")
_NUMBER: Final = re.compile(r"(?<![\w$])\d+(?=>)")
"""Of a descriptor before an operator."""
_ARITHMETIC: Final = re.compile(r"\$?\(\([^()]*\)\)|\[\[ .*? \]\]")
_HARMLESS_INNER: Final = re.compile(r"\d?>\s*(?:/dev/null|&\d)")


def act(arguments: Sequence[str], *, powerful: bool) -> Act:
    """Return what a shell does itself.

    Args:
        arguments: without the shell.
        powerful: whether it may change anything; another's redirections and signals reach only
            what is its own.
    """
    if not powerful or set(arguments) & {"--version", "--help"}:
        return Act.STARTS
    text = _text(arguments)
    return Act.UNKNOWN if text is None else worst([Act.STARTS, *_own_acts(text)])


def _text(arguments: Sequence[str]) -> str | None:
    """Return what is behind `-c`; None: the text comes from elsewhere."""
    waiting, asked = list(arguments), False
    while waiting:
        word = waiting.pop(0)
        if word in _VALUED:
            waiting = waiting[1:]
        elif word[:1] in ("-", "+") and len(word) > 1:
            if not word.startswith("--") and "i" in word[1:]:
                return None
            asked = asked or (word[0] == "-" and not word.startswith("--") and "c" in word[1:])
        else:
            return word if asked else None
    return None


def _own_acts(text: str) -> list[Act]:
    tokens = _tokens(text)
    if tokens is None:
        return [Act.UNKNOWN]
    acts, starting = [], True
    for place, token in enumerate(tokens):
        if token in _TO_FILE:
            acts.append(_redirection(tokens, place))
        elif _INNER.search(token) and ">" in _HARMLESS_INNER.sub("", token):
            acts.append(Act.UNKNOWN)  # a command within a word, with a redirection
        elif starting and token in _UNSEEN:
            acts.append(Act.UNKNOWN)
        elif starting and token == "kill":
            acts.append(Act.CHANGE)
        assigned = re.fullmatch(r"\w+=.*", token, re.DOTALL)
        starting = token in _ENDS or (starting and (token in _BEFORE or bool(assigned)))
    return acts


def _redirection(tokens: Sequence[str], place: int) -> Act:
    target = tokens[place + 1] if place + 1 < len(tokens) else ""
    if not target or "$" in target or "`" in target:
        return Act.UNKNOWN
    return writing([target])


def _tokens(text: str) -> list[str] | None:
    """Return words and operators; None: it cannot be read."""
    if "<<" in text.replace("<<<", ""):
        return None  # a here document is data until its end mark
    for pattern in (_DESCRIPTOR, _NUMBER, _ARITHMETIC):
        text = pattern.sub(" ", text)
    parts = shlex.shlex(text, posix=True, punctuation_chars="();<>|&\n")
    parts.whitespace_split, parts.whitespace, parts.commenters = True, " \t\r", ""
    found: list[str] = []
    try:
        for part in parts:
            operators = _OPERATORS.findall(part) if _OPERATORS.match(part) else None
            found += operators or [part]
    except ValueError:
        return None
    return found
