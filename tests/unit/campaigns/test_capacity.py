"""How many trials a machine has room for."""

from __future__ import annotations

import pytest

from faultyard.campaigns import capacity


@pytest.mark.parametrize(
    ("cores", "memory_gib", "trials"),
    [
        (2.0, 20.0, 2),
        (1.9, 20.0, 2),
        (1.7, 20.0, 1),
        (0.1, 0.5, 1),
        (16.0, 6.0, 2),
        (16.0, 64.0, 17),
    ],
)
def test_the_scarcer_of_processors_and_memory_decides_and_one_always_runs(
    cores: float, memory_gib: float, trials: int
) -> None:
    assert capacity.fitting(cores, memory_gib) == trials


def test_what_is_free_is_measured_and_within_what_there_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(capacity, "LOOK_S", 0.1)
    assert 0 <= capacity.free_cores() <= 1024
    assert 0 < capacity.free_memory_gib() < 2**20
