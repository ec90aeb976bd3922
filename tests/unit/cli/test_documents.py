"""What the documents tell people to type exists, with those options."""

import re
import shlex
from pathlib import Path

import click
import pytest

from faultyard.cli import main

ROOT = Path(main.__file__).parents[3]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[\s`(])(?:bin/)?faultyard ([a-z][^`#\n|]*)")
MAKE = re.compile(r"\bmake ([a-z-]+)")


def code(path: Path) -> list[str]:
    return CODE.findall(path.read_text())


COMMANDS = sorted(
    {
        (path.name, command.strip())
        for path in DOCUMENTS
        for piece in code(path)
        for command in COMMAND.findall(piece)
    }
)
TARGETS = sorted(
    {
        (path.name, name)
        for path in DOCUMENTS
        for piece in code(path)
        for name in MAKE.findall(piece)
    }
)


@pytest.mark.parametrize(("document", "text"), COMMANDS)
def test_a_command_in_the_documents_exists_with_its_options(document: str, text: str) -> None:
    name, *words = shlex.split(text)
    assert name in main.COMMANDS, f"{document}: there is no command {name}"
    command = main.cli.get_command(click.Context(main.cli), name)
    assert command is not None
    own = words[: words.index("--")] if "--" in words else words
    known = {option for each in command.params for option in each.opts} | {"--help", "-h"}
    assert {word.partition("=")[0] for word in own if word.startswith("-")} <= known


@pytest.mark.parametrize(("document", "name"), TARGETS)
def test_a_target_of_make_in_the_documents_exists(document: str, name: str) -> None:
    assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(), re.MULTILINE), document


def test_commands_were_found_at_all() -> None:
    assert {"run", "validate", "verify", "report", "up", "down"} <= {
        text.split()[0] for _, text in COMMANDS
    }
    assert {"demo", "test", "setup"} <= {name for _, name in TARGETS}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_link_in_the_documents_leads_to_a_file(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text()):
        assert (path.parent / target).exists(), target
