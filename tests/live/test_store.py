"""Objects are rewritten where they are stored, beside an API server that serves them."""

from __future__ import annotations

import json

import pytest

from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.embedded.control_plane import ETCD
from faultyard.clusters.embedded.store import Store

MAPS = "/api/v1/namespaces/default/configmaps"
KEY = "/registry/configmaps/default/"


@pytest.mark.cost(3)
def test_what_somebody_else_writes_meanwhile_is_kept_and_all_others_see_the_change(
    cell: Cell,
) -> None:
    tried = []
    with cell.entered(), cell.api() as api, Store(ETCD) as store:
        body = {"metadata": {"name": "rewritten"}, "data": {"mine": "1", "theirs": "1"}}
        api.post(MAPS, {"apiVersion": "v1", "kind": "ConfigMap", **body})

        def change(key: str, value: str) -> str:
            if key != f"{KEY}rewritten":
                return value
            tried.append(value)
            if len(tried) == 1:
                api.patch(f"{MAPS}/rewritten", {"data": {"theirs": "2"}})
            item = json.loads(value)
            item["data"]["mine"] = "2"
            return json.dumps(item)

        try:
            assert store.rewrite(change, KEY) == 1
            assert api.get(f"{MAPS}/rewritten")["data"] == {"mine": "2", "theirs": "2"}
            assert len(tried) == 2
            assert store.delete(f"{KEY}rewritten") == 1
            assert api.request("GET", f"{MAPS}/rewritten").status_code == 404
        finally:
            api.delete(f"{MAPS}/rewritten")


@pytest.mark.cost(1)
def test_everything_is_found_page_by_page(cell: Cell) -> None:
    with cell.entered(), Store(ETCD) as store:
        keys = [entry.key for entry in store.entries()]
        assert len(keys) > 200
        assert keys == sorted(set(keys))
        assert [e.key for e in store.entries("/registry/namespaces/default")] == [
            "/registry/namespaces/default"
        ]
