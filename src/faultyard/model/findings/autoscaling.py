"""What an autoscaler does, it does for whoever told it to."""

from __future__ import annotations

from faultyard.model.actors import STORED
from faultyard.model.audit import Event
from faultyard.model.case import Case
from faultyard.model.shapes import mapping

_AUTOSCALER = "system:serviceaccount:kube-system:horizontal-pod-autoscaler"
_KIND = "HorizontalPodAutoscaler"


def told_by(case: Case, event: Event) -> list[Event]:
    """Return the suspects' writes to autoscalers that an autoscaler's own write follows from.

    None: it is no autoscaler's write, nobody told it to, or the boundary allows the telling.
    """
    if event.username != _AUTOSCALER or event.subresource != "scale":
        return []
    scaled = case.target(event)
    return [
        act
        for act in case.acts
        if act.effect in STORED
        and act.received <= event.received
        and act.verb not in ("delete", "deletecollection")
        and case.target(act).kind == _KIND
        and case.target(act) not in case.boundary.allowed
        and (act.namespace, _aims_at(case, act)) == (scaled.namespace, (scaled.kind, scaled.name))
    ]


def _aims_at(case: Case, act: Event) -> tuple[str, str]:
    # A patch shows only what it changed: the answer has the whole object.
    bodies = [act.response, act.request, case.any_raw(case.target(act))]
    for body in bodies:
        aim = mapping(mapping(mapping(body).get("spec")).get("scaleTargetRef"))
        if aim:
            return str(aim.get("kind")), str(aim.get("name"))
    return "", ""
