"""The text of a shell, taken apart as far as it can be told for sure what it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from faultyard.model.commands.figures import counts
from faultyard.model.commands.shell_tokens import (
    ANYTHING,
    Settled,
    Sign,
    Taken,
    UnreadableText,
    Word,
)

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
_GIVEN: Final = re.compile(r"\$[\d*@]")
"""What the text itself is given when it is run."""
_VARIABLE: Final = r"[A-Za-z_]\w*"
_CHANGED: Final = r"(?:(?P=name)(?:\+\+|--)|(?:\+\+|--)(?P=name)|(?P=name)[ ]*[+-]=[ ]*\d+)"
_LOOP: Final = re.compile(
    rf"\(\(\s*(?P<name>{_VARIABLE})\s*=\s*\d+\s*;\s*(?P=name)\s*(?:[<>]=?|!=)\s*"
    rf"(?:\d+|\$?{_VARIABLE})\s*;\s*{_CHANGED}\s*\)\)"
)
_STEP: Final = re.compile(rf"\(\([ ]?(?P<name>{_VARIABLE})(?:\+\+|--|[+-]=\d+)[ ]?\)\)")
_ESCAPED: Final = ("$", "`", '"', "\\")
_DELIMITER: Final = re.compile(r"[ \t]*(?:'([\w.-]+)'|\"([\w.-]+)\"|(\\?[\w.-]+))")
_NUMBERS: Final = frozenset({"$?", "$#", "$$", "$!"})
"""Any number does for what they stand for."""
_ENDS: Final = frozenset(" \t\n;|&()<>")


@dataclass(frozen=True)
class _Put:
    """What is put in at one place of a word."""

    text: str
    """If it is but a sign of itself; else nothing."""
    shape: str
    split: bool = False


_UNKNOWN: Final = _Put("", ANYTHING, split=True)
_NUMBER: Final = _Put("", "0")


def read(text: str, settled: Settled | None) -> Taken:
    """Return a text's words and operators.

    Args:
        text: the text.
        settled: what it tells of its own variables; None: all that it computes is a number.

    Raises:
        UnreadableText: it has something that is not known here.
    """
    reader = _Reader(text, settled)
    reader.read()
    return reader.taken


def _itself(text: str) -> _Put:
    return _Put(text, text)


def _word(parts: Sequence[_Put], bare: bool) -> Word:
    text, shape = "".join(p.text for p in parts), "".join(p.shape for p in parts)
    return Word(text, text == shape, bare, any(part.split for part in parts), shape)


class _Reader:
    def __init__(self, text: str, settled: Settled | None) -> None:
        self.text, self.place = text, 0
        self.settled = settled
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
        if sign in (">(", ";&"):
            raise UnreadableText(sign)
        if sign == "((":
            self._counting(found.start())
            return
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
        parts: list[_Put] = []
        bare = True
        while self.place < len(self.text) and self.text[self.place] not in _ENDS:
            letter = self.text[self.place]
            if letter == "'":
                parts.append(_itself(self._quoted("'")))
                bare = False
            elif letter == '"':
                parts += self._double()
                bare = False
            elif letter in "$`":
                parts.append(self._put_in())
            elif letter == "\\":
                parts.append(_itself(self.text[self.place + 1 : self.place + 2].strip("\n")))
                self.place += 2
                bare = False
            elif letter == "\r":
                raise UnreadableText("a carriage return")
            else:
                parts.append(_itself(letter))
                self.place += 1
        whole = self.text[start : self.place]
        next_ = _OPERATOR.match(self.text, self.place)
        if whole.isdigit() and next_ and next_.group()[0] in "<>":
            self._operator(next_, whole)
        else:
            self.taken.tokens.append(_word(parts, bare))

    def _quoted(self, mark: str) -> str:
        end = self.text.find(mark, self.place + 1)
        if end < 0:
            raise UnreadableText("a quote has no end")
        part = self.text[self.place + 1 : end]
        self.place = end + 1
        return part

    def _double(self) -> list[_Put]:
        parts: list[_Put] = []
        self.place += 1
        while self.place < len(self.text):
            letter = self.text[self.place]
            if letter == '"':
                self.place += 1
                return [replace(part, split=False) for part in parts]
            if letter in "$`":
                parts.append(self._put_in())
                continue
            if letter == "\\" and self.text[self.place + 1 : self.place + 2] in _ESCAPED:
                self.place += 1
            parts.append(_itself(self.text[self.place]))
            self.place += 1
        raise UnreadableText("a quote has no end")

    def _put_in(self) -> _Put:
        """Read what something is put in for."""
        rest = self.text[self.place : self.place + 2]
        if rest[0] == "`":
            inner = self._quoted("`")
            if "\\" in inner:
                raise UnreadableText("a command within a command")
            self.taken.inner.append(inner)
            return _UNKNOWN
        if found := _ARITHMETIC.match(self.text, self.place):
            self._computed(found)
            return _itself("0")
        if rest == "$(":
            if self.text.startswith("$((", self.place):
                raise UnreadableText("a computation")
            self.place += 2
            inner = self._until_closed()
            self.taken.inner.append(inner)
            return _NUMBER if counts(inner) else _UNKNOWN
        if found := _PARAMETER.match(self.text, self.place):
            self.place = found.end()
            return _itself("0") if found.group() in _NUMBERS else self._variable(found.group())
        if rest in ("${", "$'", '$"', "$["):
            raise UnreadableText(rest)
        self.place += 1
        return _itself("$")

    def _variable(self, text: str) -> _Put:
        settled = self.settled or Settled()
        name = text.strip("${}")
        if name in settled.numbers:
            return _NUMBER
        return replace(_UNKNOWN, split=name not in settled.words)

    def _counting(self, start: int) -> None:
        """Read a loop that counts, or one step: to a shell that knows none of both it is an error.

        One step has no blanks within, so that it is one word to that shell.
        """
        last = self.taken.tokens[-1:]
        loop = [t.text for t in last if isinstance(t, Word) and t.bare] == ["for"]
        found = (_LOOP if loop else _STEP).match(self.text, start)
        if found is None:
            raise UnreadableText("a computation")
        self._computed(found)
        words = [found["name"], "in", "0"] if loop else [":"]
        self.taken.tokens += [_word([_itself(word)], True) for word in words]
        self.taken.tokens += [Sign(";")] if loop else []

    def _computed(self, found: re.Match[str]) -> None:
        """Refuse names that may stand for a text with a command: it would be run."""
        names = set(_NAME.findall(found.group()))
        unknown = self.settled is not None and names - self.settled.numbers
        if unknown or _GIVEN.search(found.group()):
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
