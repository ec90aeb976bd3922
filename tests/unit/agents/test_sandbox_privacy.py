"""What an agent may be shown of the host."""

from __future__ import annotations

from pathlib import Path

import pytest

from faultyard.agents.errors import UsageError
from faultyard.agents.processes import Program
from faultyard.agents.sandbox import Sandbox
from faultyard.clusters.embedded.namespaces import Namespaces


@pytest.fixture
def private(tmp_path: Path) -> Path:
    folder = tmp_path / "data/state"
    (folder / "cells").mkdir(parents=True)
    return folder


def show(path: Path, private: Path) -> None:
    """Ask for a mount; the refusal comes before anything is started."""
    sandbox = Sandbox(Namespaces(0, 0, "cell"), "cell/agent", (private,))
    program = Program(["true"], mounts={path: "/srv/agent"})
    sandbox.run(program, limit_s=1, stdout=Path("/dev/null"), stderr=Path("/dev/null"))


@pytest.mark.parametrize("relative", [".", "cells", "..", "../.."])
def test_neither_a_private_folder_nor_what_is_around_it_is_shown(
    relative: str, private: Path
) -> None:
    with pytest.raises(UsageError, match="cannot be shown"):
        show(private / relative, private)


def test_a_link_to_a_private_folder_is_not_shown(private: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(private)
    with pytest.raises(UsageError, match="cannot be shown"):
        show(link, private)


def test_what_is_not_there_is_not_shown(private: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no"):
        show(tmp_path / "none", private)
