"""Settings that name a Service which is not there, or a port that it does not have."""

from __future__ import annotations

from collections.abc import Iterator

from .cluster import SYSTEM, Address, Cluster
from .evidence import Evidence
from .hypotheses import Hypothesis
from .objects import Object


def look(cluster: Cluster) -> Iterator[Hypothesis]:
    """A hypothesis for each address that leads nowhere."""
    seen: set[tuple[str, str]] = set()
    for workload in cluster.workloads.values():
        if workload.namespace in SYSTEM:
            continue
        for address in cluster.addresses(workload):
            found = _judge(cluster, workload, address)
            if found is not None and (address.source, address.key) not in seen:
                seen.add((address.source, address.key))
                yield found


def _judge(cluster: Cluster, workload: Object, address: Address) -> Hypothesis | None:
    service = cluster.find_service(address.host, workload.namespace)
    if service is None or address.port is None:
        return None
    ports = [port["port"] for port in service.at("spec", "ports") or ()]
    if not ports or address.port in ports or service.at("spec", "type") == "ExternalName":
        return None
    expected = None
    if len(ports) == 1:
        expected = address.value.replace(f":{address.port}", f":{ports[0]}")
    said = f"{address.source} {address.key} says {address.value}; {service.ref} has {ports}"
    return Hypothesis(
        component=address.source,
        mechanism="configuration_value_wrong",
        evidence=[Evidence(said, 4.0)],
        setting=address.key,
        observed=address.value,
        expected=expected,
        breaks=frozenset({workload.ref}),
        prose=f"{workload.ref} asks {address.host} at a port that {service.ref} does not have.",
        names=frozenset({service.name, workload.name}),
    )
