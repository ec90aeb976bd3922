"""A run of live tests: which of them run, what they took, and the rows of the long ones."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from live import budget, rows

FOLDER = Path(__file__).parent


class Bookkeeper:
    """Pytest's hooks while live tests run.

    Args:
        account: of the tests that count against the budget.
        long: the long tests of this run, each with the fingerprint of what it rests on.
        done: those of them that are left out, since they passed with this fingerprint.
    """

    def __init__(
        self, account: budget.Account, long: Mapping[str, str], done: Iterable[str]
    ) -> None:
        self.account = account
        self.long = long
        self.done = frozenset(done)
        self.outcomes: dict[str, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leave out what would begin after the budget is spent."""
        if item.nodeid in self.account.stated and self.account.exceeded:
            spent = self.account.spent_s
            self.account.drop(item.nodeid)
            pytest.skip(f"the tests before took {spent:.0f} s, which is over the budget")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up what a test took; write down a long one that has ended."""
        name = report.nodeid
        if name not in self.account.stated and name not in self.long:
            return
        self.account.measured[name] += report.duration
        if report.outcome != rows.PASSED:
            self.outcomes[name] = report.outcome
        if report.when == "teardown" and name in self.long:
            outcome = self.outcomes.get(name, rows.PASSED)
            rows.append(name, self.long[name], outcome, self.account.measured[name])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the account."""
        if self.account.stated or self.account.left_out:
            terminalreporter.section("cost of the live tests")
            for line in self.account.lines():
                terminalreporter.write_line(line)
        if self.long:
            terminalreporter.section(f"long tests ({rows.FILE.relative_to(rows.ROOT)})")
            for line in rows.table(rows.read(), self.long):
                terminalreporter.write_line(line)
            if self.done:
                terminalreporter.write_line(f"{len(self.done)} of them had passed before this run")


def choose(items: list[pytest.Item]) -> tuple[Bookkeeper, list[pytest.Item]]:
    """Order and choose the live tests among all that were collected.

    Args:
        items: all tests of the run.

    Returns:
        The bookkeeper, and the tests that run.

    Raises:
        pytest.UsageError: a live test states no cost, this is not root, or the budget is no number.
    """
    live = [item for item in items if FOLDER in item.path.parents]
    _check(live)
    live.sort(key=lambda item: "cell" not in _fixtures(item))  # these share one, which then ends
    long = [item for item in live if item.get_closest_marker("long")]
    prints = _fingerprints(long)
    done = rows.passed().intersection(prints.items())
    try:
        account = budget.plan([_candidate(i) for i in live if i not in long], budget.budget_s())
    except budget.BadBudget as error:
        raise pytest.UsageError(str(error)) from error
    keeper = Bookkeeper(account, prints, [name for name, _ in done])
    chosen = {*account.stated, *prints} - keeper.done
    others = [item for item in items if item not in live]
    return keeper, others + [item for item in live if item.nodeid in chosen]


def _fingerprints(long: Iterable[pytest.Item]) -> dict[str, str]:
    """Test -> the fingerprint of what it rests on; each set of places is read once."""
    known: dict[tuple[str, ...], str] = {}
    prints = {}
    for item in long:
        mark = item.get_closest_marker("rests_on")
        places = tuple(mark.args) if mark else rows.DECIDING
        if places not in known:
            known[places] = rows.fingerprint(places=places)
        prints[item.nodeid] = known[places]
    return prints


def _check(live: list[pytest.Item]) -> None:
    silent = [item.nodeid for item in live if item.get_closest_marker("cost") is None]
    if silent:
        raise pytest.UsageError(
            "live tests without a stated cost; mark them with @pytest.mark.cost(seconds): "
            + ", ".join(silent)
        )
    if live and os.geteuid() != 0:
        raise pytest.UsageError(
            "live tests bring up cells, which needs root: run them as root, or `pytest tests/unit`"
        )


def _candidate(item: pytest.Item) -> budget.Candidate:
    mark = item.get_closest_marker("cost")
    if mark is None:
        raise AssertionError(f"{item.nodeid} was checked before")
    return budget.Candidate(item.nodeid, float(mark.args[0]), frozenset(_fixtures(item)))


def _fixtures(item: pytest.Item) -> list[str]:
    return list(getattr(item, "fixturenames", ()))
