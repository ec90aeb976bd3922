"""Nodes pull images from the cell's registry, and cannot pull what is not there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.waiting import wait_for
from live import kube
from live.shared import Deployed

REGISTRY = "registry.meridian.internal:5000/"
REQUEST = re.compile(
    r'"(?:HEAD|GET) /v2/(\S+?)/(manifests|blobs)/([^? ]+)\S* \S+ (\d+) \d+ "" "containerd/v2'
)


def images_of(hotel: Deployed) -> set[str]:
    """Repositories and tags of all pods of the application, without the registry's name."""
    pods = kube.get(hotel.cell, "pods", "-n", hotel.application.description.namespace)["items"]
    containers = [
        container
        for pod in pods
        for container in (*pod["spec"]["containers"], *pod["spec"].get("initContainers", ()))
    ]
    assert all(container["image"].startswith(REGISTRY) for container in containers)
    return {container["image"].removeprefix(REGISTRY) for container in containers}


@pytest.mark.cost(3)
def test_nodes_that_had_no_image_of_hotel_pulled_each_from_the_registry(hotel: Deployed) -> None:
    assert [node for node, images in hotel.stored_before.items() if "hotel/" in images] == []
    log = (hotel.cell.paths.log / "registry.log").read_bytes()[hotel.pulls_from :].decode()
    found = {match[:3] for match in REQUEST.findall(log) if match[3] == "200"}
    manifests = {f"{repository}:{name}" for repository, kind, name in found if kind == "manifests"}
    layers = {name for _, kind, name in found if kind == "blobs"}
    wanted = images_of(hotel)
    assert wanted - manifests == set()
    assert len(wanted) > 8
    assert len(layers) > len(wanted)  # each image has a configuration of its own


@pytest.fixture
def wrong_tag(cell: Cell) -> Iterator[str]:
    """A pod whose image has a tag that was never pushed."""
    pod = kube.toolbox_pod("misnamed", container={"image": f"{REGISTRY}toolbox:13"})
    kube.apply(cell, pod)
    yield "misnamed"
    kube.kubectl(cell, "delete", "pod", "misnamed", "--now")


@pytest.mark.cost(8)
def test_a_tag_that_is_not_there_is_an_image_pull_error(cell: Cell, wrong_tag: str) -> None:
    def look() -> tuple[str | None, str]:
        status = kube.get(cell, "pod", wrong_tag)["status"]
        waiting = [c["state"].get("waiting") for c in status.get("containerStatuses", ())]
        failed = [w for w in waiting if w and w["reason"] in ("ErrImagePull", "ImagePullBackOff")]
        return (failed[0]["reason"] if failed else None), f"{waiting}"

    assert wait_for("the pull to fail", look, timeout_s=60, every_s=0.5)
    log = (cell.paths.log / "registry.log").read_text()
    assert ("toolbox", "manifests", "13", "404") in REQUEST.findall(log)
