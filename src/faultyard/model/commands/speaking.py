"""What the text of a shell gives to others to read or to say, and says itself by a connection."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from faultyard.model.commands.connections import CONNECTION, NOTHING
from faultyard.model.commands.shell_tokens import Sign, UnreadableText, Word
from faultyard.model.commands.shells import NAMES
from faultyard.model.commands.simple_commands import commands_of
from faultyard.model.commands.texts import take_apart

_FILTERS: Final = frozenset("cat cut egrep grep head sed sort tail tr uniq wc".split())
_SAYING: Final = frozenset({"echo", "printf", "test", "["})
_PROBING: Final = re.compile(
    r"(?:^|(?<!\\)[(;{\n]|&&|\|\||-c[ \t]*[\"'])[ \t]*"
    r"(?:(?:if|elif|else|then|do|while|until|!)[ \t]+)*"
    r"(?:(?:(?:echo|:|true)[ \t]*)?(?:<>|[<>])|(?:timeout[ \t]+[\d.]+s?[ \t]+)?cat[ \t]*<)"
    r"[ \t]*/dev/(?:tcp|udp)/[^\s;)&|]+"
    r"|\([ \t]*exec[ \t]+[3-9](?:<>|[<>])[ \t]*/dev/(?:tcp|udp)/[^\s;)&|]+(?=[ \t]*\))"
)
"""The ways in which people write that a connection is opened and nothing said."""


def feeds_nobody(text: str) -> bool:
    """Tell whether no command of a text is given anything to read, if the shell itself is not.

    Behind a pipe stand only programs that pass on what they read to nobody else.

    Args:
        text: what is behind `-c`.
    """
    try:
        taken = take_apart(text)
    except UnreadableText:
        return False
    piped = False
    for place, token in enumerate(taken.tokens):
        if isinstance(token, Word):
            if piped and not (token.plain and token.bare and token.text in _FILTERS):
                return False
            piped = False
        elif token.text in ("|", "|&"):
            piped = True
        elif token.text[0] == "<":
            target = taken.tokens[place + 1 : place + 2]
            nothing = [isinstance(t, Word) and t.plain and t.text == NOTHING for t in target]
            if token.text != "<" or nothing != [True]:
                return False
        elif piped and token.text != "\n":
            return False
    return not taken.documents and all(map(feeds_nobody, taken.inner))


def speaks(text: str) -> bool:
    """Tell whether a shell may say something by a connection that it opens itself.

    Args:
        text: what is behind `-c`.
    """
    return bool(CONNECTION.search(_PROBING.sub("", text)))


def mutes(text: str, programs: Collection[str]) -> bool:
    """Tell whether a text gives some programs nothing to read, by `< /dev/null` at each.

    Args:
        text: what is behind `-c`.
        programs: their names.
    """
    try:
        taken = take_apart(text)
        commands = commands_of(taken)
    except UnreadableText:
        return False
    if not all(mutes(inner, programs) for inner in taken.inner):
        return False
    return all(
        [(s.text, s.descriptor, target.text) for s, target in command.redirections if _reads(s)]
        == [("<", "", NOTHING)]
        for command in commands
        if _may_start(command.words, programs)
    )


def _may_start(words: Sequence[Word], programs: Collection[str]) -> bool:
    if not words or (words[0].plain and words[0].text in _SAYING):
        return False
    return any(
        not word.plain or word.text.rpartition("/")[2] in {*programs, *NAMES} for word in words
    )


def _reads(sign: Sign) -> bool:
    return sign.text[0] == "<" and sign.descriptor in ("", "0")
