"""JSON that came out of a cluster, read so that nothing that a client stored there can stop it.

The API server keeps numbers of any length and nesting of any depth, of which Python refuses to
read some. Neither has a meaning for what is compared: a long number stays as its text, what lies
too deep becomes a mark with a digest, so that a change in it still shows. Bytes that are no UTF-8,
which the audit log repeats as a client sent them, become marks too.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any, Final

MAX_DIGITS: Final = 20
"""An int64 has nineteen and a sign."""
MAX_DEPTH: Final = 200
"""Levels of objects and lists; the deepest of Kubernetes' own kinds has about thirty."""
_NESTED: Final = frozenset((dict, list))
"""What the reader makes of objects and lists; never classes derived from them."""
_TOKENS: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{\]}]')


def loads(content: bytes) -> Any:
    """Return a JSON value of which no part is too long or too deep to work with.

    Raises:
        ValueError: not JSON.
    """
    text = content.decode(errors="replace")
    try:
        value = _read(text)
    except RecursionError:
        return _read(_cut(text))
    # Most lines have fewer beginnings than that, and cannot be deep.
    may_be = text.count("{") + text.count("[") > MAX_DEPTH
    return _read(_cut(text)) if may_be and _is_deep(value) else value


def _read(text: str) -> Any:
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= MAX_DIGITS else digits


def _is_deep(value: Any) -> bool:
    level = [value] if type(value) in _NESTED else []
    for _ in range(MAX_DEPTH):
        level = [
            item
            for parent in level
            for item in (parent.values() if type(parent) is dict else parent)
            if type(item) in _NESTED
        ]
        if not level:
            return False
    return True


def _cut(text: str) -> str:
    """Replace every value below the last level that is kept, without recursion."""
    pieces, kept_to, depth, start = [], 0, 0, 0
    for token in _TOKENS.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth == MAX_DEPTH + 1:
                start = token.start()
        elif token[0] in "]}":
            depth -= 1
            if depth == MAX_DEPTH:
                digest = hashlib.sha256(text[start : token.end()].encode()).hexdigest()[:16]
                pieces += [text[kept_to:start], f'"(nested too deep to be read, {digest})"']
                kept_to = token.end()
    return "".join([*pieces, text[kept_to:]])
