"""A cell's etcd beside its API server: a real one, on this machine's loopback."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.clusters.embedded import store as stores
from faultyard.clusters.embedded.artifacts import ArtifactError
from faultyard.clusters.embedded.artifacts import ensure as built
from faultyard.clusters.embedded.store import Store
from faultyard.clusters.errors import ClusterError


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where an etcd listens."""
    try:
        program = built(build=False).binary("etcd")
    except ArtifactError:
        pytest.skip("etcd is not built")
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        client, peer = (f"http://127.0.0.1:{each.getsockname()[1]}" for each in (one, two))
    folder = tmp_path_factory.mktemp("etcd")
    argv = [program, f"--data-dir={folder}", "--unsafe-no-fsync", "--log-level=error"]
    argv += [f"--listen-client-urls={client}", f"--advertise-client-urls={client}"]
    argv += [f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"]
    with subprocess.Popen([*argv, f"--initial-cluster=default={peer}"]) as etcd:
        try:
            yield client
        finally:
            etcd.kill()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with Store(url) as made:
        made.wait_serving()
        made.delete("/")
        yield made


def put(store: Store, **values: str) -> None:
    for key, value in values.items():
        pair = {
            "key": stores._b64(f"/registry/{key}".encode()),
            "value": stores._b64(value.encode()),
        }
        store._ask("put", pair)


def held(store: Store) -> dict[str, str]:
    return {entry.key.removeprefix("/registry/"): entry.value for entry in store.entries()}


def test_what_is_there_is_read_page_by_page(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "PAGE", 2)
    values = {f"pods{n}": f"value {n}" for n in range(5)}
    put(store, **values)
    assert held(store) == values
    assert list(held(store)) == sorted(values)


def test_only_values_that_change_are_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "BATCH", 2)
    put(store, a="old 1", b="other", c="old 2", d="old 3")
    before = {entry.key: entry.revision for entry in store.entries()}
    assert store.rewrite(lambda _key, value: value.replace("old", "new")) == 3
    assert held(store) == {"a": "new 1", "b": "other", "c": "new 2", "d": "new 3"}
    after = {entry.key: entry.revision for entry in store.entries()}
    assert [key for key in before if before[key] == after[key]] == ["/registry/b"]


def test_a_value_that_somebody_writes_meanwhile_is_changed_as_it_then_is(store: Store) -> None:
    put(store, a="old", b="old")
    meanwhile = iter(["newer, old"])

    def change(key: str, value: str) -> str:
        for newer in meanwhile if key.endswith("a") else ():
            put(store, a=newer)
        return value.replace("old", "new")

    assert store.rewrite(change) == 2
    assert held(store) == {"a": "newer, new", "b": "new"}


def test_a_value_that_is_written_all_the_time_is_told(store: Store) -> None:
    put(store, a="0", b="old")

    def change(key: str, value: str) -> str:
        if key.endswith("a"):
            put(store, a=str(int(value) + 1))
            return "mine"
        return "new"

    with pytest.raises(ClusterError, match="etcd: /registry/a was written all the time"):
        store.rewrite(change)
    assert held(store) == {"a": str(stores.ATTEMPTS), "b": "new"}


def test_what_begins_alike_is_deleted_and_nothing_beside_it(store: Store) -> None:
    put(store, **{"events/1": "x", "events/2": "x", "events0": "x", "event": "x"})
    assert store.delete(stores.EVENTS) == 2
    assert sorted(held(store)) == ["event", "events0"]


def test_an_etcd_that_is_not_there_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    with (
        Store(nobody) as store,
        pytest.raises(ClusterError, match=r"no answer from etcd \(range\)"),
    ):
        list(store.entries())
