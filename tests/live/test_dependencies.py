"""The dependency graph of an application is what its users meet when a component is gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faultyard.apps import applications, deployment
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.load.generator import LoadGenerator
from faultyard.model.application import journeys_needing
from live import kube, loads
from live.shared import Deployed

OBSERVED_S = 20
IN_EVERY_RUN = ("rate", "memcached-profile", "mongodb-user")
"""A service, a cache and a database; the other components are tried by `make test-long`."""
COMPONENTS = [
    pytest.param(service.name, marks=() if service.name in IN_EVERY_RUN else (pytest.mark.long,))
    for service in applications.find("hotel").description.services
]


@pytest.fixture(scope="module")
def load(
    hotel: Deployed, artifacts: Artifacts, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LoadGenerator]:
    """The load on hotel through all tests of this file."""
    folder = tmp_path_factory.mktemp("load")
    running = loads.generator(hotel.cell, hotel.application, artifacts, folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def without(request: pytest.FixtureRequest, hotel: Deployed, load: LoadGenerator) -> Iterator[str]:
    """Take the component that the test is about away, and bring it back afterwards."""
    component = str(request.param)
    description = hotel.application.description
    workload = description.component(component).workload
    place = ("-n", description.namespace)
    loads.wait_healthy(load, timeout_s=90)
    replicas = kube.get(hotel.cell, workload, *place)["spec"]["replicas"]
    kube.kubectl(hotel.cell, "scale", workload, *place, "--replicas=0")
    kube.wait_no_ready_address(hotel.cell, description.namespace, component)
    yield component
    kube.kubectl(hotel.cell, "scale", workload, *place, f"--replicas={replicas}")
    deployment.roll_out(hotel.cell, workload, description.namespace, description.ready_timeout_s)
    loads.wait_healthy(load, timeout_s=90)


@pytest.mark.cost(55)
@pytest.mark.parametrize("without", COMPONENTS, indirect=True)
def test_without_a_component_the_journeys_that_need_it_fail_and_all_others_succeed(
    without: str, hotel: Deployed, load: LoadGenerator
) -> None:
    application = hotel.application
    needing = journeys_needing(application.description, application.journeys, without)
    seen = loads.observe(load, OBSERVED_S, application.journeys)
    assert {name: figures.unreliable() for name, figures in seen.items()} == dict.fromkeys(seen)
    rates = {name: figures.success_rate or 0.0 for name, figures in seen.items()}
    assert {name for name, rate in rates.items() if rate < 0.5} == needing, loads.shown(seen)
    served = {name for name, rate in rates.items() if rate >= 0.99}
    assert served == rates.keys() - needing, loads.shown(seen)
