"""Waiting on conditions with deadlines: the only place that sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from faultyard.clusters.errors import NotReady
from faultyard.clusters.patience import stretched

T = TypeVar("T")


def wait_for(
    what: str,
    look: Callable[[], tuple[T | None, str]],
    *,
    timeout_s: float,
    every_s: float = 0.1,
    hint: str = "",
) -> T:
    """Look until there is a result.

    Args:
        what: the awaited condition, as a noun phrase for the error.
        look: returns the result, or None while there is none, and what was seen.
        timeout_s: the deadline, in seconds from now; stretched where deadlines are.
        every_s: the pause between two looks, in seconds.
        hint: where a user should look when it does not come.

    Raises:
        NotReady: the deadline passed.
    """
    start, timeout_s = time.monotonic(), stretched(timeout_s)
    while True:
        result, seen = look()
        if result is not None:
            return result
        waited = time.monotonic() - start
        if waited > timeout_s:
            raise NotReady(what, waited, seen, hint)
        time.sleep(every_s)
