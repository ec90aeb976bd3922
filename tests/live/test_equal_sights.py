"""What an agent could see before the injection is the same, whatever the problem is."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from faultyard.agents import registry
from faultyard.clusters.embedded import layout
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.errors import ClusterError
from faultyard.trials import problems
from faultyard.trials.trial import Trial, TrialSettings
from live import observations

NAMES = ("hotel/wrong-target-port", "hotel/webhook-blocks-pods")
"""One whose checks only look, and one whose checks try what guards have a say in."""
SEED = 4
ENOUGH = "seen"
OFTEN = 10
SCRAPED_S = 35
"""Everything is scraped at least once in so many seconds (`telemetry/scraping.py`)."""


@dataclass
class Sighted(Trial):
    """A trial that ends before the injection, when all there is to see was looked at."""

    seen: dict[str, list[str]] = field(default_factory=dict)

    def _inject(self) -> None:
        while time.time() < self.timeline.times["prepared"] + SCRAPED_S:
            time.sleep(0.5)
        with self.cell.entered(), httpx.Client(timeout=30, trust_env=False) as http:
            self.seen["metrics"] = _metrics(http)
            self.seen["alerts"] = _alerts(http)
            self.seen["logs"] = _logs(http)
        for node in self.cell.nodes:
            name = node.place.name
            self.seen[f"{name} packages"] = node.run(["dpkg-query", "-W"]).splitlines()
            images = node.run(["/usr/local/bin/crictl", "images", "-o", "json"])
            self.seen[f"{name} images"] = sorted(
                tag for image in json.loads(images)["images"] for tag in image["repoTags"]
            )
        raise ClusterError(ENOUGH)


def _metrics(http: httpx.Client) -> list[str]:
    """Names of what is measured now: of the start it is chance what a scrape has caught."""
    query = {"query": 'count by (__name__) ({__name__!=""})'}
    answer = http.get(f"http://{layout.METRICS}/api/v1/query", params=query).raise_for_status()
    return sorted(series["metric"]["__name__"] for series in answer.json()["data"]["result"])


def _alerts(http: httpx.Client) -> list[str]:
    answer = http.get(f"http://{layout.METRICS}/api/v1/alerts").raise_for_status().json()
    return sorted(f"{a['labels']['alertname']} {a['state']}" for a in answer["data"]["alerts"])


def _logs(http: httpx.Client) -> list[str]:
    """Templates of the services' lines, what is left without numbers; of rare ones it is chance
    whether they have come yet. Databases tell of each connection that was cut off."""
    where = 'kubernetes.pod_namespace=~"hotel|platform"'
    of = f'{{{where},kubernetes.container_name!="mongodb"}}'
    query = f"{of} | collapse_nums prettify | stats by (_msg) count() n"
    answer = http.post(f"http://{layout.LOGS}/select/logsql/query", data={"query": query})
    lines = [json.loads(line) for line in answer.raise_for_status().text.splitlines()]
    return sorted(str(line.get("_msg", "")) for line in lines if int(line["n"]) >= OFTEN)


@pytest.mark.long
@pytest.mark.cost(200)
def test_two_problems_show_the_same_before_their_faults(
    artifacts: Artifacts, tmp_path: Path
) -> None:
    seen = []
    for number, name in enumerate(NAMES):
        found, folder = problems.find(name), tmp_path / str(number)
        agent = registry.choose("noop", found.problem.render(SEED), found.folder)
        trial = Sighted(TrialSettings(found, agent, SEED, folder), artifacts)
        trial.run()
        assert [error["message"] for error in trial.errors] == [ENOUGH]
        seen.append({**observations.of_record(folder), **trial.seen})
    assert len(seen[0]["metrics"]) > 100
    assert len(seen[0]["objects"]) > 300
    assert len(seen[0]["logs"]) > 0
    assert observations.differences(*seen) == []
