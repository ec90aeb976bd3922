"""The watch that brings about a later fault, over an API server of a few lines."""

from __future__ import annotations

import json
import threading
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import httpx
import pytest

from faultyard.clusters.api import Api
from faultyard.clusters.errors import ClusterError, Refused
from faultyard.model.known_good import DeclaredChange
from faultyard.model.problem import Fault
from faultyard.trials import later_faults
from faultyard.trials.later_faults import LaterFaults
from faultyard.trials.timeline import Timeline
from unit.clusters.played_api import played
from unit.model.builders import Trial
from unit.model.world import Raw

PATH = "/api/v1/namespaces/hotel/services/rate"
BROKEN = DeclaredChange(object="Service/hotel/rate", fields=["spec.ports"], by="fault")
DECOY = DeclaredChange(object="Deployment/hotel/search", fields=["spec"], by="decoy")
SECOND = Fault(kind="service_target_port", after="first_repair")
KINDS = {
    "items": [
        {
            "metadata": {"name": ""},
            "versions": [
                {
                    "version": "v1",
                    "resources": [
                        {
                            "resource": "services",
                            "responseKind": {"kind": "Service"},
                            "scope": "Namespaced",
                            "verbs": ["get", "list"],
                        }
                    ],
                }
            ],
        }
    ]
}


class PlayedPipeline:
    """One Service, as the fault left it until the test changes it; `looked` tells of a look."""

    def __init__(self) -> None:
        self.cell = self
        self.service: Raw | None = Trial().injected.get("Service/hotel/rate")
        self.status = 200
        self.looked = threading.Event()

    def entered(self) -> AbstractContextManager[None]:
        return nullcontext()

    def api(self) -> Api:
        return played(self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path in ("/api", "/apis"):
            return httpx.Response(200, json=KINDS if request.url.path == "/api" else {"items": []})
        assert request.url.path == PATH
        self.looked.set()
        if self.service is None:
            return httpx.Response(404, json={"message": "not found"})
        return httpx.Response(self.status, content=json.dumps(self.service))

    def look(self) -> None:
        """Wait for a look that begins from now on."""
        self.looked.clear()
        assert self.looked.wait(5)


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> PlayedPipeline:
    def inject(_: Any, fault: Fault) -> list[DeclaredChange]:
        return [DeclaredChange(object="Service/hotel/geo", fields=["spec.ports"], by="fault")]

    monkeypatch.setattr(later_faults, "inject", inject)
    monkeypatch.setattr(later_faults, "EVERY_S", 0.01)
    return PlayedPipeline()


def later(pipeline: PlayedPipeline, declared: list[DeclaredChange], *faults: Fault) -> LaterFaults:
    shot = Trial().files()["snapshots/injected.json"]
    timeline = Timeline(raw_snapshots={"injected": shot})
    return LaterFaults(pipeline, faults, declared, timeline)  # type: ignore[arg-type]


def repair(pipeline: PlayedPipeline) -> None:
    assert pipeline.service is not None
    pipeline.service["spec"]["ports"][0]["targetPort"] = 8084


def test_whoever_repairs_nothing_never_meets_the_second_fault(pipeline: PlayedPipeline) -> None:
    declared = [BROKEN, DECOY]
    watch = later(pipeline, declared, SECOND)
    with watch.watching():
        pipeline.look()
    assert (watch.injections, declared) == ([], [BROKEN, DECOY])


def test_the_second_fault_comes_while_the_turn_goes_on(pipeline: PlayedPipeline) -> None:
    declared = [BROKEN, DECOY]
    watch = later(pipeline, declared, SECOND)
    with watch.watching():
        pipeline.look()
        repair(pipeline)
        watch._thread.join(5)
        assert [one.later for one in declared] == [False, False, True]
    (injection,) = watch.injections
    assert injection.since <= injection.until
    assert injection.username == "deploy-bot"


def test_a_repair_in_the_last_moment_of_the_turn_counts(pipeline: PlayedPipeline) -> None:
    declared = [BROKEN]
    watch = later(pipeline, declared, SECOND)
    with watch.watching():
        repair(pipeline)
    assert len(watch.injections) == 1


def test_deleting_what_is_broken_is_a_change_of_it(pipeline: PlayedPipeline) -> None:
    watch = later(pipeline, [BROKEN], SECOND)
    with watch.watching():
        pipeline.service = None
    assert len(watch.injections) == 1


def test_a_watch_that_fails_is_told_when_the_turn_is_over(pipeline: PlayedPipeline) -> None:
    pipeline.status = 500
    watch = later(pipeline, [BROKEN], SECOND)
    with pytest.raises(ClusterError, match="answered 500"), watch.watching():
        pass


def test_without_a_later_fault_nothing_is_watched(pipeline: PlayedPipeline) -> None:
    with later(pipeline, [BROKEN]).watching():
        pass
    assert not pipeline.looked.is_set()


def test_a_first_fault_that_changes_no_object_cannot_be_watched(pipeline: PlayedPipeline) -> None:
    watch = later(pipeline, [DECOY], SECOND)
    with pytest.raises(Refused, match="cannot be seen repaired"), watch.watching():
        pass
