"""Command lines taken apart, and the words for what they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import PurePosixPath
from typing import Final

SCRATCH: Final = ("/tmp", "/var/tmp")
NOWHERE: Final = frozenset(
    """- /dev/null /dev/stdout /dev/stderr /dev/tty /dev/fd/1 /dev/fd/2 /proc/self/fd/1
    /proc/self/fd/2""".split()
)
"""Writing there changes nothing; other descriptors may have been opened on anything."""


class Act(StrEnum):
    """What a command does."""

    READ = "read"
    CHANGE = "change"
    """Something of the machine, its files, its processes."""
    UNKNOWN = "unknown"
    """It may be either, or act elsewhere; its arguments do not tell."""
    MIXED = "mixed"
    """Both: a change for sure, and more of which nobody knows what it is."""
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


@dataclass(frozen=True)
class Grammar:
    """The options that are known of a program."""

    bare: frozenset[str]
    """Those without a value, or with one that is glued to a long one by `=`."""
    valued: frozenset[str]
    loose: frozenset[str]
    """Short ones whose value, if any, is glued to them."""

    def full(self, name: str) -> str:
        """Return a long option's whole name, as getopt finds it; empty: it is not known."""
        names = self.bare | self.valued
        if name in names:
            return name
        found = [each for each in names if len(name) > _SHORTEST and each.startswith(name)]
        return found[0] if len(found) == 1 else ""


_SHORTEST: Final = 4


@cache
def grammar(told: str) -> Grammar:
    """Return the options that a text tells: `al n: I? --all --lines:`.

    Letters stand together; `:` is behind those with a value, `?` behind those that may have one.
    """
    found: dict[str, set[str]] = {"": set(), ":": set(), "?": set()}
    for word in told.split():
        kind = word[-1] if word[-1] in ":?" else ""
        name = word.removesuffix(kind) if kind else word
        found[kind] |= {name} if name.startswith("--") else {f"-{letter}" for letter in name}
    return Grammar(*map(frozenset, (found[""], found[":"], found["?"])))


def known(
    arguments: Sequence[str], told: str, *, mixed: bool = True, shortened: bool = True
) -> Line | None:
    """Take a command line apart; None: it has an option that is not known, and may mean anything.

    Args:
        arguments: without the program.
        told: its options, see `grammar`.
        mixed: whether options may come after other words.
        shortened: whether long options may be shortened.
    """
    options: list[tuple[str, str]] = []
    words: list[str] = []
    waiting, table = list(arguments), grammar(told)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            words += waiting
            break
        if not word.startswith("-") or word == "-":
            words.append(word)
            if not mixed:
                words += waiting
                break
            continue
        long = word.startswith("--")
        found = _long(word, table, waiting, shortened) if long else _short(word, table, waiting)
        if found is None:
            return None
        options += found
    return Line(tuple(options), tuple(words))


def _long(
    word: str, table: Grammar, waiting: list[str], shortened: bool
) -> list[tuple[str, str]] | None:
    given, equals, value = word.partition("=")
    name = table.full(given) if shortened else given
    if name in table.valued:
        if not equals and not waiting:
            return None
        return [(name, value if equals else waiting.pop(0))]
    return [(name, value)] if name in table.bare else None


def _short(word: str, table: Grammar, waiting: list[str]) -> list[tuple[str, str]] | None:
    found: list[tuple[str, str]] = []
    for place, letter in enumerate(word[1:], start=2):
        name, rest = f"-{letter}", word[place:]
        if name in table.valued:
            if not rest and not waiting:
                return None
            return [*found, (name, rest or waiting.pop(0))]
        if name in table.loose:
            return [*found, (name, rest)]
        if name not in table.bare:
            return None
        found.append((name, ""))
    return found


def writing(files: Iterable[str]) -> Act:
    """Return what it is to write to files: in a scratch folder who knows, elsewhere a change."""
    return touching(file for file in files if file not in NOWHERE)


def touching(files: Iterable[str]) -> Act:
    """Return what it is to make, move, remove files, or to change their rights."""
    targets = list(files)
    if not targets:
        return Act.READ
    return Act.UNKNOWN if all(map(_scratch, targets)) else Act.CHANGE


def hidden(word: str) -> bool:
    """Tell whether a word names a hidden file or folder: what others read their settings from."""
    path = word.rpartition("=")[2]
    return any(part[:1] == "." and part not in (".", "..") for part in path.split("/"))


def _scratch(file: str) -> bool:
    path = PurePosixPath(file)
    return ".." not in path.parts and any(PurePosixPath(top) in path.parents for top in SCRATCH)


def worst(acts: Iterable[Act]) -> Act:
    """Return what several acts come to; READ if there is none."""
    found = set(acts)
    if Act.MIXED in found or found >= {Act.CHANGE, Act.UNKNOWN}:
        return Act.MIXED
    return next((act for act in (Act.CHANGE, Act.UNKNOWN, Act.STARTS) if act in found), Act.READ)
