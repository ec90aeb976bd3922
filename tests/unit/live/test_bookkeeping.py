"""Which live tests run, in which order, and what is demanded of them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from live import bookkeeping, rows


@dataclass(frozen=True)
class Mark:
    args: tuple[float | str, ...] = ()


@dataclass(eq=False)
class Item:
    """As much of a pytest item as the bookkeeper looks at."""

    nodeid: str
    marks: dict[str, Mark] = field(default_factory=lambda: {"cost": Mark((10,))})
    fixturenames: tuple[str, ...] = ()
    path: Path = bookkeeping.FOLDER / "test_x.py"

    def get_closest_marker(self, name: str) -> Mark | None:
        return self.marks.get(name)


def printed(places: tuple[str, ...]) -> str:
    return ",".join(places)


LONG = {"cost": Mark((1000,)), "long": Mark()}


@pytest.fixture(autouse=True)
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("FAULTYARD_TEST_BUDGET_S", raising=False)
    monkeypatch.setattr(rows, "fingerprint", printed)
    monkeypatch.setattr(rows, "passed", lambda: frozenset({("done", printed(rows.DECIDING))}))


def chosen(*items: Item) -> list[str]:
    return [item.nodeid for item in bookkeeping.choose(cast(Any, list(items)))[1]]


def test_a_live_test_without_a_stated_cost_is_an_error() -> None:
    with pytest.raises(pytest.UsageError, match=r"without a stated cost.*: silent"):
        chosen(Item("silent", marks={}))


def test_live_tests_without_root_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(pytest.UsageError, match="run them as root"):
        chosen(Item("a"))
    assert chosen(Item("unit", marks={}, path=Path("/elsewhere/test_y.py"))) == ["unit"]


def test_a_budget_that_is_no_number_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTYARD_TEST_BUDGET_S", "much")
    with pytest.raises(pytest.UsageError, match="number of seconds"):
        chosen(Item("a"))


def test_tests_of_the_shared_cell_run_first_and_otherwise_the_order_stays() -> None:
    shared = ("state", "cell")
    items = [Item("a"), Item("b", fixturenames=shared), Item("c"), Item("d", fixturenames=shared)]
    assert chosen(*items) == ["b", "d", "a", "c"]


def test_long_tests_need_no_budget_and_those_that_passed_are_left_out() -> None:
    assert chosen(Item("done", LONG), Item("open", LONG), Item("a")) == ["open", "a"]


def test_a_long_test_that_rests_on_something_else_than_when_it_passed_runs_again() -> None:
    marks = {**LONG, "rests_on": Mark(("problems/a", "apps"))}
    assert chosen(Item("done", marks)) == ["done"]


def test_a_test_that_does_not_fit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTYARD_TEST_BUDGET_S", "15")
    assert chosen(Item("a"), Item("b")) == ["a"]
