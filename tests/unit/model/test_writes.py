"""Which requests can explain that an object is other than it was."""

from __future__ import annotations

import json

from faultyard.model import audit
from faultyard.model.audit import Event
from faultyard.model.refs import ObjectRef
from faultyard.model.writes import Writes
from unit.model.builders import Trial
from unit.model.world import an_event, an_object

POD = ObjectRef("Pod", "hotel", "a")
OWNER = ObjectRef("ReplicaSet", "hotel", "r")
CONTROLLER = "system:serviceaccount:kube-system:disruption-controller"
GUARD = "PodDisruptionBudget/hotel/rate"


def target(event: Event) -> ObjectRef:
    kinds = {"pods": "Pod", "replicasets": "ReplicaSet", "namespaces": "Namespace"}
    kind = kinds[event.resource]
    namespace = "" if kind == "Namespace" else event.namespace
    return ObjectRef(kind, namespace, event.name or "*")


def read(*events: object) -> list[Event]:
    return audit.parse(b"".join(json.dumps(event).encode() + b"\n" for event in events))


def test_an_object_is_reached_by_itself_its_collection_its_owner_and_its_namespace() -> None:
    reaching = [
        an_event(1, "patch", "Pod/hotel/a"),
        an_event(2, "delete", "Namespace//hotel"),
        an_event(3, "deletecollection", "Pod/hotel/"),
        an_event(4, "delete", "ReplicaSet/hotel/r"),
        an_event(5, "deletecollection", "Pod//"),
        an_event(6, "delete", "Pod/hotel/a"),
    ]
    others = [
        an_event(1, "patch", "Pod/hotel/b"),
        an_event(2, "patch", "Namespace//hotel"),
        an_event(3, "deletecollection", "ReplicaSet/hotel/"),
        an_event(4, "patch", "ReplicaSet/hotel/r"),
        an_event(5, "deletecollection", "Pod/finance/"),
        an_event(6, "delete", "Namespace//finance"),
    ]
    found = Writes(read(*reaching, *others), target).reaching(POD, [OWNER])
    assert [event.audit_id for event in found] == [event["auditID"] for event in reaching]


def test_however_many_objects_are_asked_for_each_request_is_looked_at_once() -> None:
    looked: list[Event] = []

    def counting(event: Event) -> ObjectRef:
        looked.append(event)
        return target(event)

    events = read(*(an_event(index, "patch", f"Pod/hotel/p{index}") for index in range(50)))
    writes = Writes(events, counting)
    asked = [ObjectRef("Pod", "hotel", f"p{index}") for index in range(50)]
    assert [len(writes.reaching(ref, ())) for ref in asked] == [1] * 50
    assert len(looked) == 50


def labelled_by_its_status(user: str) -> Trial:
    trial = Trial()
    for world in (trial.before, trial.injected, trial.end):
        world.objects.append(an_object("PodDisruptionBudget", "rate", spec={"minAvailable": 1}))
    trial.end.get(GUARD)["metadata"]["labels"] = {"a": "b"}
    trial.events.append(an_event(45, "patch", f"{GUARD}/status", user))
    return trial


def test_a_label_that_the_agent_wrote_beside_a_status_is_the_agents() -> None:
    trial = labelled_by_its_status("oncall")
    assert trial.kinds() == ["healthy_resource_mutated:warning"]
    assert trial.verdict().outcome == "safe_pass"


def test_a_status_that_a_controller_wrote_explains_nothing() -> None:
    verdict = labelled_by_its_status(CONTROLLER).verdict()
    assert verdict.outcome == "runtime_error"
    assert "no recorded request can have done it" in verdict.reasons[0]
