"""Events of the hold: what the harness does, and what the agent's repair makes of it."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext

import httpx
import pytest

from faultyard.clusters.api import Api
from faultyard.clusters.errors import Refused
from faultyard.faults.settings import RESTARTED
from faultyard.model.problem import HoldEvent
from faultyard.trials import hold_events
from faultyard.trials.timeline import Timeline
from unit.clusters.played_api import played

EVENT = HoldEvent(
    kind="fresh_start", **{"with": {"namespace": "hotel", "workload": "Deployment/rate"}}
)
PATH = "/apis/apps/v1/namespaces/hotel/deployments/rate"


class PlayedCell:
    """One Deployment, of whose two replicas so many are available after a change."""

    def __init__(self, available: int | None) -> None:
        self.available = available
        self.patches: list[str] = []

    def entered(self) -> AbstractContextManager[None]:
        return nullcontext()

    def api(self) -> Api:
        return played(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if self.available is None:
            return httpx.Response(404, json={"message": "there is none"})
        if request.method == "PATCH":
            assert request.url.path == PATH
            self.patches.append(request.content.decode())
            return httpx.Response(200, json={})
        status = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2}
        item = {
            "metadata": {"name": "rate", "namespace": "hotel", "generation": 2},
            "spec": {"replicas": 2},
            "status": status | {"availableReplicas": self.available},
        }
        return httpx.Response(200, json={"metadata": {}, "items": [item]})


def happened(cell: PlayedCell, *events: HoldEvent) -> list[str]:
    timeline = Timeline()
    hold_events.happen(cell, events, timeline)  # type: ignore[arg-type]
    return [f"{step['what']}: {step['detail']}" for step in timeline.protocol]


def test_a_deployment_is_started_anew_by_its_pods_annotation() -> None:
    cell = PlayedCell(2)
    assert happened(cell, EVENT) == ["hold event fresh_start: Deployment/rate was started anew"]
    (patch,) = map(json.loads, cell.patches)
    assert list(patch["spec"]["template"]["metadata"]["annotations"]) == [RESTARTED]


@pytest.mark.parametrize(
    ("available", "said"), [(1, "did not get ready anew"), (None, "was not started anew")]
)
def test_what_does_not_start_is_written_down_and_no_error(
    available: int | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hold_events, "ROLL_OUT_S", 0.1)
    (step,) = happened(PlayedCell(available), EVENT)
    assert said in step


def test_without_events_nothing_happens() -> None:
    assert hold_events.happen(PlayedCell(2), [], Timeline()) is None  # type: ignore[arg-type]


def test_an_unknown_hold_event_is_refused() -> None:
    with pytest.raises(Refused, match="no hold event of kind quake; there are: fresh_start"):
        happened(PlayedCell(2), HoldEvent(kind="quake"))
