"""Services whose selector takes no pod although a workload is meant."""

from __future__ import annotations

import json
from collections.abc import Iterator

from . import writes
from .cluster import Cluster, selects
from .evidence import Evidence
from .hypotheses import Hypothesis
from .objects import Object, dig
from .repairs import Repair


def look(cluster: Cluster) -> Iterator[Hypothesis]:
    """A hypothesis for each Service that selects nothing."""
    for service in cluster.services.values():
        selector = service.at("spec", "selector") or {}
        if not selector or any(
            selects(selector, _labels(each))
            for each in cluster.workloads.values()
            if each.namespace == service.namespace
        ):
            continue
        meant = _meant(cluster, service, selector)
        if meant is not None and not cluster.selected(service):
            yield _hypothesis(service, selector, meant)


def _labels(workload: Object) -> dict[str, str]:
    return dig(workload.fields, "spec", "template", "metadata", "labels") or {}


def _meant(cluster: Cluster, service: Object, selector: dict[str, str]) -> Object | None:
    """The workload that is meant: of the Service's name, or the only one with a label of it."""
    near = [each for each in cluster.workloads.values() if each.namespace == service.namespace]
    for each in near:
        if each.name == service.name:
            return each
    shared = [each for each in near if set(selector.items()) & set(_labels(each).items())]
    return shared[0] if len(shared) == 1 else None


def _hypothesis(service: Object, selector: dict[str, str], meant: Object) -> Hypothesis:
    labels = _labels(meant)
    wanted = dict(meant.at("spec", "selector", "matchLabels") or {})
    kept = {key: value for key, value in selector.items() if labels.get(key) == value}
    expected = kept or {key: value for key, value in wanted.items() if labels.get(key) == value}
    wrong = sorted(set(selector) - set(kept))
    said = f"{service.ref} selects {json.dumps(selector)}, which no pod has"
    return Hypothesis(
        component=service.ref,
        mechanism="service_selector_mismatch",
        evidence=[
            Evidence(said, 3.0),
            Evidence(f"the pods of {meant.ref} differ in {', '.join(wrong)}", 1.0),
        ],
        setting="spec.selector",
        observed=selector,
        expected=expected,
        breaks=frozenset({meant.ref}),
        prose=f"{said}; the pods of {meant.ref} are what it should lead to.",
        repair=_repair(service, selector, expected),
        names=frozenset({service.name, meant.name}),
    )


def _repair(service: Object, selector: dict[str, str], expected: dict[str, str]) -> Repair:
    path = "/spec/selector"
    return Repair(
        title=f"set the selector of {service.ref} to {json.dumps(expected)}",
        justified="these are labels of the pods that it should lead to",
        act=writes.replace(service, path, selector, expected),
        holds=lambda tools: bool(writes.ready_ports(tools, service)),
        undo=writes.replace(service, path, expected, selector),
        timeout_s=60,
    )
