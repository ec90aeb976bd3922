"""Programs that other people's Go modules hold, built from a copy of the module.

So their own go.mod and go.sum decide what is linked, as in their releases, and a line can be mended
where a program does not fit.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from faultyard.clusters.embedded.artifacts.artifact import Artifact, Build, Lane
from faultyard.clusters.embedded.artifacts.errors import ArtifactError
from faultyard.clusters.embedded.artifacts.programs import output_of, run
from faultyard.clusters.embedded.artifacts.toolchain import Toolchain

VICTORIA_LOGS = "github.com/VictoriaMetrics/VictoriaLogs"
VICTORIA_LOGS_VERSION = "v1.52.1"


@dataclass(frozen=True)
class Mend:
    """One change to a module's sources."""

    file: Path
    """Relative to the module."""
    before: str
    after: str


@dataclass(frozen=True)
class ModuleProgram:
    """One program of a module."""

    name: str
    title: str
    module: str
    version: str
    package: str
    """Within the module: "./…"."""
    expected_s: float
    """How long its build takes on the reference machine after those before it, in seconds."""
    mends: Sequence[Mend] = ()
    files: Mapping[Path, str] = field(default_factory=dict)
    """Files that the module lacks, with their content."""


MODULE_PROGRAMS = (
    # It refuses to start unless a file of its own module names the version. This last version of
    # the v1 line asks for a document's `_id` by an expression other than the one that it has
    # indexed, so that SQLite reads the whole table each time.
    # Its SQLite driver (modernc.org/sqlite 1.32.0; mended in 1.40.1, with another SQLite) leaves
    # the statement open when a query's time (`maxTimeMS`) is over just as its first row is there.
    # SQLite forgets an interrupt when no statement is open, so this connection answers
    # "interrupted (9)" for ever, and the pool hands out first what came back last: everything
    # fails. Here a query runs to its first row; what comes after still looks at the time.
    ModuleProgram(
        name="ferretdb",
        title="FerretDB",
        module="github.com/FerretDB/FerretDB",
        version="v1.24.2",
        package="./cmd/ferretdb",
        expected_s=80,
        mends=(
            Mend(
                Path("internal/backends/sqlite/metadata/metadata.go"),
                """IDColumn = DefaultColumn + "->'$._id'\"""",
                """IDColumn = DefaultColumn + "->'_id'\"""",
            ),
            Mend(
                Path("internal/util/fsql/db.go"),
                "db.sqlDB.QueryContext(ctx, query, args...)",
                "db.sqlDB.QueryContext(context.WithoutCancel(ctx), query, args...)",
            ),
        ),
        files={Path("build/version/version.txt"): "v1.24.2\n"},
    ),
    ModuleProgram(
        name="victoria-logs",
        title="VictoriaLogs",
        module=VICTORIA_LOGS,
        version=VICTORIA_LOGS_VERSION,
        package="./app/victoria-logs",
        expected_s=25,
    ),
    # Outside a pod it would take the first node of the cluster for its own.
    ModuleProgram(
        name="vlagent",
        title="VictoriaLogs' agent",
        module=VICTORIA_LOGS,
        version=VICTORIA_LOGS_VERSION,
        package="./app/vlagent",
        expected_s=8,
        mends=(
            Mend(
                Path("app/vlagent/kubernetescollector/kubernetes.go"),
                "return getCurrentNodeNameLocal(ctx, client)",
                "return os.Hostname()",
            ),
        ),
    ),
    ModuleProgram(
        name="jaeger",
        title="Jaeger, all in one",
        module="github.com/jaegertracing/jaeger",
        version="v1.76.0",
        package="./cmd/all-in-one",
        expected_s=150,
    ),
)


def module_artifact(toolchain: Toolchain, program: ModuleProgram) -> Artifact:
    """The artifact of one program: a folder with the binary."""

    def build(build: Build) -> None:
        environment = toolchain.environment(build.cache)
        module = f"{program.module}@{program.version}"
        argv: Sequence[str] = [toolchain.go, "mod", "download", "-json", module]
        folder = json.loads(output_of(argv, build.log, env=environment))["Dir"]
        copy = build.scratch / "source"
        # The module cache is read-only, and so would be a plain copy of it.
        subprocess.run(["cp", "-r", "--no-preserve=mode", folder, str(copy)], check=True)
        change(program, copy)
        argv = [toolchain.go, "build", "-trimpath", "-ldflags", "-s -w"]
        binary = build.target / program.name
        run([*argv, "-o", binary, program.package], build.log, cwd=copy, env=environment)

    inputs = {"go": toolchain.version, "version": program.version}
    if program.mends:
        inputs["mended"] = "\n".join(mend.after for mend in program.mends)
    return Artifact(
        name=program.name,
        title=program.title,
        inputs=inputs,
        build=build,
        lane=Lane.GO,
        expected_s=program.expected_s,
    )


def change(program: ModuleProgram, copy: Path) -> None:
    """Mend a copy of the program's module.

    Raises:
        ArtifactError: the sources are not those that are mended here.
    """
    for file, content in program.files.items():
        (copy / file).write_text(content)
    for mend in program.mends:
        mended = copy / mend.file
        text = mended.read_text()
        if mend.before not in text:
            raise ArtifactError(
                f"{mend.file} of {program.title} is not the one that is mended here"
            )
        mended.write_text(text.replace(mend.before, mend.after))
