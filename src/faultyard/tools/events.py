"""The tool `events`: what the cluster's components reported."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from faultyard.clusters.api import ApiError
from faultyard.model.strict import Strict
from faultyard.tools.arguments import Moment, Name, moment, written
from faultyard.tools.cluster import Cluster
from faultyard.tools.errors import Declined
from faultyard.tools.json_lines import lines
from faultyard.tools.tool import Answer, Form, Tool

DESCRIPTION = """\
Events of the cluster, the newest first: one JSON line each. They are kept for an hour."""


class Arguments(Strict):
    """What `events` takes."""

    namespace: Name | None = Field(None, description="All namespaces when left out.")
    kind: str | None = Field(
        None, pattern=r"^[A-Za-z]{1,63}$", description="Of the object, such as Pod or Node."
    )
    name: Name | None = Field(None, description="Of the object.")
    type: Literal["Normal", "Warning"] | None = Field(None, description="Both when left out.")
    since: Moment = Field("-60m", description="-15m, RFC 3339 or unix seconds.")
    limit: int = Field(200, ge=1, le=1_000, description="At most so many.")


def tool(cluster: Cluster) -> Tool[Arguments]:
    """The tool, on this cluster."""

    def act(given: Arguments) -> Answer:
        found = [raw for raw in read(cluster, given) if last_seen(raw) >= moment(given.since)]
        found.sort(key=last_seen, reverse=True)
        answer = lines((_row(raw) for raw in found[: given.limit]), "no event fits")
        if len(found) <= given.limit:
            return answer
        note = f"[{len(found) - given.limit} older events were cut here; limit={given.limit}]"
        return Answer(f"{answer.text}\n{note}", cut=True)

    return Tool("events", DESCRIPTION, Form.of(Arguments), act, reads=True)


def read(cluster: Cluster, given: Arguments) -> list[dict[str, Any]]:
    """The raw events that fit, of any time.

    Raises:
        Declined: the API server refuses; its words are in the message.
    """
    path = f"/api/v1/namespaces/{given.namespace}/events" if given.namespace else "/api/v1/events"
    wanted = {
        "involvedObject.kind": given.kind,
        "involvedObject.name": given.name,
        "type": given.type,
    }
    selector = ",".join(f"{key}={value}" for key, value in wanted.items() if value)
    try:
        return list(cluster.list(path, selector=selector))
    except ApiError as error:
        raise Declined(f"events: {error}") from error


def last_seen(raw: Mapping[str, Any]) -> float:
    """When an event was seen last, in unix seconds; old and new reporters use different fields."""
    series = raw.get("series") or {}
    seen = (
        series.get("lastObservedTime")
        or raw.get("lastTimestamp")
        or raw.get("eventTime")
        or raw["metadata"]["creationTimestamp"]
    )
    return datetime.datetime.fromisoformat(seen).timestamp()


def _row(raw: Mapping[str, Any]) -> dict[str, Any]:
    about = raw["involvedObject"]
    reporter = raw.get("source") or {}
    return {
        "time": written(last_seen(raw)),
        "count": (raw.get("series") or {}).get("count") or raw.get("count") or 1,
        "type": raw.get("type"),
        "reason": raw.get("reason"),
        "object": f"{about.get('kind', '')}/{about.get('namespace', '')}/{about.get('name', '')}",
        "message": raw.get("message"),
        "by": raw.get("reportingComponent") or reporter.get("component", ""),
    }
