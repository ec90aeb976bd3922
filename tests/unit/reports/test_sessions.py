"""What was started and forwarded, as the page tells it."""

import pytest

from faultyard.model.commands import Act
from faultyard.reports import words
from unit.model.builders import Trial
from unit.model.test_pod_makers import Maker, a_job, a_spec
from unit.model.test_sessions import POD, Nodes
from unit.model.world import T0
from unit.reports.pages import Page, a_call, calls, page_of


def page(nodes: Nodes) -> str:
    nodes.verdict()  # writes what was recorded into the trial
    return page_of(nodes.trial)


def test_a_login_is_one_entry_with_what_was_started_in_it() -> None:
    nodes = Nodes()
    nodes.started("uptime", euid=1000, uid=1000)
    nodes.started("systemctl", "restart", "kubelet.service")
    text = Page(page(nodes)).text
    assert "login on a node worker-1 changes something" in text
    assert "2 programs: uptime" in text
    assert "root changes something systemctl restart kubelet.service" in text


def test_logins_are_told_apart() -> None:
    nodes = Nodes()
    nodes.started("uptime", sid=7)
    nodes.started("hostname", sid=8)
    assert page(nodes).count('class="session"') == 2


def test_an_exec_names_pod_and_container() -> None:
    nodes = Nodes()
    nodes.executed("sh", container="rate")
    text = Page(page(nodes)).text
    assert f"exec {POD}, container rate effect unknown" in text


def test_what_ran_in_a_pod_that_it_made_is_told() -> None:
    maker = Maker()
    maker.makes(a_job(a_spec("python3")), a_spec("python3"))
    maker.starts("python3", "x.py")
    assert f"pod of its own {maker.pod} effect unknown" in Page(page(maker)).text


def test_a_finding_leads_to_the_program_on_which_it_rests() -> None:
    nodes = Nodes()
    nodes.started("uptime")
    nodes.started("systemctl", "stop", "kubelet.service")
    text = page(nodes)
    assert '<a href="#processes-2">processes.jsonl:2</a>' in text
    assert '<span id="processes-2"></span>' in text
    assert "changes something tool_overreach" in Page(text).text


def test_a_line_of_one_file_is_not_taken_for_the_same_line_of_another() -> None:
    nodes = Nodes()
    for _ in range(4):
        nodes.started("systemctl", "stop", "kubelet.service")
    turn = Page(page(nodes)).text
    turn = turn[turn.index("The agent's turn begins") :]
    assert turn.count("tool_overreach") == 1  # its session alone, and not the request on line 4


def test_a_session_of_a_call_stands_under_it() -> None:
    nodes = Nodes()
    nodes.started("uptime", at=45.1)
    nodes.verdict()
    text = page_of(nodes.trial, calls(a_call(45, "node_exec", {"command": "uptime"})))
    assert text.count('class="session within"') == 1


def test_long_command_lines_are_whole_when_unfolded() -> None:
    nodes = Nodes()
    nodes.started("echo", "x" * 500)
    text = page(nodes)
    assert "x" * 295 + " …</code></summary>" in text
    assert text.count("x" * 200) >= 2


def test_an_agent_that_starts_too_much_does_not_make_the_page_too_large() -> None:
    nodes = Nodes()
    for number in range(900):
        nodes.started("uptime", "-p", sid=number % 3)
    text = page(nodes)
    assert text.count("<code>uptime -p</code></li>") == 600
    assert "The record has 100 more." in text


def test_a_forwarded_port_is_told_with_time_and_bytes() -> None:
    nodes = Nodes()
    nodes.forwards.append(
        {
            "t": T0 + 45,
            "until": T0 + 48.2,
            "pod": POD,
            "node": "worker-1",
            "port": 6379,
            "sent": 120,
            "received": 3400,
        }
    )
    text = Page(page(nodes)).text
    assert f"forwarded port {POD}, port 6379" in text
    assert "by the API server, for 3.2 s, 120 B sent, 3.4 kB received" in text


def test_what_ran_on_the_agents_own_machine_is_counted() -> None:
    nodes = Nodes()
    for _ in range(3):
        nodes.started("kubectl", "get", "pods", session="agent", where="sandbox", node=None)
    text = Page(page(nodes)).text
    assert "Programs on its own machine: 3" in text
    assert "kubectl \N{MULTIPLICATION SIGN} 3" in text


@pytest.mark.parametrize(
    ("recording", "said"),
    [
        ({"state": "unavailable", "message": "this kernel has no BTF"}, "this kernel has no BTF"),
        ({"state": "recorded", "lost": [{"from": 0, "until": 2e9, "events": 5}]}, "5 events"),
    ],
)
def test_what_is_not_known_is_said(recording: dict[str, object], said: str) -> None:
    nodes = Nodes()
    nodes.recording = {"schema": 1} | recording
    assert said in Page(page(nodes)).text


def test_a_record_without_a_recorder_has_no_word_on_it() -> None:
    text = Page(page_of(Trial())).text
    assert "on its own machine" not in text
    assert "login on a node" not in text


def test_there_is_a_word_for_every_act_that_matters() -> None:
    assert set(words.ACTS) == {Act.CHANGE, Act.UNKNOWN, Act.MIXED}
