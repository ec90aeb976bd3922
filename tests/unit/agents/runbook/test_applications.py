"""The applications of this repository, as their manifests describe them, are read rightly."""

from __future__ import annotations

import pytest

from faultyard.agents.runbook.cluster import Cluster
from faultyard.apps import applications
from faultyard.apps.applications import ApplicationFolder
from unit.agents.runbook import played
from unit.agents.runbook.played import Manifest, Played, nodes_answer
from unit.agents.runbook.test_hypotheses import suspected

NAMES = sorted(file.parent.name for file in applications.ROOT.glob("apps/*/app.yaml"))


def installed(application: ApplicationFolder) -> list[Manifest]:
    """All objects of an application, with one pod for each workload."""
    found = [played.node("node-1"), played.node("node-2"), *application.objects()]
    for each in list(found):
        each["metadata"].setdefault("creationTimestamp", played.STAMP)
        if each["kind"] in {"Deployment", "StatefulSet"}:
            meta, template = each["metadata"], each["spec"]["template"]
            owner = {"kind": each["kind"], "name": meta["name"]}
            pod = played.pod(meta["name"], owner, template["spec"]["containers"][0])
            pod["metadata"] |= {"labels": template["metadata"]["labels"]}
            pod["metadata"]["namespace"] = meta["namespace"]
            found.append(pod)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_suspected_of_an_application_that_is_well(name: str) -> None:
    found = applications.find(name)
    ports = tuple(service.port for service in found.description.services)
    tools = Played(installed(found), node=nodes_answer(ports))
    services = frozenset(service.name for service in found.description.services)
    assert suspected(Cluster(tools), services) == []


@pytest.mark.parametrize("name", NAMES)
def test_who_depends_on_whom_is_read_as_the_description_has_it(name: str) -> None:
    found = applications.find(name)
    seen = Cluster(Played(installed(found)))
    edges = {
        (caller.split("/")[-1], target.split("/")[-1])
        for caller, targets in seen.calls.items()
        for target in targets
        # Its neighbours in the cluster depend on it too.
        if f"/{found.description.namespace}/" in caller
    }
    assert edges == {(each.from_, each.to) for each in found.description.dependencies}
