"""Prometheus by its HTTP API v1 (https://prometheus.io/docs/prometheus/latest/querying/api/)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faultyard.tools.adapters.http import Store
from faultyard.tools.backends import Alert, Series
from faultyard.tools.errors import BackendFailed, Declined

QUERY_TIMEOUT = "15s"


class Prometheus:
    """Metrics and alerts.

    Args:
        url: its base, such as `http://172.30.0.1:9090`.
    """

    def __init__(self, url: str) -> None:
        self._store = Store("the metrics store", url)

    def instant(self, query: str, at: float) -> Sequence[Series]:
        """The values at a moment."""
        asked: dict[str, str | float] = {"query": query, "time": at, "timeout": QUERY_TIMEOUT}
        return self._series(self._data("/api/v1/query", asked))

    def range(self, query: str, start: float, end: float, step_s: float) -> Sequence[Series]:
        """The values of a span of time."""
        asked: dict[str, str | float] = {
            "query": query,
            "start": start,
            "end": end,
            "step": step_s,
            "timeout": QUERY_TIMEOUT,
        }
        return self._series(self._data("/api/v1/query_range", asked))

    def active(self) -> Sequence[Alert]:
        """The alerts that fire or are about to."""
        return [
            Alert(
                labels=each["labels"],
                annotations=each.get("annotations", {}),
                state=each["state"],
                since=each.get("activeAt", ""),
                value=str(each.get("value", "")),
            )
            for each in self._data("/api/v1/alerts", {})["alerts"]
        ]

    def _data(self, path: str, parameters: Mapping[str, str | float]) -> Any:
        answer = self._store.json(path, parameters)
        if answer.get("status") != "success":
            raise Declined(f"the metrics store refuses: {answer.get('error', 'no reason given')}")
        return answer["data"]

    def _series(self, data: Mapping[str, Any]) -> list[Series]:
        kind, result = data["resultType"], data["result"]
        if kind in {"scalar", "string"}:
            return [Series({}, [(float(result[0]), str(result[1]))])]
        if kind == "vector":
            return [Series(each["metric"], _points(each, "value")) for each in result]
        if kind == "matrix":
            return [Series(each["metric"], _points(each, "values")) for each in result]
        raise BackendFailed(f"the metrics store answered with results of an unknown kind: {kind}")


def _points(each: Mapping[str, Any], key: str) -> list[tuple[float, str]]:
    """Its points; a native histogram, which has none, is shown as it is written."""
    plain = each.get(key)
    if plain is None:
        plain = each["histogram" if key == "value" else "histograms"]
    pairs = [plain] if key == "value" else plain
    return [(float(at), str(value)) for at, value in pairs]
