from __future__ import annotations

import pytest

from faultyard.tools import kubectl, nodes
from faultyard.tools.errors import Declined, Malformed
from faultyard.tools.running import Finished, answer
from unit.tools.fakes import FakeRunner


def test_a_failure_is_told_with_standard_error_and_exit_code() -> None:
    said = answer(Finished(b"half", b"Error: no\n", 1), 60, 1000)
    assert said.is_error
    assert said.text == "half\n[standard error]\nError: no\n[exit code 1]"


def test_a_warning_on_standard_error_is_no_failure() -> None:
    said = answer(Finished(b"a\n", b"Warning: old API\n", 0), 60, 1000)
    assert not said.is_error
    assert said.text == "a\n[standard error]\nWarning: old API"


def test_what_was_ended_at_its_limit_says_so_and_is_no_failure() -> None:
    said = answer(Finished(b"line\n", b"", None), 5, 1000)
    assert not said.is_error
    assert said.text == "line\n[ended after 5 s, its timeout_s; it had not ended by itself]"


def test_nothing_printed_is_said() -> None:
    assert answer(Finished(b"", b"", 0), 60, 1000).text == "[it printed nothing]"


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert answer(Finished(b"\xff\xfe\n", b"", 0), 60, 1000).text == "\ufffd\ufffd\n"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("get pods -A", ["get", "pods", "-A"]),
        ("kubectl get pods", ["get", "pods"]),
        ("exec web -- sh -c 'ls | wc'", ["exec", "web", "--", "sh", "-c", "ls | wc"]),
        (["exec", "web", "--", "|"], ["exec", "web", "--", "|"]),
        ('get pods -l "a in (b, c)"', ["get", "pods", "-l", "a in (b, c)"]),
    ],
)
def test_words_are_split_as_a_shell_would(given: str | list[str], found: list[str]) -> None:
    assert kubectl.words(given) == found


@pytest.mark.parametrize("word", ["&&", ";", "2>&1", "<<"])
def test_words_for_a_shell_are_refused(word: str) -> None:
    with pytest.raises(Malformed, match="no shell"):
        kubectl.words(f"get pods {word} x")


def test_nothing_after_the_nodes_name_is_an_option_of_ssh() -> None:
    runner = FakeRunner()
    tool = nodes.tool(runner, ["worker-1"])
    tool.act(tool.parse({"node": "worker-1", "command": "-oProxyCommand=id", "stdin": "x"}))
    assert runner.ran == [(["ssh", "-T", "--", "worker-1", "-oProxyCommand=id"], b"x", 60)]


def test_a_node_that_lets_nobody_in_is_no_exit_code_of_the_command() -> None:
    runner = FakeRunner(lambda _a, _b: Finished(b"", b"Connection refused\n", 255))
    tool = nodes.tool(runner, ["worker-1"])
    with pytest.raises(Declined, match="no session on worker-1: Connection refused"):
        tool.act(tool.parse({"node": "worker-1", "command": "id"}))
