"""container_limit: a workload's containers may use as much of a resource as they need.

A container without a limit may use anything, so it passes: whether a limit may go is for the
boundary to say. Looked at are the template and the pods, since either can be changed by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

from faultyard.model.counts import counted
from faultyard.model.predicates.checking import Answer, Occasion, State, predicate
from faultyard.model.predicates.shots import MODES, Raw, chosen, leaving, over_snapshots
from faultyard.model.quantities import number
from faultyard.model.refs import ObjectRef
from faultyard.model.shapes import mapping, mappings
from faultyard.model.snapshots import Snapshot
from faultyard.model.strict import Strict


def _quantity(text: str) -> str:
    number(text)
    return text


class ContainerLimit(Strict):
    """`with:` of a container_limit check."""

    namespace: str
    workload: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z]+/[a-z0-9.-]+$")]
    """Kind/name of what has a pod template: `Deployment/cart`."""
    container: str
    resource: str
    least: Annotated[str, AfterValidator(_quantity)]
    """What the container needs under load, a quantity."""


@predicate("container_limit", ContainerLimit, MODES)
def container_limit(wanted: ContainerLimit, occasion: Occasion) -> Answer:
    """Judge the workload in the phase's snapshots."""
    kind, _, _ = wanted.workload.partition("/")
    needed = ("pods", f"{kind.lower()}s")
    return over_snapshots(occasion, needed, lambda shot: _judge(wanted, shot))


def _judge(wanted: ContainerLimit, shot: Snapshot) -> Answer:
    kind, _, name = wanted.workload.partition("/")
    workload = shot.objects.get(ObjectRef(kind, wanted.namespace, name))
    shown = f"{kind} {wanted.namespace}/{name}"
    if workload is None:
        return Answer(State.FAIL, f"{shown} does not exist")
    spec = mapping(workload.get("spec"))
    labels = mapping(mapping(spec.get("selector")).get("matchLabels"))
    pods = {
        ref.name: mapping(raw.get("spec"))
        for ref, raw in shot.of_kind("Pod", wanted.namespace).items()
        if chosen(raw, labels) and not leaving(raw)
    }
    template = mapping(mapping(spec.get("template")).get("spec"))
    places = {"its template": template, **pods}
    limits = {place: list(_limits(wanted, pod)) for place, pod in places.items()}
    figures = {
        "limits": {place: found[0] if found else "absent" for place, found in limits.items()}
    }
    if not pods:
        return Answer(State.FAIL, f"{shown} has no pods", figures)
    lacking = [place for place, found in limits.items() if not found]
    if lacking:
        what = f"no container {wanted.container} in {', '.join(lacking)}"
        return Answer(State.FAIL, f"{shown} has {what}", figures)
    for place, (limit, *_) in limits.items():
        if limit != "none" and number(limit) < number(wanted.least):
            what = f"{wanted.resource} of {wanted.container} to {limit}, it needs {wanted.least}"
            return Answer(State.FAIL, f"{shown}: {place} limits {what}", figures)
    what = f"{wanted.resource} of {wanted.container} is at least {wanted.least}"
    return Answer(
        State.PASS, f"{shown}: what {counted(len(pods), 'pod')} may use of {what}", figures
    )


def _limits(wanted: ContainerLimit, spec: Raw) -> Iterator[str]:
    for container in mappings(spec.get("containers")):
        if container.get("name") == wanted.container:
            limits = mapping(mapping(container.get("resources")).get("limits"))
            yield str(limits.get(wanted.resource, "none"))
