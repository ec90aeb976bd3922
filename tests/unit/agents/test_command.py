from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.agents.command import WrongCommand, build, covers_a_part, passed_through


def test_a_command_keeps_arguments_variables_and_folders(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    program = build(["python3", "main.py"], {"MODEL": "small"}, [tmp_path]).program
    assert program.argv == ("python3", "main.py")
    assert program.env == {"MODEL": "small"}
    assert program.mounts == {tmp_path: str(tmp_path)}


def test_a_command_without_a_program_is_refused_with_an_example() -> None:
    with pytest.raises(WrongCommand, match="-- python3 "):
        build([], {}, [])


def test_a_variable_of_the_sandbox_cannot_be_replaced() -> None:
    with pytest.raises(WrongCommand, match="KUBECONFIG"):
        build(["true"], {"KUBECONFIG": "/x"}, [])


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WrongCommand, match="no such file"):
        build(["true"], {}, [tmp_path / "none"])


def test_a_folder_that_the_agents_user_cannot_read_is_refused_with_the_remedy(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(WrongCommand, match=f"chmod -R o.rX {tmp_path}"):
        build(["true"], {}, [tmp_path])


@pytest.mark.parametrize(
    "path", ["/", "/home", "/home/oncall/x", "/etc", "/proc/1", "/usr/bin/python3", "/usr/local"]
)
def test_nothing_may_lie_over_a_part_of_the_sandbox(path: str) -> None:
    assert covers_a_part(Path(path))


@pytest.mark.parametrize("path", ["/srv/agent", "/root/agent", "/usr/local/lib/node", "/opt/agent"])
def test_other_places_are_free(path: str) -> None:
    assert not covers_a_part(Path(path))


@pytest.mark.parametrize(
    "name", ["/bin/sh", "/usr/bin/env", "sh", "kubectl", "resolve", "/usr/local/bin/call-tool"]
)
def test_a_program_that_the_sandbox_shows_can_be_the_agent(name: str) -> None:
    assert build([name], {}, []).program.argv == (name,)


@pytest.mark.parametrize(
    "name",
    [
        "/nosuch/agent.sh",
        "/usr/bin/no-such-agent",
        "/usr/bin",
        "/usr/local/bin/agent",
        "/etc/passwd",
        "/bin/../srv/agent.sh",
        "no-such-agent",
        "./agent.sh",
        "cd",
    ],
)
def test_a_program_that_the_sandbox_does_not_show_is_refused_with_what_it_shows(name: str) -> None:
    with pytest.raises(WrongCommand, match=r"It shows this machine's /usr .*--mount FOLDER"):
        build([name], {}, [])


def test_a_program_below_a_folder_that_is_shown_can_be_the_agent(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    agent = tmp_path / "agent.sh"
    agent.write_text("#!/bin/sh\n")
    with pytest.raises(WrongCommand, match="is no program for everybody"):
        build([str(agent)], {}, [tmp_path])
    agent.chmod(0o755)
    assert build([str(agent)], {}, [tmp_path]).program.argv == (str(agent),)
    with pytest.raises(WrongCommand, match="has no program"):
        build([str(agent)], {}, [])


def test_a_variable_that_is_not_set_cannot_be_handed_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MODEL", "small")
    monkeypatch.delenv("OTHER_MODEL", raising=False)
    assert passed_through(["MODEL"]) == {"MODEL": "small"}
    with pytest.raises(WrongCommand, match="OTHER_MODEL"):
        passed_through(["MODEL", "OTHER_MODEL"])
