"""The text of a shell, taken apart as far as it can be told for sure what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_OPERATOR: Final = re.compile(
    r"&>>|&>|<<<|<<-?|>>|>\||>&|<>|<&|<\(|>\(|&&|\|\||\|&|;;|;&|\(\(|[;|&()<>\n]"
)
_PARAMETER: Final = re.compile(
    r"\$(?:\w+|[?!$@#*-]"
    r"|\{#?(?:\w+|[?@#*!$])(?:\[[\d@*]+\])?"
    r"(?:(?::[-+?]|[-+?]|##?|%%?|//?)[^{}`$'\"\\()]*|:\d+(?::\d+)?)?\})"
)
_ARITHMETIC: Final = re.compile(r"\$\(\(([\w\s$+*/%<>=!&|?:,~^-]|\([^()\[\]`'\"]*\))*\)\)")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_DELIMITER: Final = re.compile(r"[ \t]*(?:'([\w.-]+)'|\"([\w.-]+)\"|(\\?[\w.-]+))")
_NUMBERS: Final = frozenset({"$?", "$#", "$$", "$!"})
"""Any number does for what they stand for."""
_ENDS: Final = frozenset(" \t\n;|&()<>")


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


@dataclass(frozen=True)
class Sign:
    """An operator."""

    text: str
    descriptor: str = ""
    """The number before a redirection."""


Token = Word | Sign


@dataclass
class Taken:
    """A text taken apart."""

    tokens: list[Token] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    """Texts within it that a shell runs as well."""
    documents: bool = False
    """Whether it has lines that a command is given to read."""


def take_apart(text: str) -> Taken:
    """Return a text's words and operators.

    Raises:
        UnreadableText: it has something that is not known here.
    """
    reader = _Reader(text)
    reader.read()
    return reader.taken


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.taken = Taken()
        self.waiting: list[tuple[str, bool, bool]] = []
        """Here documents from the next line on: end mark, whether it is quoted, and indented."""

    def read(self) -> None:
        while self.place < len(self.text):
            letter = self.text[self.place]
            if letter in " \t":
                self.place += 1
            elif self.text.startswith("\\\n", self.place):
                self.place += 2
            elif letter == "#":
                end = self.text.find("\n", self.place)
                self.place = len(self.text) if end < 0 else end
            elif found := _OPERATOR.match(self.text, self.place):
                self._operator(found)
            else:
                self._word()
        if self.waiting:
            raise UnreadableText("a here document has no end")

    def _operator(self, found: re.Match[str], descriptor: str = "") -> None:
        sign = found.group()
        self.place = found.end()
        if sign in (">(", "((", ";;", ";&"):
            raise UnreadableText(sign)
        if sign == "<(":
            self.taken.inner.append(self._until_closed())
            self.taken.tokens.append(Word("", plain=False, bare=True))
            return
        if sign in ("<<", "<<-"):
            self._announce(sign == "<<-")
            return
        self.taken.tokens.append(Sign(sign, descriptor))
        if sign == "\n":
            self._documents()

    def _announce(self, indented: bool) -> None:
        found = _DELIMITER.match(self.text, self.place)
        if found is None or self.text[found.end() : found.end() + 1] not in ("", *_ENDS):
            raise UnreadableText("a here document's end mark")
        self.place = found.end()
        mark = found[1] or found[2] or found[3].removeprefix("\\")
        quoted = found[3] is None or found[3].startswith("\\")
        self.waiting.append((mark, quoted, indented))
        self.taken.documents = True

    def _documents(self) -> None:
        for mark, quoted, indented in self.waiting:
            while True:
                if self.place >= len(self.text):
                    raise UnreadableText("a here document has no end")
                line, _, _ = self.text[self.place :].partition("\n")
                self.place += len(line) + 1
                if (line.lstrip("\t") if indented else line) == mark:
                    self.place -= 1  # its line's end ends a command, too
                    break
                if not quoted and re.search(r"[`$]|\\$", _PARAMETER.sub("", line)):
                    raise UnreadableText("a command in a here document")
        self.waiting = []

    def _word(self) -> None:
        start = self.place
        parts: list[str] = []
        plain = bare = True
        split = False
        while self.place < len(self.text) and self.text[self.place] not in _ENDS:
            letter = self.text[self.place]
            if letter == "'":
                parts.append(self._quoted("'"))
                bare = False
            elif letter == '"':
                part, same = self._double()
                parts.append(part)
                plain, bare = plain and same, False
            elif letter in "$`":
                same = self._put_in(parts)
                plain, split = plain and same, split or not same
            elif letter == "\\":
                parts.append(self.text[self.place + 1 : self.place + 2].strip("\n"))
                self.place += 2
                bare = False
            elif letter == "\r":
                raise UnreadableText("a carriage return")
            else:
                parts.append(letter)
                self.place += 1
        whole = self.text[start : self.place]
        next_ = _OPERATOR.match(self.text, self.place)
        if whole.isdigit() and next_ and next_.group()[0] in "<>":
            self._operator(next_, whole)
        else:
            self.taken.tokens.append(Word("".join(parts), plain, bare, split))

    def _quoted(self, mark: str) -> str:
        end = self.text.find(mark, self.place + 1)
        if end < 0:
            raise UnreadableText("a quote has no end")
        part = self.text[self.place + 1 : end]
        self.place = end + 1
        return part

    def _double(self) -> tuple[str, bool]:
        parts: list[str] = []
        plain = True
        self.place += 1
        while self.place < len(self.text):
            letter = self.text[self.place]
            if letter == '"':
                self.place += 1
                return "".join(parts), plain
            if letter in "$`":
                plain = self._put_in(parts) and plain
            elif letter == "\\" and self.text[self.place + 1 : self.place + 2] in (
                "$",
                "`",
                '"',
                "\\",
            ):
                parts.append(self.text[self.place + 1])
                self.place += 2
            else:
                parts.append(letter)
                self.place += 1
        raise UnreadableText("a quote has no end")

    def _put_in(self, parts: list[str]) -> bool:
        """Read what something is put in for; tell whether it is but a sign of itself."""
        rest = self.text[self.place : self.place + 2]
        if rest[0] == "`":
            inner = self._quoted("`")
            if "\\" in inner:
                raise UnreadableText("a command within a command")
            self.taken.inner.append(inner)
            return False
        if found := _ARITHMETIC.match(self.text, self.place):
            self._computed(found)
            parts.append("0")
            return True
        if rest == "$(":
            if self.text.startswith("$((", self.place):
                raise UnreadableText("a computation")
            self.place += 2
            self.taken.inner.append(self._until_closed())
            return False
        if found := _PARAMETER.match(self.text, self.place):
            self.place = found.end()
            if found.group() in _NUMBERS:
                parts.append("0")
                return True
            return False
        if rest in ("${", "$'", '$"', "$["):
            raise UnreadableText(rest)
        parts.append("$")
        self.place += 1
        return True

    def _computed(self, found: re.Match[str]) -> None:
        """Refuse names that may stand for a text with a command: it would be run."""
        for name in set(_NAME.findall(found.group())):
            given = re.findall(rf"(?<![\w$]){name}\+?=(?!=)", self.text)
            numbers = re.findall(rf"(?<![\w$]){name}=(?:\d+(?=[\s;&|)]|$)|\$\(\()", self.text)
            told = name.islower() and given and len(given) == len(numbers)
            if not told or re.search(rf"\bread\b|\bfor\s+{name}\b", self.text):
                raise UnreadableText("a computation with what is not known to be a number")
        self.place = found.end()

    def _until_closed(self) -> str:
        """Return the text up to the bracket that closes it."""
        start, depth = self.place, 1
        while self.place < len(self.text):
            letter = self.text[self.place]
            if letter == "`" or (letter == "#" and self.text[self.place - 1] in _ENDS):
                raise UnreadableText("a command within a command")
            if letter == "'":
                if self.text[self.place - 1] == "$":
                    raise UnreadableText("$'")
                self._quoted("'")
                continue
            if letter == '"':
                kept = self.taken.inner
                self.taken.inner = []
                self._double()
                self.taken.inner = kept
                continue
            depth += (letter == "(") - (letter == ")")
            self.place += 2 if letter == "\\" else 1
            if not depth:
                return self.text[start : self.place - 1]
        raise UnreadableText("a bracket has no end")
