"""What all tests share."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    """Keep Python's collector from going through all modules and tests again and again."""
    gc.freeze()
