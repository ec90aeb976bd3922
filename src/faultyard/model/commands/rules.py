"""Rules for programs that look or change by what they are told, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from faultyard.model.commands.words import Act, line, writing

Rule = Callable[[Sequence[str]], Act]


def by_verb(
    reading: str, valued: str = "", long_valued: Iterable[str] = (), *, alone: Act = Act.READ
) -> Rule:
    """Make the rule of a program whose first word says what it does.

    Args:
        reading: words that only look.
        valued: letters of options with a value.
        long_valued: long options with a value.
        alone: what it does without a word.
    """
    verbs, long = frozenset(reading.split()), tuple(long_valued)

    def rule(arguments: Sequence[str]) -> Act:
        given = line(arguments, valued, long)
        if given.has("--version", "--help"):
            return Act.READ
        if not given.words:
            return alone
        return Act.READ if given.words[0] in verbs else Act.CHANGE

    return rule


def by_option(changing: str, valued: str = "", *, words: Act = Act.READ) -> Rule:
    """Make the rule of a program that looks unless an option says otherwise.

    Args:
        changing: those options.
        valued: letters of options with a value.
        words: what it does when there is a word that is no option.
    """
    names = changing.split()

    def rule(arguments: Sequence[str]) -> Act:
        given = line(arguments, valued)
        if given.has(*names):
            return Act.CHANGE
        return words if given.words else Act.READ

    return rule


def by_reading_option(reading: str, valued: str = "") -> Rule:
    """Make the rule of a program that changes unless an option says that it looks."""
    names = reading.split()

    def rule(arguments: Sequence[str]) -> Act:
        return Act.READ if line(arguments, valued).has(*names) else Act.CHANGE

    return rule


def to_files(valued: str = "") -> Rule:
    """Make the rule of a program that changes the files that it names."""

    def rule(arguments: Sequence[str]) -> Act:
        return writing(line(arguments, valued).words)

    return rule


def to_option(names: str, valued: str, *, second_word: bool = False) -> Rule:
    """Make the rule of a program that writes to the file that an option, or a word, names."""

    def rule(arguments: Sequence[str]) -> Act:
        given = line(arguments, valued, [name for name in names.split() if name[:2] == "--"])
        files = given.values(*names.split())
        return writing([*files, *given.words[1:2]] if second_word else files)

    return rule
