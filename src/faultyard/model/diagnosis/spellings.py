"""Settings and values as people write them: the same one in many spellings.

A checker that compares text fails right answers; one that looks for a word in a sentence passes
wrong ones. So paths are compared word by word from their end, and values by what they mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

from faultyard.model import quantities

ABSENT: Final = "absent"
"""The value of what is not there."""
_ABSENT: Final = frozenset(
    "absent missing none null nil unset notset notfound notpresent doesnotexist nonexistent "
    "deleted removed empty (absent)".split()
)
# One word alone does not tell which field is meant.
_VAGUE: Final = frozenset(
    "name value key cpu memory port path type data spec effect mode host size class limits "
    "requests status metadata resources".split()
)
# Lists and maps whose keys people name as part of the path.
_NAMED: Final = frozenset(
    "env data stringdata binarydata labels annotations matchlabels selector nodeselector "
    "limits requests args".split()
)
_TOKEN: Final = re.compile(r"\[([^\]]*)\]|([^\s./\[\]:=,]+)")
_COMMENT: Final = re.compile(r"\s*\([^()]*\)\s*$")
_UNIT_STATE: Final = re.compile(r"^active(?:state)?\s*[:=]\s*", re.I)
"""How systemctl begins to tell of a unit's state."""
_SINCE: Final = re.compile(r"\s+since\s.*$", re.I | re.DOTALL)
# Said around a setting's name, and no part of it.
_AROUND: Final = re.compile(
    r"\s+(?:status|state)$|\s+in\s+(?:the\s+)?(?:database|db)\s+[\w.-]+$", re.I
)
_COUNTED: Final = re.compile(
    r"(?:port)?([\d.]+m?)(?:v?cpus?|(?:v?cpu)?cores?|/tcp)|port(\d+)", re.I
)
_MILLI: Final = re.compile(r"([\d.]+)milli-?(?:cores?|cpus?)", re.I)
_BYTES: Final = re.compile(r"([\d.]+[KMGTP]i|[\d.]+[MGTP])B")
"""A number with its unit, blanks left out."""
_JOINTS: Final = re.compile(r"[/,()]")


def same_setting(stated: Iterable[str], said: str) -> bool:
    """Whether `said` names one of the fields or resources in `stated`.

    `targetPort`, `.spec.ports[0].targetPort` and `/spec/ports/0/targetPort` are one field;
    `cpu` alone is none, because it may be a limit or a request.
    """
    plain = _AROUND.sub("", _COMMENT.sub("", said.strip()))
    texts = dict.fromkeys((said, plain))
    return any(_same_path(_words(one), _words(text)) for one in stated for text in texts)


def same_value(
    stated: Iterable[Any], said: Any, setting: str = "", right_setting: str | None = None
) -> bool:
    """Whether `said` means one of the values in `stated`.

    Args:
        stated: values that are right.
        said: the answer's; it may be written behind the setting's last word (`targetPort: 80`),
            name the setting's object (`user rate not found`), end in a remark in brackets or in
            since when it is so, and be several right ones at once (`inactive (dead)`).
        setting: the setting that it is the value of, as the answer has it.
        right_setting: the setting as it is.
    """
    wanted = {_meaning(one) for one in stated}
    return any(
        _meaning(variant) in wanted or _all_right(variant, wanted)
        for variant in _variants(said, setting, right_setting or "")
    )


def _all_right(said: Any, wanted: set[tuple[str, Any]]) -> bool:
    """Tell whether a text is several values, each of which is right."""
    parts = _JOINTS.split(said) if isinstance(said, str) else []
    given = [part for part in parts if part.strip()]
    return len(given) > 1 and all(_meaning(part) in wanted for part in given)


def _words(text: str) -> tuple[tuple[str, str], ...]:
    """Return the path's words, folded, each with the key of the list item behind it."""
    found: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text.strip().strip("`'\"")):
        key, word = match.groups()
        if word is not None:
            bare = word.strip("`'\"")
            if bare and not bare.isdigit():
                found.append((_fold(bare), ""))
        elif found and (item := _item(key)):
            inside = found[-1][0] in _NAMED
            found[-1:] = [found[-1], (item, "")] if inside else [(found[-1][0], item)]
    if len(found) > 1 and found[-1][0] == "value" and any(word == "env" for word, _ in found):
        found.pop()
    return tuple(found)


def _same_path(stated: tuple[tuple[str, str], ...], said: tuple[tuple[str, str], ...]) -> bool:
    if not said or not stated:
        return False
    keys, other_keys = dict(stated), dict(said)
    if any(
        keys[word] and other_keys[word] and keys[word] != other_keys[word]
        for word in keys.keys() & other_keys.keys()
    ):
        return False
    if len(stated) > 1 and "".join(word for word, _ in said) in _VAGUE:
        return False
    one, other = [word for word, _ in stated], [word for word, _ in said]
    if len(one) > 1 and sorted(one) == sorted(other):
        return True  # "cpu limits" for limits.cpu
    return _ends_with(one, other) or _ends_with(other, one)


def _ends_with(path: list[str], end: list[str]) -> bool:
    # Joined, because "target port" is written for targetPort.
    whole = "".join(end)
    return any("".join(path[start:]) == whole for start in range(len(path)))


def _item(key: str) -> str:
    """Return the name in a list item's brackets; an index, a number or `*` is none."""
    named = re.findall(r"[A-Za-z0-9_./-]+", key.rpartition("=")[2])
    return _fold(named[0]) if named and not named[0][0].isdigit() else ""


def _fold(text: str) -> str:
    return re.sub(r"[-_./]", "", text).casefold()


def _variants(said: Any, setting: str, right_setting: str) -> list[Any]:
    if not isinstance(said, str):
        return [said]
    whole = _SINCE.sub("", _UNIT_STATE.sub("", said)).strip()
    bare = _SINCE.sub("", _COMMENT.sub("", whole)).strip()
    words = _TOKEN.findall(setting)
    label = re.escape(words[-1][1] or words[-1][0]) if words else ""
    stripped = re.sub(rf"^{label}\s*[:=]?\s+|^{label}\s*[:=]\s*", "", bare, flags=re.I)
    found = [said, whole, bare, *([stripped] if label else [])]
    for name in {right_setting, *right_setting.split()[1:]} - {""}:
        quoted = r"\s+".join(rf"[`'\"]?{re.escape(word)}[`'\"]?" for word in name.split())
        left = re.sub(rf"(?<![\w.-]){quoted}(?![\w.-])", " ", bare, flags=re.I).strip(" :")
        found += [left] if left not in ("", bare) else []
    return found


def _meaning(value: Any) -> tuple[str, Any]:
    if value is None or value in ({}, []):
        return ("absent", None)
    if isinstance(value, bool):
        return ("text", str(value).lower())
    if isinstance(value, dict):
        return ("text", ",".join(sorted(f"{_flat(k)}={_flat(v)}" for k, v in value.items())))
    if isinstance(value, list):
        return ("text", ",".join(sorted(_flat(item) for item in value)))
    return _text(str(value))


def _flat(value: Any) -> str:
    return str(_meaning(value)[1])


def _text(text: str) -> tuple[str, Any]:
    bare = re.sub(r"\s+", "", text).strip("`'\"").casefold()
    if bare in _ABSENT or not bare:
        return ("absent", None)
    if bare[0] in "[{":
        try:
            return _meaning(json.loads(text))
        except (ValueError, RecursionError):
            pass
    try:
        # Quantities tell M from m, so the case is kept for them.
        return ("number", quantities.number(_unitless(re.sub(r"\s+", "", text).strip("`'\""))))
    except (ValueError, ArithmeticError):
        pairs = (re.sub("[:=]", "=", part, count=1) for part in bare.split(","))
        return ("text", ",".join(sorted(pairs)))


def _unitless(text: str) -> str:
    """Return a quantity without the unit that people write behind it, or the kind before it."""
    if found := _COUNTED.fullmatch(text):
        return found[1] or found[2]
    if found := _MILLI.fullmatch(text):
        return f"{found[1]}m"
    found = _BYTES.fullmatch(text)
    return found[1] if found else text
