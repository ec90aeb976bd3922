"""VictoriaLogs by its query API (https://docs.victoriametrics.com/victorialogs/querying/)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from faultyard.tools.adapters.http import Store
from faultyard.tools.arguments import written
from faultyard.tools.errors import BackendFailed

QUERY_TIMEOUT = "15s"


class VictoriaLogs:
    """Log lines.

    Args:
        url: its base, such as `http://172.30.0.1:9428`.
    """

    def __init__(self, url: str) -> None:
        self._store = Store("the log store", url)

    def search(
        self, query: str, start: float, end: float, limit: int
    ) -> Sequence[Mapping[str, Any]]:
        """The newest lines that fit, the newest first.

        A query with pipes of its own (`| stats …`) decides its order itself.
        """
        asked: dict[str, str | float] = {
            "query": query,
            "start": written(start),
            "end": written(end),
            "limit": limit,
            "timeout": QUERY_TIMEOUT,
        }
        text = self._store.text("/select/logsql/query", asked)
        try:
            lines: list[Mapping[str, Any]] = [json.loads(x) for x in text.splitlines() if x.strip()]
        except ValueError as error:
            raise BackendFailed(f"the log store answered no JSON lines: {error}") from error
        # With `limit` it returns the newest lines, in no promised order.
        if all("_time" in line for line in lines):
            lines.sort(key=lambda line: str(line["_time"]), reverse=True)
        return lines
