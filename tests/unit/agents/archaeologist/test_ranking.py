"""What metadata alone tells, and that it is what the archaeologist looks at."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from faultyard.agents.archaeologist import ranking, traces
from faultyard.agents.excavation import FOLDER, NAME, install

Raw = dict[str, Any]
DAY = datetime.fromisoformat("2026-01-10T12:00:00+00:00")
FIELDS = {"f:spec": {"f:ports": {'k:{"port":80,"protocol":"TCP"}': {"f:targetPort": {}}}}}


def stamp(minutes: float) -> str:
    return (DAY + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def an_object(kind: str, name: str, changed: float = -3000, **parts: Any) -> Raw:
    entry = {
        "manager": parts.pop("manager", "deploy"),
        "time": stamp(changed),
        "fieldsV1": parts.pop("fields", FIELDS),
    }
    metadata = {"name": name, "namespace": "shop", "uid": f"{kind}-{name}"}
    metadata |= {"creationTimestamp": stamp(parts.pop("created", -3000)), "managedFields": [entry]}
    return {"kind": kind, "metadata": metadata | parts.pop("metadata", {}), **parts}


def old() -> list[Raw]:
    return [an_object("Service", f"old-{number}") for number in range(30)]


def first(*changed: Raw) -> str:
    objects = [*old(), *changed]
    found = traces.traces(objects)
    order = ranking.ranked(traces.recent(found, traces.now(objects)), found)
    return order[0][1].ref if order else ""


def test_only_what_was_changed_within_the_last_hour_is_looked_at() -> None:
    assert first() == ""
    assert first(an_object("Service", "cart", -90), an_object("Service", "pay", 0)) == (
        "Service/shop/pay"
    )


def test_an_unusual_hand_is_odder_than_a_usual_one() -> None:
    odd = an_object("Service", "cart", -10, manager="kubectl-edit")
    assert first(odd, an_object("Service", "pay", -5)) == "Service/shop/cart"


def test_what_differs_from_the_configuration_applied_last_is_odd() -> None:
    note = json.dumps({"spec": {"port": 80}})
    annotations = {"annotations": {traces.APPLIED: note}}
    odd = an_object("Service", "cart", -10, metadata=annotations, spec={"port": 81, "more": 1})
    same = an_object("Service", "pay", -5, metadata=annotations, spec={"port": 80, "more": 1})
    assert first(odd, same) == "Service/shop/cart"


def test_a_changed_value_is_odder_than_an_addition() -> None:
    more = {"f:metadata": {"f:annotations": {"f:owner": {}}}, **FIELDS}
    added = an_object("Service", "pay", -5, fields=more)
    assert first(an_object("Service", "cart", -10), added) == "Service/shop/cart"


def test_a_new_revision_of_the_same_version_is_odder_than_a_release() -> None:
    objects = []
    for name, versions, minutes in (("cart", ("1", "1"), -10), ("pay", ("1", "2"), -5)):
        objects.append(an_object("Deployment", name, minutes))
        for number, version in enumerate(versions):
            template = {"metadata": {"labels": {traces.VERSION: version}}}
            owner = {"ownerReferences": [{"uid": f"Deployment-{name}"}]}
            revision = {"annotations": {"deployment.kubernetes.io/revision": str(number)}}
            made = -3000 if number == 0 else minutes
            objects.append(
                an_object(
                    "ReplicaSet",
                    f"{name}-{number}",
                    created=made,
                    metadata=owner | revision,
                    spec={"template": template},
                )
            )
    assert first(*objects) == "Deployment/shop/cart"


@pytest.mark.parametrize("names", [("cart-tmp", "pay"), ("old-cart", "pay")])
def test_a_telling_name_is_odd(names: tuple[str, str]) -> None:
    ref = f"ConfigMap/shop/{names[0]}"
    assert first(an_object("ConfigMap", names[0], -10), an_object("ConfigMap", names[1], -5)) == ref


def test_what_controllers_write_is_nobodys_change() -> None:
    follows = an_object("Service", "cart", -1, manager="kube-controller-manager")
    assert first(follows, an_object("Service", "pay", -5)) == "Service/shop/pay"


def test_its_program_looks_at_nothing_but_the_cluster(tmp_path: Path) -> None:
    install(tmp_path)
    brought = {file.name for file in (tmp_path / NAME).iterdir()}
    assert brought == {file.name for file in FOLDER.glob("*.py")}
    text = "".join(file.read_text() for file in (tmp_path / NAME).iterdir())
    assert not [
        word for word in ("faultyard", "call-tool", "logs", "metrics", "ssh") if word in text
    ]
