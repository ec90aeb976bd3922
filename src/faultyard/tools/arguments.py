"""Types of arguments that several tools take."""

from __future__ import annotations

import datetime
import re
import time
from typing import Annotated

from pydantic import AfterValidator, Field

ARGUMENT_BYTES = 100_000
"""The kernel takes no argument of a program longer than 128 KiB (execve(2))."""
STDIN_BYTES = 900_000
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _text(limit: int, value: str) -> str:
    if "\0" in value:
        raise ValueError("there is a NUL character in it")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise ValueError(f"it is no Unicode text: {error.reason}") from error
    if size > limit:
        raise ValueError(f"it has {size} bytes; at most {limit} are taken")
    return value


def _word(value: str) -> str:
    return _text(ARGUMENT_BYTES, value)


def _input(value: str) -> str:
    return _text(STDIN_BYTES, value)


def moment(value: str) -> float:
    """A point in time as unix seconds.

    Args:
        value: `now`, `-15m` (units s, m, h, d), RFC 3339, or unix seconds.

    Raises:
        ValueError: it is none of these.
    """
    text = value.strip()
    if text == "now":
        return time.time()
    if found := re.fullmatch(r"-(\d{1,9}(?:\.\d+)?)([smhd])", text):
        return time.time() - float(found[1]) * UNITS[found[2]]
    if re.fullmatch(r"\d{9,10}(\.\d+)?", text):
        return float(text)
    try:
        parsed = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(
            f"{value[:40]!r} is no time: write now, -15m, 2026-01-31T08:30:00Z or unix seconds"
        ) from None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=datetime.UTC)).timestamp()


def _is_moment(value: str) -> str:
    moment(value)
    return value


Word = Annotated[str, AfterValidator(_word)]
"""One argument of a program."""
Input = Annotated[str, AfterValidator(_input)]
"""A program's standard input."""
Moment = Annotated[str, AfterValidator(_is_moment)]
"""A point in time; see `moment`."""
Timeout = Annotated[int, Field(ge=1, le=240)]
MaxBytes = Annotated[int, Field(ge=1000, le=262_144)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([-A-Za-z0-9_.:]{0,251}[A-Za-z0-9])?$")]
"""A name as Kubernetes gives it."""


def written(at: float) -> str:
    """Unix seconds as RFC 3339 in UTC, to the second."""
    return datetime.datetime.fromtimestamp(at, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
