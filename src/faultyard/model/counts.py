"""Numbers of things as people say them."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """How many of a thing: `one ready pod`, `3 ready pods`, `0 ready pods`.

    Args:
        number: how many.
        thing: its name in the singular, with a regular plural.
    """
    return f"one {thing}" if number == 1 else f"{number} {thing}s"
