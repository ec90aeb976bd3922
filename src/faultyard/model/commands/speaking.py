"""What the text of a shell gives to others to read or to say, and says itself by a connection."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import dropwhile
from typing import Final

from faultyard.model.commands.connections import CONNECTION, NOTHING
from faultyard.model.commands.shell_tokens import Sign, Taken, Token, UnreadableText, Word
from faultyard.model.commands.shells import NAMES
from faultyard.model.commands.simple_commands import (
    BEFORE,
    ENDS,
    SILENT,
    Command,
    commands_of,
)
from faultyard.model.commands.texts import take_apart

_FILTERS: Final = frozenset("cat cut egrep grep head sed sort tail tr uniq wc".split())
_BEGINS: Final = frozenset(map(Sign, ENDS | {"("}))
"""Behind these begins a command."""
_SAYING: Final = frozenset({"echo", "printf", "test", "["})
_PROBING: Final = re.compile(
    r"(?:^|(?<!\\)[(;{\n]|&&|\|\||-c[ \t]*[\"'])[ \t]*"
    r"(?:(?:if|elif|else|then|do|while|until|!)[ \t]+)*"
    r"(?:(?:(?:echo(?:[ \t]+(?:-n|\"\"|''))?|printf[ \t]+(?:\"\"|'')|:|true)[ \t]*)?(?:<>|[<>])"
    r"|(?:timeout[ \t]+[\d.]+s?[ \t]+)?cat[ \t]*<)"
    r"[ \t]*/dev/(?:tcp|udp)/[^\s;)&|]+"
    r"|\([ \t]*exec[ \t]+[3-9](?:<>|[<>])[ \t]*/dev/(?:tcp|udp)/[^\s;)&|]+(?=[ \t]*\))"
)
"""The ways in which people write that a connection is opened and nothing said."""


def feeds_nobody(text: str, *, sure: bool) -> bool:
    """Tell whether no command of a text is given anything to read, if the shell itself is not.

    Behind a pipe stand only programs that pass on what they read to nobody else, or nothing but
    the end of a line comes by it.

    Args:
        text: what is behind `-c`.
        sure: whether commands in it are known to be what they are called.
    """
    try:
        taken = take_apart(text)
    except UnreadableText:
        return False
    piped, sure = False, sure and not _traps(taken)
    for place, token in enumerate(taken.tokens):
        if isinstance(token, Word):
            if piped and not (token.plain and token.bare and token.text in _FILTERS):
                return False
            piped = False
        elif token.text in ("|", "|&"):
            piped = not (sure and token.text == "|" and _silent(taken.tokens, place))
        elif token.text[0] == "<":
            target = taken.tokens[place + 1 : place + 2]
            nothing = [isinstance(t, Word) and t.plain and t.text == NOTHING for t in target]
            if token.text != "<" or nothing != [True]:
                return False
        elif piped and token.text != "\n":
            return False
    inner = all(feeds_nobody(each, sure=sure) for each in taken.inner)
    return inner and not taken.documents


def _traps(taken: Taken) -> bool:
    """Tell whether something else may be run before a command."""
    return any(isinstance(token, Word) and token.text == "trap" for token in taken.tokens)


def _silent(tokens: Sequence[Token], end: int) -> bool:
    """Tell whether the command that ends at a place writes no more than the end of a line."""
    begin = end
    while begin and tokens[begin - 1] not in _BEGINS:
        begin -= 1
    words = [token for token in tokens[begin:end] if isinstance(token, Word) and token.plain]
    told = tuple(word.text for word in dropwhile(_leads, words))
    return len(words) == end - begin and told in SILENT


def _leads(word: Word) -> bool:
    return word.bare and word.text in BEFORE


def speaks(text: str) -> bool:
    """Tell whether a shell may say something by a connection that it opens itself.

    Args:
        text: what is behind `-c`.
    """
    return bool(CONNECTION.search(_PROBING.sub("", text)))


def mutes(text: str, programs: Collection[str], *, sure: bool) -> bool:
    """Tell whether a text gives some programs nothing to read.

    At each of them stands `< /dev/null`, or nothing but the end of a line comes by its pipe.

    Args:
        text: what is behind `-c`.
        programs: their names.
        sure: whether commands in it are known to be what they are called.
    """
    try:
        taken = take_apart(text)
        commands = commands_of(taken)
    except UnreadableText:
        return False
    if not all(mutes(inner, programs, sure=sure) for inner in taken.inner):
        return False
    pipes = sure and not _traps(taken)
    return all(
        _given(command) == [("<", "", NOTHING)]
        or (pipes and command.starved and not _given(command))
        for command in commands
        if _may_start(command.words, programs)
    )


def _given(command: Command) -> list[tuple[str, str, str]]:
    """Return by which redirections a command is given something to read."""
    return [(s.text, s.descriptor, file.text) for s, file in command.redirections if _reads(s)]


def _may_start(words: Sequence[Word], programs: Collection[str]) -> bool:
    if not words or (words[0].plain and words[0].text in _SAYING):
        return False
    return any(
        not word.plain or word.text.rpartition("/")[2] in {*programs, *NAMES} for word in words
    )


def _reads(sign: Sign) -> bool:
    return sign.text[0] == "<" and sign.descriptor in ("", "0")
