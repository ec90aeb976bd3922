"""The words and operators of a shell's text."""

from __future__ import annotations

from dataclasses import dataclass, field

ANYTHING = "\0"
"""Stands in a word's shape for what is put in and not known."""


class UnreadableText(ValueError):
    """It has something of which it is not known what a shell makes of it."""


@dataclass(frozen=True)
class Word:
    """One word, and whether it is what it looks like."""

    text: str
    """Without quotes; what is put in for a variable or a command is left out."""
    plain: bool
    """Whether nothing is put in for any part."""
    bare: bool
    """Whether no part is quoted."""
    split: bool = False
    """Whether what is put in may come to several words."""
    shape: str = ANYTHING
    """The text with what is put in: a zero for any number that cannot be anything else."""


@dataclass(frozen=True)
class Sign:
    """An operator."""

    text: str
    descriptor: str = ""
    """The number before a redirection."""


Token = Word | Sign


@dataclass(frozen=True)
class Settled:
    """Variables of which a text itself tells what they can be, if they are anything."""

    words: frozenset[str] = frozenset()
    """Of one word that is no option and no pattern."""
    numbers: frozenset[str] = frozenset()


@dataclass
class Taken:
    """A text taken apart."""

    tokens: list[Token] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    """Texts within it that a shell runs as well."""
    documents: bool = False
    """Whether it has lines that a command is given to read."""
