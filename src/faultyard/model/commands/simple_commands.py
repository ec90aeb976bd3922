"""The simple commands of a shell's text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from faultyard.model.commands.shell_tokens import Sign, Taken, Token, UnreadableText, Word

ENDS: Final = frozenset({";", "\n", "|", "||", "&", "&&", "|&"})
"""Signs that end one."""
BEFORE: Final = frozenset("if then else elif do while until ! time {".split())
"""Words behind which a command begins."""
_AFTER: Final = frozenset({"fi", "done", "}", "esac"})
_UNREAD: Final = frozenset("select function coproc".split())
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)\+?=")
SILENT: Final = frozenset(
    {(":",), ("true",), ("echo",), ("echo", ""), ("echo", "-n"), ("printf", "")}
)
"""Commands that write no more than the end of a line, by which no server acts."""


@dataclass
class Command:
    """A simple command while it is read."""

    assigned: list[Word] = field(default_factory=list)
    """With their names."""
    words: list[Word] = field(default_factory=list)
    redirections: list[tuple[Sign, Word]] = field(default_factory=list)
    closed: bool = False
    """Whether it is what stands behind a bracket, `done` or `fi`: redirections alone."""
    loop: bool = False
    """Whether it is the head of a `for`."""
    cases: int = 0
    """How many `case` it begins, or ends."""
    tests: bool = False
    """Whether it is a part of what stands between `[[` and `]]`."""
    fed: bool = False
    """Whether the text has lines that it may be given to read."""
    quiet: bool = False
    """Whether nothing in the text can write to what it leaves open for others."""
    starved: bool = field(default=False, compare=False)
    """Whether it reads from a pipe into which no more than the end of a line is written."""

    def told(self) -> tuple[str, ...] | None:
        """Return its words; None: something is put in for a part of them."""
        return tuple(w.text for w in self.words) if all(w.plain for w in self.words) else None

    def silent(self) -> bool:
        """Tell whether it writes to a pipe no more than the end of a line."""
        more = self.assigned or self.redirections or self.closed or self.loop or self.cases
        return not more and self.told() in SILENT


def name_of(assigned: Word) -> str:
    """Return the name of the variable that is set."""
    found = _ASSIGNMENT.match(assigned.text)
    return found[1] if found else ""


def commands_of(taken: Taken) -> list[Command]:
    """Return a text's simple commands.

    Raises:
        UnreadableText: it has something that is not known here.
    """
    found, open_ = [Command()], 0
    waiting = list(reversed(taken.tokens))
    while waiting:
        token, current = waiting.pop(), found[-1]
        if isinstance(token, Word):
            _add(token, current, waiting)
        elif token.text in ENDS or (token.text == "(" and current == Command()):
            open_ += token.text == "("
            starved = token.text == "|" and current.silent()
            found.append(Command(tests=_still_tests(current), starved=starved))
        elif token.text == ")" and open_:
            open_ -= 1
            found.append(Command(closed=True))
        elif token.text == ";;":
            found.append(Command())
            _pass_patterns(waiting)
        elif token.text in ("(", ")") or not waiting or not isinstance(waiting[-1], Word):
            raise UnreadableText(token.text)
        else:
            target = waiting.pop()
            assert isinstance(target, Word)
            current.redirections.append((token, target))
    if sum(command.cases for command in found):
        raise UnreadableText("a case has no end")
    return found


def _pass_patterns(waiting: list[Token]) -> None:
    """Pass by what stands in front of the commands of a case."""
    while waiting[-1:] == [Sign("\n")]:
        waiting.pop()
    if waiting and isinstance(last := waiting[-1], Word) and last.bare and last.text == "esac":
        return
    if waiting[-1:] == [Sign("(")]:
        waiting.pop()
    while len(waiting) > 1:
        pattern, sign = waiting.pop(), waiting.pop()
        if not isinstance(pattern, Word) or sign not in (Sign("|"), Sign(")")):
            break
        if sign == Sign(")"):
            waiting.append(Sign("\n"))
            return
    raise UnreadableText("a case")


def _begin_case(current: Command, waiting: list[Token]) -> None:
    chosen, in_ = (waiting.pop(), waiting.pop()) if len(waiting) > 1 else (None, None)
    listed = isinstance(in_, Word) and in_.bare and in_.text == "in"
    if not listed or not isinstance(chosen, Word):
        raise UnreadableText("a case")
    current.cases += 1
    _pass_patterns(waiting)


def _still_tests(command: Command) -> bool:
    """Tell whether a test goes on behind a sign that elsewhere ends a command."""
    last = command.words[-1:]
    return command.tests and [word.text for word in last if word.bare] != ["]]"]


def _add(word: Word, current: Command, waiting: list[Token]) -> None:
    if current.words or current.loop:
        current.words.append(word)
        return
    text = word.text if word.bare and word.plain else ""
    if text in _UNREAD or (current.closed and text not in _AFTER | BEFORE):
        raise UnreadableText(text)
    if text in BEFORE | _AFTER and not current.assigned and not current.redirections:
        current.closed = text in _AFTER
        current.cases -= text == "esac"
        follows = waiting[-1] if waiting else None
        if text == "time" and isinstance(follows, Word) and follows.text.startswith("-"):
            raise UnreadableText("an option of time")
    elif text == "case":
        _begin_case(current, waiting)
    elif text == "for":
        current.loop = True
    elif _ASSIGNMENT.match(word.text):
        current.assigned.append(word)
    else:
        current.tests |= text == "[["
        current.words.append(word)
