from pathlib import Path

from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.artifacts import node_roots
from faultyard.telemetry import shippers, stores

BINARY, FOLDER = Path("/bin/x"), Path("/data")
PROCESSES = (
    stores.prometheus(BINARY, FOLDER / "prometheus.yml", FOLDER),
    stores.object_metrics(BINARY, FOLDER / "kubeconfig"),
    stores.jaeger(BINARY),
    stores.victoria_logs(BINARY, FOLDER),
    stores.log_gateway(BINARY, FOLDER),
)


def listening(process: stores.Process) -> set[str]:
    """The addresses in its arguments."""
    values = {argument.partition("=")[2] for argument in process.argv}
    return {value for value in values if value.startswith(("127.0.0.1:", f"{layout.GATEWAY}:"))}


def test_what_pods_and_nodes_reach_takes_in_and_answers_nothing():
    reached = {
        address
        for process in PROCESSES
        for address in listening(process)
        if address.startswith(layout.GATEWAY)
    }
    assert reached == {
        f"{layout.GATEWAY}:{layout.TRACES_PORT}",
        f"{layout.GATEWAY}:{layout.LOGS_PORT}",
    }


def test_no_process_listens_on_every_address():
    for process in PROCESSES:
        for argument in process.argv:
            value = argument.partition("=")[2]
            assert not value.startswith((":", "0.0.0.0"))


def test_pages_of_the_log_gateway_need_a_key_that_is_another_each_time():
    first, second = (stores.log_gateway(BINARY, FOLDER).argv for _ in range(2))
    keys = [[a for a in argv if "AuthKey=" in a] for argv in (first, second)]
    assert {a.partition("AuthKey=")[0] for a in keys[0]} == {"-flags", "-metrics", "-pprof"}
    assert set(keys[0]).isdisjoint(keys[1])


def test_nodes_ship_their_logs_to_where_the_gateway_takes_them():
    address = f"http://logs.meridian.internal:{layout.LOGS_PORT}/"
    etc = node_roots.OVERLAY / "etc"
    for file in ("systemd/journal-upload.conf", "systemd/system/vlagent.service"):
        assert address in (etc / file).read_text()
    assert "logs.meridian.internal" in layout.SITE_HOSTS


def test_the_collectors_access_lies_where_its_unit_looks():
    unit = (node_roots.OVERLAY / "etc/systemd/system/vlagent.service").read_text()
    assert f"KUBECONFIG={shippers.FOLDER}/kubeconfig" in unit
