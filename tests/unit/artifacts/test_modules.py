from dataclasses import replace
from pathlib import Path

import pytest

from faultyard.clusters.embedded.artifacts import modules
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

TOOLCHAIN = Toolchain("/usr/bin/go", "1.26.8")
PROGRAMS = {program.name: program for program in modules.MODULE_PROGRAMS}
AGENT, DATABASE = PROGRAMS["vlagent"], PROGRAMS["ferretdb"]


def test_another_version_or_another_mend_is_another_artifact():
    others = (AGENT, replace(AGENT, version="v1.0.0"), replace(AGENT, mends=()))
    keys = {modules.module_artifact(TOOLCHAIN, program).key for program in others}
    assert len(keys) == 3


def test_each_of_several_mends_counts():
    fewer = [DATABASE, *(replace(DATABASE, mends=[mend]) for mend in DATABASE.mends)]
    keys = {modules.module_artifact(TOOLCHAIN, program).key for program in fewer}
    assert len(DATABASE.mends) == 2
    assert len(keys) == 3


def sources(folder: Path) -> Path:
    for mend in DATABASE.mends:
        (folder / mend.file).parent.mkdir(parents=True)
        (folder / mend.file).write_text(f"first\n{mend.before}\nlast\n")
    for file in DATABASE.files:
        (folder / file).parent.mkdir(parents=True)
    return folder


def test_every_mend_is_made(tmp_path: Path):
    modules.change(DATABASE, sources(tmp_path))
    for mend in DATABASE.mends:
        assert (tmp_path / mend.file).read_text() == f"first\n{mend.after}\nlast\n"


def test_a_source_that_a_mend_does_not_fit_is_an_error(tmp_path: Path):
    last = DATABASE.mends[-1]
    (sources(tmp_path) / last.file).write_text("another release\n")
    with pytest.raises(ArtifactError, match="is not the one that is mended here"):
        modules.change(DATABASE, tmp_path)


def test_programs_of_one_module_have_one_version():
    versions: dict[str, set[str]] = {}
    for program in modules.MODULE_PROGRAMS:
        versions.setdefault(program.module, set()).add(program.version)
    assert all(len(found) == 1 for found in versions.values())
