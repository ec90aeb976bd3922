from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from unit.tools.fakes import Offered

Offer = Callable[..., Offered]


@pytest.fixture
def offer(tmp_path: Path) -> Iterator[Offer]:
    """Serves tools until the test is over."""
    with ExitStack() as stack:

        def make(**given: Any) -> Offered:
            offered = Offered(tmp_path, **given)
            stack.callback(offered.log.close)
            stack.enter_context(offered.server.thread)
            return offered

        yield make
