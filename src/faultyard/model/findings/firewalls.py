"""Rules of a node's firewall that a command takes away.

What keeps pods from each other is there: policies are in force by these rules alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from faultyard.model.commands import program_of
from faultyard.model.commands.words import line
from faultyard.model.sessions import Command

_TABLES: Final = frozenset({"iptables", "ip6tables", "iptables-nft"})
_LESS: Final = frozenset("-F --flush -X --delete-chain".split())
_TAKEN: Final = frozenset({"-D", "--delete"})
_MADE: Final = frozenset("-A --append -I --insert".split())
_POLICY: Final = frozenset({"-P", "--policy"})
_CLOSED: Final = frozenset({"DROP", "REJECT"})
_NFT_LESS: Final = re.compile(r"(?:^|[;{}\n])[ \t]*(?:flush|delete|destroy)\b")
_WAITING: Final = frozenset({"-w", "--wait"})
Rule = tuple[str, ...]


def opened(given: Iterable[Command]) -> list[Command]:
    """Return the commands that take rules away, those apart that the same hands had put there."""
    own: Counter[Rule] = Counter()
    return [command for command in given if command.changes and _opens(command, own)]


def _opens(command: Command, own: Counter[Rule]) -> bool:
    name, arguments = program_of(command.process.exe, command.process.argv)
    if name == "nft":
        return bool(_NFT_LESS.search(" ".join(w for w in arguments if not w.startswith("-"))))
    if name not in _TABLES:
        return False
    words = [word for word in arguments if word not in _WAITING]
    own.update(_rules(words, _MADE))
    for rule in _rules(words, _TAKEN):
        own[rule] -= 1
        return own[rule] < 0
    options = {option for option, _ in line(words, "tsdpjiomcADIRNXPELSFZC").options}
    return bool(options & _LESS or (options & _POLICY and not _CLOSED & {*words}))


def _rules(words: list[str], options: frozenset[str]) -> list[Rule]:
    """Return the rule that a command puts there or takes away, without its place."""
    for at, word in enumerate(words):
        if word in options:
            chain, rest = words[at + 1 : at + 2], words[at + 2 :]
            numbered = word in _MADE and rest[:1] != [] and rest[0].isdecimal()
            return [(*words[:at], *chain, *(rest[1:] if numbered else rest))]
    return []
