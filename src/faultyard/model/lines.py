"""Files with a JSON value in each line, as the harness writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

LineT = TypeVar("LineT")


class LinesError(ValueError):
    """A line is not what the harness writes, or the last one is cut off."""


def whole(content: bytes) -> list[bytes]:
    """Return a file's lines.

    Raises:
        LinesError: the last one is cut off.
    """
    if content and not content.endswith(b"\n"):
        raise LinesError("the last line is cut off")
    return content.splitlines()


def parse(content: bytes, make: Callable[[int, Any], LineT]) -> tuple[LineT, ...]:
    """Read a file.

    Args:
        content: of the file.
        make: gets the 1-based number of a line and what it says.

    Raises:
        LinesError: a line is not JSON or lacks something, or the last one is cut off.
    """
    found = []
    for number, line in enumerate(whole(content), start=1):
        try:
            found.append(make(number, json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            raise LinesError(f"line {number}: {error!r}") from error
    return tuple(found)
