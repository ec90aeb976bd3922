"""Rules for programs that look or change by what they are told, and how they are made.

A program looks only if every one of its options is known: an option that is not may write, or
take the next word for its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from faultyard.model.commands.words import Act, known, line, touching, worst, writing

Rule = Callable[[Sequence[str]], Act]
REMOTE = "H: M: --host: --machine:"
"""Options of systemd's programs to act elsewhere than on this machine."""


def by_verb(
    reading: str, told: str = "", *, mixed_verbs: str = "", elsewhere: str = REMOTE
) -> Rule:
    """Make the rule of a program whose first word says what it does.

    Args:
        reading: words that only look.
        told: its options, see `words.grammar`.
        mixed_verbs: words that change something and start what has no line of its own.
        elsewhere: options with which it acts on another machine, or on something else there.
    """
    verbs, mixed = frozenset(reading.split()), frozenset(mixed_verbs.split())

    def rule(arguments: Sequence[str]) -> Act:
        if list(arguments) in (["--version"], ["--help"]):
            return Act.READ
        given = known(arguments, f"{told} {elsewhere}")
        if given is None or (names(elsewhere) & {name for name, _ in given.options}):
            return Act.UNKNOWN
        if not given.words or given.words[0] in verbs:
            return Act.READ
        return Act.MIXED if given.words[0] in mixed else Act.CHANGE

    return rule


def names(told: str) -> set[str]:
    """Return the options that a text tells, with their dashes."""
    plain = told.replace(":", "").replace("?", "").split()
    long = {word for word in plain if word.startswith("--")}
    return long | {f"-{letter}" for word in plain if word not in long for letter in word}


def by_option(told: str, changing: str = "", *, words: bool = True) -> Rule:
    """Make the rule of a program that looks unless an option says otherwise.

    Args:
        told: options with which it only looks, see `words.grammar`.
        changing: those with which it changes something.
        words: whether it may have words that are no options.
    """
    acting = names(changing)

    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, f"{told} {changing}")
        if given is None or (given.words and not words):
            return Act.UNKNOWN
        return Act.CHANGE if any(name in acting for name, _ in given.options) else Act.READ

    return rule


def by_reading_option(reading: str, told: str = "") -> Rule:
    """Make the rule of a program that changes unless an option says that it looks.

    Args:
        reading: those options.
        told: others that change nothing about that.
    """
    looking = names(reading)

    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, f"{reading} {told}")
        if given is None:
            asked = any(word.partition("=")[0] in looking for word in arguments)
            return Act.UNKNOWN if asked else Act.CHANGE
        return Act.READ if any(name in looking for name, _ in given.options) else Act.CHANGE

    return rule


def to_files(told: str = "", *, first: int = 0, moving: bool = True) -> Rule:
    """Make the rule of a program that changes the files that it names.

    Args:
        told: its options, see `words.grammar`.
        first: how many words before them are something else.
        moving: whether it does more to them than write.
    """
    kind = touching if moving else writing

    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, told)
        if given is not None:
            return kind(given.words[first:])
        return worst([Act.UNKNOWN, kind(line(arguments).words[first:])])

    return rule


def to_option(writes: str, told: str, *, second_word: bool = False) -> Rule:
    """Make the rule of a program that writes to the file that an option, or a word, names."""
    asked = names(writes)

    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, f"{writes} {told}")
        if given is None:
            return Act.UNKNOWN
        files = [value for name, value in given.options if name in asked]
        return writing([*files, *given.words[1:2]] if second_word else files)

    return rule
