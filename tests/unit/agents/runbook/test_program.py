"""What the investigator's program is made of, and that it speaks MCP."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError

from faultyard.agents import investigator, library
from faultyard.agents.runbook.tools import Connection
from faultyard.apps import applications
from faultyard.tools.running import Finished
from faultyard.trials import problems
from unit.tools.conftest import Offer, offer
from unit.tools.fakes import TOKEN, FakeRunner

__all__ = ["offer"]
SOURCES = sorted(investigator.PACKAGE.glob("*.py"))


def literals(path: Path) -> tuple[set[str], set[int]]:
    """The words of a source's texts, and its numbers."""
    found, numbers = set(), set()
    for node in ast.walk(ast.parse(path.read_text())):
        value = node.value if isinstance(node, ast.Constant) else None
        if isinstance(value, str):
            found |= set(re.findall(r"[a-z]\w*(?:-\w+)*", value.lower()))
        elif isinstance(value, int):
            numbers.add(value)
    return found, numbers


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_it_names_no_application_service_port_or_problem(path: Path) -> None:
    said, numbers = literals(path)
    generic = {"user", "rate"}  # as PromQL and accounts have them
    taken: set[str] = set()
    for file in applications.ROOT.glob("apps/*/app.yaml"):
        name, described = file.parent.name, applications.find(file.parent.name).description
        taken |= {name, *(service.name for service in described.services)}
        ports = {service.port for service in described.services}
        assert not ports & numbers
        assert not {str(port) for port in ports} & said
    taken |= {part for name in problems.names() for part in name.split("/")}
    assert sorted((taken - generic) & said) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_it_imports_its_own_modules_the_standard_library_and_the_client_alone(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, "mcp", "httpx2"}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {each.name.split(".")[0] for each in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert str(node.module).split(".")[0] in allowed


@pytest.fixture(scope="module")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is brought in, in a folder; not to be changed."""
    folder = tmp_path_factory.mktemp("brought")
    investigator.install(folder)
    return folder


def test_nothing_that_is_brought_in_names_the_harness(brought: Path) -> None:
    telling = re.compile(rb"faultyard|/var/cache|\.building")
    files = [path for path in brought.rglob("*") if path.is_file()]
    assert len(files) > 300
    assert [path for path in files if telling.search(path.read_bytes())] == []


def test_what_is_brought_in_runs_with_the_systems_python_alone(brought: Path) -> None:
    environment = {"PYTHONPATH": str(brought), "PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [library.PYTHON, "-c", "import runbook.__main__, sys; print(sys.modules['mcp'].__file__)"],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(str(brought)), done.stderr


def test_a_package_is_needed_with_the_extras_that_are_asked_for() -> None:
    found = {distribution.metadata["Name"] for distribution in library.needed(library.CLIENT)}
    assert {"mcp", "pydantic_core", "cryptography"} <= found
    assert not {"pytest", "mypy", "click_extra"} & found


def test_the_connection_lists_and_calls_tools(offer: Offer) -> None:
    served = offer(runner=FakeRunner(lambda _argv, _stdin: Finished(b"pod/a\n", b"", 0)))
    with Connection(served.server.url, TOKEN) as tools:
        assert tools.alert == "The alert."
        assert "kubectl" in tools.names
        assert tools.call("kubectl", args=["get", "pods"]).text == "pod/a\n"
        assert tools.call("report_cause").failed
        assert tools.call("metrics_query", query="up").failed
    assert [line["tool"] for line in served.logged()] == ["kubectl", "report_cause"]


def test_a_connection_that_is_refused_raises(offer: Offer) -> None:
    served = offer()
    with pytest.raises(MCPError, match="error response"):
        Connection(served.server.url, "wrong").__enter__()
