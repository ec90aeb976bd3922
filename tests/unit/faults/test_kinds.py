"""Functions are found under the names that problems use."""

from __future__ import annotations

import pytest

from faultyard.clusters.errors import Refused
from faultyard.faults.kinds import Kinds


@pytest.fixture
def kinds() -> Kinds:
    made = Kinds("noise")
    for name in ("scan", "backup"):
        made.register(name)(name.upper)
    return made


def test_a_function_is_found_under_its_name_alone(kinds: Kinds) -> None:
    assert kinds.find("backup")() == "BACKUP"
    assert kinds.names == {"backup", "scan"}
    with pytest.raises(Refused, match=r"^no noise of kind Backup; there are: backup, scan$"):
        kinds.find("Backup")


def test_a_name_is_given_once(kinds: Kinds) -> None:
    with pytest.raises(ValueError, match="the noise scan is registered twice"):
        kinds.register("scan")(str)
    assert kinds.find("scan")() == "SCAN"
