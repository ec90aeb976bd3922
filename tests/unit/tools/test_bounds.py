from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from faultyard.tools.bounds import middle_out, whole_lines

NOTE = re.compile(r"\[(\d+) of (\d+) bytes, \d+ of \d+ lines, were cut here; .*max_bytes\]")


def test_what_fits_is_left_as_it_is() -> None:
    assert middle_out("a\nb\n", 100) == ("a\nb\n", False)


def test_beginning_and_end_are_kept() -> None:
    text, cut = middle_out("".join(f"line {n}\n" for n in range(10_000)), 1_000)
    assert cut
    assert text.startswith("line 0\nline 1\n")
    assert text.endswith("line 9998\nline 9999\n")
    assert NOTE.search(text)
    assert len(text.encode()) < 1_200


def test_lines_are_bounded_too() -> None:
    text, cut = middle_out("x\n" * 5_000, 100_000, max_lines=100)
    assert cut
    assert text.count("\n") <= 102


def test_one_long_line_is_cut_inside() -> None:
    text, cut = middle_out("x" * 10_000, 1_000)
    assert cut
    assert text.startswith("x" * 600)
    assert NOTE.search(text)


@given(st.text(max_size=3_000), st.integers(1_000, 2_000))
def test_no_answer_is_longer_than_its_bound_and_its_note(text: str, bound: int) -> None:
    kept, cut = middle_out(text, bound)
    assert len(kept.encode()) <= bound + 200
    assert cut == (kept != text)


@given(st.text(min_size=1, max_size=5_000), st.integers(10, 500), st.integers(2, 20))
def test_the_note_counts_what_is_missing(text: str, bound: int, max_lines: int) -> None:
    kept, cut = middle_out(text, bound, max_lines)
    if not cut:
        return
    missing, whole = map(int, NOTE.findall(kept)[-1])
    assert whole == len(text.encode())
    note = NOTE.search(kept)
    assert note is not None
    around = len(kept.encode()) - len(note[0].encode())
    assert abs(whole - missing - around) <= 3  # newlines around the note


def test_whole_lines_are_left_out_at_the_end() -> None:
    text, cut = whole_lines([f'{{"n": {n}}}' for n in range(1_000)], 200)
    assert cut
    lines = text.splitlines()
    assert lines[0] == '{"n": 0}'
    assert re.fullmatch(r"\[\d+ more lines were cut here; ask for less\]", lines[-1])
    assert int(re.findall(r"\d+", lines[-1])[0]) == 1_000 - (len(lines) - 1)


def test_no_lines_are_no_text() -> None:
    assert whole_lines([]) == ("", False)
