from pathlib import Path

import pytest
from vmcheck import machine, steps
from vmcheck.__main__ import Level, told
from vmcheck.agent import Agent


def page(*levels: Level, accelerated: bool = True) -> str:
    agent = Agent(Path("/nowhere"), 1)
    return told(levels, machine.Machine(agent, accelerated, Path("/nowhere"), 9.0), 1.2, 2)


def test_the_result_says_of_every_level_whether_it_was_reached() -> None:
    text = page(Level("doctor", True, 12.3, "a\nall | well\n"), Level("up", False, 99, ""))
    assert "| doctor | yes | 12 | all \\| well |" in text
    assert "| up | **no** | 99 |  |" in text
    assert "KVM, 2 processors" in text


def test_the_result_says_that_the_clock_of_an_emulated_machine_was_slowed() -> None:
    assert "ran 1 times slower" in page()
    text = page(accelerated=False)
    assert "emulated, without KVM" in text
    assert f"ran {machine.SLOWER} times slower" in text


@pytest.mark.parametrize("accelerated", [True, False])
def test_what_was_started_is_removed_at_the_end_whatever_failed(accelerated: bool) -> None:
    *before, last = steps.steps(accelerated=accelerated)
    assert last.clears_up
    assert not any(step.clears_up for step in before)
    assert (steps.AGENT in before) == accelerated


def test_scripts_get_the_patience_and_the_number_of_nodes() -> None:
    script = steps.filled(steps.UP, patience=2.5, nodes=3)
    assert "FAULTYARD_PATIENCE=2.5" in script
    assert "faultyard up --nodes 3\n" in script
    assert "{seconds}" not in steps.filled(steps.POD, patience=2, nodes=1)


def test_a_machine_without_a_socket_does_not_answer() -> None:
    assert not Agent(Path("/nowhere"), 1).answers()
