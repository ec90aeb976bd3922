"""Lines as the load generator writes them, for the tests of load."""

from __future__ import annotations

import json
from typing import Any


def line(t: Any, ok: int = 3, failed: int = 0, **changes: Any) -> str:
    """A consistent line with one journey `search`; failed ones failed by `timeout`."""
    fields = {
        "t": t,
        "journeys": {
            "search": {
                "ok": ok,
                "failed": failed,
                "latencies_ms": [10.0] * ok + [3000.0] * failed,
                "errors": {"timeout": failed} if failed else {},
            }
        },
        "lateness_ms": 0.4,
        "in_flight": 1,
    }
    return json.dumps(fields | changes)
