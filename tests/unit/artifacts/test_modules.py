from dataclasses import replace

from faultyard.clusters.embedded.artifacts import modules
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

TOOLCHAIN = Toolchain("/usr/bin/go", "1.26.8")
AGENT = next(program for program in modules.MODULE_PROGRAMS if program.name == "vlagent")


def test_another_version_or_another_mend_is_another_artifact():
    others = (AGENT, replace(AGENT, version="v1.0.0"), replace(AGENT, mend=None))
    keys = {modules.module_artifact(TOOLCHAIN, program).key for program in others}
    assert len(keys) == 3


def test_programs_of_one_module_have_one_version():
    versions: dict[str, set[str]] = {}
    for program in modules.MODULE_PROGRAMS:
        versions.setdefault(program.module, set()).add(program.version)
    assert all(len(found) == 1 for found in versions.values())
