"""A module is one screenful of thought: at most 300 lines, its functions at most 40."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULE_LINES = 300
FUNCTION_LINES = 40
SOURCES = sorted((ROOT / "src").rglob("*.py"))
HELPERS = sorted(p for p in (ROOT / "tests").rglob("*.py") if not p.name.startswith("test_"))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def long_functions(text: str) -> Iterator[str]:
    """Functions over the limit, with their lines; docstrings, which explain, do not count."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            first = node.body[0]
            if ast.get_docstring(node) is not None:
                lines -= (first.end_lineno or first.lineno) - first.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{node.name} (line {node.lineno}): {lines} lines"


@pytest.mark.parametrize("path", [*SOURCES, *HELPERS], ids=name_of)
def test_a_module_has_at_most_300_lines_and_its_functions_40(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= MODULE_LINES
    assert list(long_functions(text)) == []


def test_a_function_of_41_lines_is_found_and_its_docstring_does_not_count() -> None:
    body = "    x = 1\n" * FUNCTION_LINES
    assert list(long_functions(f"def f():\n{body}")) == ["f (line 1): 41 lines"]
    shorter = body.removesuffix("    x = 1\n")
    assert list(long_functions(f'def f():\n    """What\n\n    it does."""\n{shorter}')) == []


def test_there_is_something_to_look_at() -> None:
    assert len(SOURCES) > 50
