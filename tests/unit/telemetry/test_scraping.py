import re
from pathlib import Path
from typing import Any

import pytest

from faultyard.clusters.embedded import layout
from faultyard.telemetry import scraping


@pytest.fixture
def configuration() -> dict[str, Any]:
    return scraping.configuration(Path("/pki"), Path("/rules.yml"), Path("/synthetic.json"))


def jobs(configuration: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {job["job_name"]: job for job in configuration["scrape_configs"]}


def kept(job: dict[str, Any], metric: str) -> bool:
    """Whether a metric survives the job's rules on names."""
    for rule in job["metric_relabel_configs"]:
        if rule["source_labels"] != ["__name__"]:
            continue
        fits = re.fullmatch(rule["regex"], metric) is not None
        if fits != (rule["action"] == "keep"):
            return False
    return True


def test_every_kind_of_metrics_has_its_job(configuration: dict[str, Any]):
    assert set(jobs(configuration)) == {
        "apiserver",
        "kubelet",
        "cadvisor",
        "node-exporter",
        "coredns",
        "pods",
        "kube-state-metrics",
        "synthetic",
    }


@pytest.mark.parametrize(
    ("job", "metric"),
    [
        ("apiserver", "apiserver_request_total"),
        ("kubelet", "kubelet_volume_stats_used_bytes"),
        ("cadvisor", "container_cpu_cfs_throttled_periods_total"),
        ("cadvisor", "container_memory_working_set_bytes"),
        ("node-exporter", "node_systemd_unit_state"),
        ("coredns", "coredns_dns_responses_total"),
        ("pods", "requests_duration_seconds_bucket"),
        ("pods", "go_goroutines"),
        ("kube-state-metrics", "kube_pod_status_ready"),
        ("synthetic", "client_journeys_total"),
    ],
)
def test_what_tells_of_a_failure_is_kept(configuration: dict[str, Any], job: str, metric: str):
    assert kept(jobs(configuration)[job], metric)


@pytest.mark.parametrize(
    ("job", "metric"),
    [
        ("apiserver", "apiserver_request_duration_seconds_bucket"),
        ("cadvisor", "machine_cpu_cores"),
        ("pods", "go_memstats_alloc_bytes"),
        ("synthetic", "go_info"),
        ("node-exporter", "go_info"),
    ],
)
def test_what_costs_memory_or_tells_of_the_host_is_dropped(
    configuration: dict[str, Any], job: str, metric: str
):
    assert not kept(jobs(configuration)[job], metric)


def test_no_store_that_answers_questions_listens_on_an_address_of_the_cell(
    configuration: dict[str, Any],
):
    for address in (layout.METRICS, layout.TRACES, layout.LOGS, layout.OBJECT_METRICS):
        assert address.startswith("127.0.0.1:")
    targets = scraping.synthetic_targets()[0]["targets"]
    assert targets == [layout.CLIENT_METRICS]
    assert layout.CLIENT_METRICS.startswith("127.0.0.1:")


def test_no_target_shows_that_it_runs_beside_prometheus(configuration: dict[str, Any]):
    groups = jobs(configuration)["kube-state-metrics"]["static_configs"]
    for group in (*groups, *scraping.synthetic_targets()):
        assert "127.0.0.1" not in group["labels"]["instance"]
