"""A shell's text taken apart, by what it tells of its own variables.

A value that a shell computes may be a name with an index, and a command in the index is run. One
that the text sets to numbers alone, or to words that it spells, has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from faultyard.model.commands.shell_tokens import Settled, Taken, UnreadableText, Word
from faultyard.model.commands.shell_words import read
from faultyard.model.commands.simple_commands import Command, commands_of, name_of

_NUMBER: Final = re.compile(r"\d+")
_RANGE: Final = re.compile(r"\{\d+\.\.\d+\}")
_ONE_WORD: Final = re.compile(r"[\w./:@%+,][\w./:@%+,-]*")
_NOT_ONE: Final = Word("", plain=False, bare=False)


def take_apart(text: str) -> Taken:
    """Return a text's words and operators.

    Raises:
        UnreadableText: it has something that is not known here.
    """
    first = read(text, None)
    try:
        settled = _settled(commands_of(first))
    except UnreadableText:
        settled = Settled()
    return read(text, settled)


def _settled(commands: Sequence[Command]) -> Settled:
    given: dict[str, list[Word]] = defaultdict(list)
    for command in commands:
        if any(word.text == "trap" for word in command.words):
            return Settled()  # its text may set them, too
        for name, value in _settings(command):
            given[name].append(value)
    # Others' variables have names in capitals.
    own = {name: values for name, values in given.items() if name.islower()}
    numbers = {name for name, values in own.items() if all(map(_is_number, values))}
    words = {name for name, values in own.items() if all(map(_is_one_word, values))}
    return Settled(frozenset(words | numbers), frozenset(numbers))


def _settings(command: Command) -> Iterator[tuple[str, Word]]:
    """Yield what a command sets, and to what."""
    for word in command.assigned:
        text, shape = word.text.partition("=")[2], word.shape.partition("=")[2]
        value = Word(text, word.plain, word.bare, shape=shape)
        # In front of a command it is set for that command alone.
        yield name_of(word), _NOT_ONE if command.words else value
    texts = [word.text for word in command.words]
    if command.loop:
        listed = texts[1:2] == ["in"]
        for word in command.words[2:] if listed else [_NOT_ONE]:
            yield texts[0] if texts else "", word
    elif "read" in texts:
        for name in texts[texts.index("read") + 1 :]:
            yield name, _NOT_ONE


def _is_number(value: Word) -> bool:
    counted = value.plain and value.bare and _RANGE.fullmatch(value.text)
    return bool(counted or _NUMBER.fullmatch(value.shape))


def _is_one_word(value: Word) -> bool:
    return _is_number(value) or (value.plain and bool(_ONE_WORD.fullmatch(value.text)))
