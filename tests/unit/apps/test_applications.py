"""Applications on disk: their past releases, and what their manifests have to hold."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from faultyard.apps import applications
from faultyard.clusters.errors import Refused
from faultyard.model.refs import ref_of

HOTEL = applications.find("hotel")


def test_past_releases_are_whole_deployments_of_other_pods_and_run_none() -> None:
    own = {ref_of(item): item for item in HOTEL.objects()}
    releases = HOTEL.releases()
    assert [len(release) for release in releases] == [12, 4]
    for item in (item for release in releases for item in release):
        today = own[ref_of(item)]
        assert item["spec"]["replicas"] == 0
        assert item["spec"]["selector"] == today["spec"]["selector"]
        assert item["spec"]["template"] != today["spec"]["template"]


def test_every_image_of_a_past_release_is_built() -> None:
    built = {
        f"registry.meridian.internal:5000/{image['repository']}:{tag}"
        for image in yaml.safe_load((HOTEL.folder / "images.yaml").read_text())["images"]
        for tag in image["tags"]
    }
    for release in HOTEL.releases():
        for item in release:
            for container in item["spec"]["template"]["spec"]["containers"]:
                assert container["image"] in built


def test_a_history_of_an_object_that_is_not_there_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "hotel"
    folder.mkdir()
    for path in HOTEL.folder.iterdir():
        (folder / path.name).symlink_to(path)
    (folder / "history.yaml").unlink()
    lost = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "lost"}}
    text = yaml.safe_dump({"history": [{"title": "None", "objects": [lost]}]})
    (folder / "history.yaml").write_text(text)
    with pytest.raises(Refused, match=r"history\.yaml is not a list `history`"):
        applications.find(str(folder)).releases()
