"""Programs that change the machine unless they are told to look only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_reading_option
from faultyard.model.commands.words import Act, known

_SIZES: Final = re.compile(r"--get[a-z0-9]+|--report")
_UDEV_SHOWS: Final = """raxe q: p: n: P: --query: --path: --name: --root --attribute-walk --tree
    --export --export-prefix: --export-db --property: --value --no-pager"""
_MODULES: Final = by_reading_option(
    "nDcR --dry-run --show --show-depends --showconfig --resolve-alias",
    "vqabr --verbose --quiet --all --use-blacklist --remove --first-time",
)


def _swapon(arguments: Sequence[str]) -> Act:
    return _SWAPON(arguments) if arguments else Act.READ


def _blockdev(arguments: Sequence[str]) -> Act:
    """Its options are carried out one after the other."""
    told = [word for word in arguments if word.startswith("-") and word not in ("-q", "-v")]
    return Act.READ if told and all(map(_SIZES.fullmatch, told)) else Act.CHANGE


def _udevadm(arguments: Sequence[str]) -> Act:
    shows = arguments[:1] == ["info"] and known(arguments[1:], _UDEV_SHOWS) is not None
    return Act.READ if shows else Act.CHANGE


def _modprobe(arguments: Sequence[str]) -> Act:
    """What else it runs by its settings has no line of the session."""
    found = _MODULES(arguments)
    return Act.MIXED if found is Act.CHANGE else found


def _shown(told: str, most: int) -> Rule:
    """Make the rule of a program that shows what it is about, and sets what more words say."""

    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, told)
        return Act.READ if given is not None and len(given.words) <= most else Act.CHANGE

    return rule


def _dmsetup(arguments: Sequence[str]) -> Act:
    """Of options there is one that runs a command."""
    options = [word for word in arguments if word.startswith("-")]
    return Act.READ if arguments[:1] and arguments[0] in _MAPS and not options else Act.CHANGE


_MAPS: Final = frozenset("ls info status table deps targets version".split())
_SWAPON: Final = by_reading_option("s --summary --show", "--noheadings --raw --bytes --verbose")

LOOKING: Final[Mapping[str, Rule]] = {
    "swapon": _swapon,
    "fdisk": by_reading_option("lx --list --list-details", "o: u? L? --output: --bytes"),
    "blockdev": _blockdev,
    "ldconfig": by_reading_option("p --print-cache", "v --verbose"),
    "update-alternatives": by_reading_option("--display --list --query --get-selections"),
    "chage": by_reading_option("l --list", "i --iso8601"),
    "passwd": by_reading_option("S --status", "a --all"),
    "udevadm": _udevadm,
    "modprobe": _modprobe,
    "parted": by_reading_option("l --list", "sm --script --machine"),
    "tune2fs": by_reading_option("l"),
    "dmsetup": _dmsetup,
    "umount": lambda given: Act.READ if list(given) in (["-h"], ["-V"]) else Act.CHANGE,
    "route": _shown("nve46", 0),
    "ifconfig": _shown("avs", 1),
}
