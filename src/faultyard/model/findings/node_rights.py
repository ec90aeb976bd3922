"""What a command as root on a node gives away: to be root, to get in, to read the node's keys.

The state of nodes sees `/etc` alone, so nothing else tells of it. It is no repair of any unit.
Only what gives rights counts: a copy has those of what it was made from, and a backup gives none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from faultyard.model.commands import program_of
from faultyard.model.commands.shells import NAMES
from faultyard.model.commands.words import Line, line
from faultyard.model.sessions import Command

_SETUID, _READ, _EXECUTE = 0o4000, 0o004, 0o001
"""What a mode gives. The group's right to run as it is left out: folders have it, too."""
_OCTAL: Final = re.compile(r"[=+]?([0-7]{1,5})")
_CLAUSE: Final = re.compile(r"([ugoa]*)((?:[=+-](?:[rwxXst]*|[ugo]))+)")
_OF_INSTALL: Final = "0755"
_KEY: Final = re.compile(
    r"(?!.*/(?:apt|keyrings)/)"  # public ones
    r"(?:.*/)?(?:[^/]+\.(?:key|kubeconfig)|g?shadow-?|ssh_host_\w+_key|id_(?:rsa|dsa|ecdsa|ed25519)"
    r"|kubelet-(?:client|server)-[^/]+\.pem)"
    r"|(?:/var)?/run/containerd/containerd\.sock"  # whoever may ask it may be root
)
_HOLDERS: Final = re.compile(r"/|(?:/host)?/etc(?:/kubernetes(?:/pki)?|/ssh)?|(?:/host)?/root")
"""Folders in which keys lie."""
_HOME: Final = r"(?:/host)?(?:/root|/home/[^/]+)"
_ENTRY: Final = re.compile(rf"(?:{_HOME}/)?\.ssh/authorized_keys2?")
_ENTRIES: Final = re.compile(rf"{_HOME}/\.ssh(?:/\.ssh)?")
_TOLD: Final = re.compile(r">[>|]?\s*[\"']?(?:[^\s\"';|&]*\.ssh/)?authorized_keys2?(?![\w.~-])")
_POWERS: Final = re.compile(
    r"(?i)(?=.*[=+]\w)(?:=|all\b|.*\bcap_(?:setuid|setgid|setfcap|setpcap|dac_override"
    r"|dac_read_search|chown|fowner|sys_admin|sys_ptrace|sys_module|sys_rawio|net_admin)\b).*"
)
"""Capabilities by which a program may do what root may; others, as `ping` has one, may be given."""
_CLOSED: Final = "/root/"
"""Nobody else gets into it: what is readable there is so for root alone."""


@dataclass(frozen=True)
class _Copy:
    """Files that were copied, moved or linked."""

    sources: tuple[str, ...]
    target: str

    def places(self, source: str) -> tuple[str, str]:
        """Return where a source may lie now: whether the target is a folder is not known."""
        return self.target, f"{self.target}/{_last(source)}"


def gifts(given: Iterable[Command]) -> list[Command]:
    """Return which of a node's commands as root gave rights away, in the order they were given."""
    found: list[Command] = []
    keys: dict[str, str] = {}
    for command in given:
        if command.telling:
            continue
        name, arguments = program_of(command.process.exe, command.process.argv)
        words = list(arguments)
        if _makes_root(name, words) or _lets_in(name, words) or _shows(name, words, keys):
            found.append(command)
        keys |= _copied(name, words)
    return found


def _makes_root(name: str, words: Sequence[str]) -> bool:
    if name == "setcap":
        return "-r" not in words and any(map(_POWERS.fullmatch, words))
    return any(_gives(mode) & _SETUID for mode in _modes(name, words))


def _modes(name: str, words: Sequence[str]) -> list[str]:
    if name == "chmod":
        return list(line(words).words[:1])
    if name == "install":
        return _installed(words).values("-m", "--mode")[-1:] or [_OF_INSTALL]
    return []


def _gives(mode: str) -> int:
    """Return what a mode gives everybody, and whether it lets them be the file's owner."""
    if octal := _OCTAL.fullmatch(mode):
        return int(octal[1], 8) & (_SETUID | _READ | _EXECUTE)
    given = 0
    for clause in mode.split(","):
        if not (told := _CLAUSE.fullmatch(clause)):
            return 0
        for sign, rights in re.findall(r"([=+-])(\w*)", told[2]):
            if sign == "-":
                continue
            who = set(told[1] or "a")
            given |= _SETUID if "s" in rights and who & {"u", "a"} else 0
            if who & {"o", "a"}:
                given |= _READ if set("rug") & set(rights) else 0
                given |= _EXECUTE if set("xXug") & set(rights) else 0
    return given


def _lets_in(name: str, words: Sequence[str]) -> bool:
    """Tell whether it writes the keys with which somebody may log in."""
    if name in NAMES:
        return any(map(_TOLD.search, words))
    if name == "tee":
        bare = ("authorized_keys", "authorized_keys2")
        return any(_ENTRY.fullmatch(file) or file in bare for file in line(words).words)
    if name == "dd":
        return any(_ENTRY.fullmatch(word[3:]) for word in words if word.startswith("of="))
    if (copy := _copy(name, words)) is None:
        return False
    for source in copy.sources:
        into = _ENTRIES if _last(source) == ".ssh" else _ENTRY
        if any(map(into.fullmatch, copy.places(source))):
            return True
    return False


def _shows(name: str, words: Sequence[str], keys: dict[str, str]) -> bool:
    """Tell whether it lets everybody read a key, in its place or where it was copied to."""
    given = [_gives(mode) for mode in _modes(name, words)]
    if not any(each & _READ for each in given):
        return False
    if name == "install":
        copy = _copy(name, words)
        if copy is None or f"{copy.target}/".startswith(_CLOSED):
            return False
        return any(map(_KEY.fullmatch, copy.sources))
    told = line(words)
    deep = told.has("-R", "--recursive")
    for word in map(_plain, told.words[1:]):
        if word.startswith(_CLOSED):
            continue
        if _KEY.fullmatch(word) or (deep and any(map(_holds, _origins(word, keys)))):
            return True
        # Where a file was copied to may be a folder; who lets others into one gives `x`.
        if not given[0] & _EXECUTE and any(map(_KEY.fullmatch, _origins(word, keys))):
            return True
    return False


def _holds(folder: str) -> bool:
    return bool(_HOLDERS.fullmatch(folder) or _KEY.fullmatch(folder))


def _origins(place: str, keys: dict[str, str]) -> Iterator[str]:
    """Yield what is at a place, as it was called before it was copied there, or below it."""
    yield place
    for copy, source in keys.items():
        if place == copy or place.startswith(f"{copy}/"):
            yield _plain(source + place[len(copy) :])
        elif copy.startswith(f"{place}/"):
            yield source


def _copied(name: str, words: Sequence[str]) -> dict[str, str]:
    """Return where keys, and folders that hold some, may lie now, and where they come from."""
    if (copy := _copy(name, words)) is None:
        return {}
    return {p: source for source in copy.sources if _holds(source) for p in copy.places(source)}


def _copy(name: str, words: Sequence[str]) -> _Copy | None:
    if name not in ("cp", "mv", "ln", "install"):
        return None
    told = _installed(words) if name == "install" else line(words, "tS", ["--target-directory"])
    if name == "install" and told.has("-d", "--directory"):
        return None
    folder = told.values("-t", "--target-directory")
    files = [_plain(word) for word in told.words]
    if folder:
        return _Copy(tuple(files), _plain(folder[-1]))
    return _Copy(tuple(files[:-1]), files[-1]) if len(files) > 1 else None


def _installed(words: Sequence[str]) -> Line:
    long = ["--mode", "--owner", "--group", "--suffix", "--target-directory"]
    return line(words, "mogSt", long)


def _plain(path: str) -> str:
    return re.sub(r"/(?:\.?/)+", "/", path).removesuffix("/.").rstrip("/") or "/"


def _last(path: str) -> str:
    return path.rpartition("/")[2]
