"""Who serves nobody while a fault lasts."""

from __future__ import annotations

from typing import Any

import pytest

from unit.model.diagnosis.examples import of

STORE, RATE = "StatefulSet/hotel/mongodb-rate", "Service/hotel/rate"


@pytest.mark.parametrize(
    ("truth", "idle"),
    [
        ({"component": STORE}, {"mongodb-rate", "rate", "search"}),
        ({"component": RATE}, {"rate", "search"}),
        ({"component": "Service/hotel/search"}, {"search"}),  # others of the edge's requests go on
        ({"component": "Service/hotel/frontend"}, {"frontend"}),
        ({"component": "Service/hotel/memcached-rate"}, {"memcached-rate"}),  # nobody needs it
        ({"component": "ResourceQuota/hotel/q", "breaks": ["profile"]},
         {"ResourceQuota/hotel/q", "profile"}),
        ({"component": RATE, "later": [{"component": "Service/hotel/user",
                                        "mechanism": "service_port_mismatch"}]},
         {"rate", "search", "user"}),
    ],
)  # fmt: skip
def test_what_is_taken_away_and_who_can_do_nothing_without_it_serve_nobody(
    truth: dict[str, Any], idle: set[str]
) -> None:
    assert of(mechanism="service_port_mismatch", **truth).scope.idle == idle


def test_where_nothing_is_broken_everybody_serves() -> None:
    assert of(mechanism="no_fault").scope.idle == frozenset()
