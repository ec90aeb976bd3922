"""Keeping answers short, and saying so."""

from __future__ import annotations

from collections.abc import Iterable

ANSWER_BYTES = 32_768
ANSWER_LINES = 1_500
HEAD = 0.6
"""The share of a cut answer that is its beginning; errors tend to stand at the end."""


def middle_out(text: str, max_bytes: int, max_lines: int = ANSWER_LINES) -> tuple[str, bool]:
    """Cut from the middle what is too much.

    Args:
        text: what a program printed.
        max_bytes: how much is kept, in bytes of UTF-8, without the note on what was cut.
        max_lines: how many lines are kept.

    Returns:
        What is left with a note in its middle, and whether anything was cut.
    """
    lines = text.splitlines(keepends=True)
    size = len(text.encode())
    if size <= max_bytes and len(lines) <= max_lines:
        return text, False
    head = _take(lines, int(max_bytes * HEAD), int(max_lines * HEAD))
    rest = "".join(lines)[len(head) :]
    tail = _take_end(rest, max_bytes - len(head.encode()), max_lines - head.count("\n") - 1)
    left_out = rest[: len(rest) - len(tail)]
    note = (
        f"[{len(left_out.encode())} of {size} bytes, {left_out.count(chr(10))} of {len(lines)} "
        "lines, were cut here; ask for less, or for more with max_bytes]"
    )
    return f"{head.rstrip(chr(10))}\n{note}\n{tail}", True


def whole_lines(lines: Iterable[str], max_bytes: int = ANSWER_BYTES) -> tuple[str, bool]:
    """Join lines, and leave out those at the end that are too much.

    Returns:
        The text, with a note at its end when something was left out, and whether it was.
    """
    kept: list[str] = []
    size = left_out = 0
    for line in lines:
        size += len(line.encode()) + 1
        if left_out or (kept and size > max_bytes) or len(kept) >= ANSWER_LINES:
            left_out += 1
            continue
        kept.append(line)
    if left_out:
        kept.append(f"[{left_out} more lines were cut here; ask for less]")
    text, cut = middle_out("\n".join(kept), max_bytes + 200)
    return text, cut or left_out > 0


def _take(lines: list[str], max_bytes: int, max_lines: int) -> str:
    kept, size = [], 0
    for line in lines[:max_lines]:
        size += len(line.encode())
        if size > max_bytes:
            break
        kept.append(line)
    if kept:
        return "".join(kept)
    return lines[0].encode()[:max_bytes].decode(errors="ignore")


def _take_end(text: str, max_bytes: int, max_lines: int) -> str:
    lines = text.splitlines(keepends=True)
    kept: list[str] = []
    size = 0
    for line in reversed(lines[-max_lines:]):
        size += len(line.encode())
        if size > max_bytes:
            break
        kept.insert(0, line)
    if kept or not lines:
        return "".join(kept)
    return lines[-1].encode()[-max_bytes:].decode(errors="ignore")
