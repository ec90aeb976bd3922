"""Command lines taken apart, and the words for what they do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Final

SCRATCH: Final = ("/tmp", "/var/tmp")
NOWHERE: Final = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-"})


class Act(StrEnum):
    """What a command does."""

    READ = "read"
    CHANGE = "change"
    """Something of the machine, its files, its processes."""
    UNKNOWN = "unknown"
    """It may be either, or act elsewhere; its arguments do not tell."""
    STARTS = "starts"
    """Nothing itself: it starts other programs, which are recorded."""


@dataclass(frozen=True)
class Line:
    """A command line's options and other words."""

    options: tuple[tuple[str, str], ...]
    """With their values, in their order: ("-o", "file"), ("--output", "")."""
    words: tuple[str, ...]

    def has(self, *names: str) -> bool:
        """Tell whether one of the options is given; a long one may be shortened."""
        return any(_is(given, name) for given, _ in self.options for name in names)

    def values(self, *names: str) -> list[str]:
        """Return the values of options."""
        return [value for given, value in self.options for name in names if _is(given, name)]


def _is(given: str, name: str) -> bool:
    if given == name:
        return True
    return given.startswith("--") and len(given) > 3 and name.startswith(given)


def line(
    arguments: Sequence[str],
    valued: str = "",
    long_valued: Iterable[str] = (),
    *,
    mixed: bool = True,
) -> Line:
    """Take a command line apart as getopt does.

    Args:
        arguments: without the program.
        valued: letters of short options that have a value.
        long_valued: long options, with their dashes, whose value may be a word of its own.
        mixed: whether options may come after other words.
    """
    options: list[tuple[str, str]] = []
    words: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            words += waiting
            break
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            if not equals and name in long_valued and waiting:
                value = waiting.pop(0)
            options.append((name, value))
        elif word.startswith("-") and len(word) > 1:
            options += _cluster(word[1:], valued, waiting)
        else:
            words.append(word)
            if not mixed:
                words += waiting
                break
    return Line(tuple(options), tuple(words))


def _cluster(letters: str, valued: str, waiting: list[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for place, letter in enumerate(letters):
        if letter in valued:
            value = letters[place + 1 :] or (waiting.pop(0) if waiting else "")
            return [*found, (f"-{letter}", value)]
        found.append((f"-{letter}", ""))
    return found


def writing(files: Iterable[str]) -> Act:
    """Return what it is to write to files: in a scratch folder who knows, elsewhere a change."""
    targets = [file for file in files if file not in NOWHERE and not file.startswith("/dev/fd/")]
    if not targets:
        return Act.READ
    return Act.UNKNOWN if all(map(_scratch, targets)) else Act.CHANGE


def _scratch(file: str) -> bool:
    path = PurePosixPath(file)
    return ".." not in path.parts and any(PurePosixPath(top) in path.parents for top in SCRATCH)


def worst(acts: Iterable[Act]) -> Act:
    """Return the act that weighs most; READ if there is none."""
    return max(acts, key=_WEIGHT.__getitem__, default=Act.READ)


_WEIGHT: Final[Mapping[Act, int]] = {Act.READ: 0, Act.STARTS: 1, Act.UNKNOWN: 2, Act.CHANGE: 3}
