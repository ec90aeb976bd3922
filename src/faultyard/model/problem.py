"""Problems: one exercise each, described in YAML and rendered for a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, ValidationError, model_validator

from faultyard.model import files, yaml_text
from faultyard.model.errors import DescriptionError
from faultyard.model.parameters import Parameter, draw
from faultyard.model.strict import Strict
from faultyard.model.templates import Scalar, UnknownVariable, substitute
from faultyard.model.truth import GroundTruth, ObjectText
from faultyard.model.vocabulary import FindingKind, Outcome, Severity

SCHEMA = 1
ProblemName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")]
Reason = Annotated[str, StringConstraints(min_length=10)]


class Difficulty(Strict):
    """How hard, and why that is believed."""

    level: Literal["easy", "medium", "hard"]
    reason: Reason
    expert_minutes: Annotated[float, Field(gt=0)]
    """What an expert who knows the application would need, minutes."""


class Fault(Strict):
    """A typed cause and where it is injected."""

    kind: str
    with_: dict[str, Any] = Field(alias="with", default_factory=dict)
    after: Literal["first_repair"] | None = None
    """When in the turn: once the agent has changed what a fault before the turn had changed, as far
    as it had. None: before the turn."""


class Noise(Strict):
    """What goes on from the injection to the end of the trial, and is not the cause."""

    kind: str
    with_: dict[str, Any] = Field(alias="with", default_factory=dict)


class HoldEvent(Strict):
    """What the harness does after the turn, before it looks whether the repair holds."""

    kind: str
    with_: dict[str, Any] = Field(alias="with", default_factory=dict)


class Check(Strict):
    """A predicate over observations, and when it has to hold."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    kind: str
    mode: Literal["at_end", "hold", "throughout"]
    with_: dict[str, Any] = Field(alias="with", default_factory=dict)


class Kept(Strict):
    """A field that may have another value, but has to be there: a limit guards the neighbours."""

    field: str
    at_most: str | int | None = None
    """The largest quantity that still guards anything; none: any does."""


class Allowed(Strict):
    """An object that may be changed, and the fields of it (`*`: all, its existence too)."""

    object: ObjectText
    fields: Annotated[list[str], Field(min_length=1)]
    keep: list[Kept] = Field(default_factory=list)
    """Which of these fields may not go."""


class Relaxation(Strict):
    """A finding's severity in this problem, with the reason for it."""

    finding: FindingKind
    object: ObjectText | None = None
    """Its name may be `*`: any of that kind there, unless it has an entry of its own.
    None: a finding of this kind that is about no single object."""
    severity: Severity
    reason: Reason


class BoundarySpec(Strict):
    """What the agent may change."""

    namespaces: Annotated[list[str], Field(min_length=1)]
    allowed: list[Allowed] = Field(default_factory=list)
    relaxed: list[Relaxation] = Field(default_factory=list)
    nodes: list[Annotated[str, StringConstraints(min_length=1)]] = Field(default_factory=list)
    """Names of the nodes on which commands as root may change something."""


class Accepted(Strict):
    """A difference between *before* and *end* that is a right repair as well."""

    object: ObjectText
    field: str
    reason: Reason


class Limits(Strict):
    """When the turn ends at the latest."""

    turn_s: Annotated[int, Field(gt=0)] = 1800
    """Seconds."""


class Control(Strict):
    """A scripted agent with the verdict it must get."""

    agent: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    script: str | None = None
    """Path inside the problem's folder; none: the agent does nothing."""
    title: str = ""
    """What it does, a clause without subject: "restarts every workload"."""
    expect: Outcome
    findings: list[FindingKind] = Field(default_factory=list)
    """Kinds that must be found; no critical one beside them may be."""


class AttackException(Strict):
    """What an attacker comes to here, where the rule for all problems says something else."""

    agent: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+$")]
    expect: Outcome
    findings: list[FindingKind] = Field(default_factory=list)
    """Kinds that must be found; others may be, too."""
    reason: Reason


class _Body(Strict):
    name: ProblemName
    title: str
    application: str
    difficulty: Difficulty
    alert: Annotated[str, StringConstraints(min_length=20)]
    faults: list[Fault]
    """None: a restraint problem, in which nothing is to be repaired."""
    noise: list[Noise] = Field(default_factory=list)
    hold_events: list[HoldEvent] = Field(default_factory=list)
    ground_truth: GroundTruth
    checks: Annotated[list[Check], Field(min_length=1)]
    boundary: BoundarySpec
    accepted: list[Accepted] = Field(default_factory=list)
    limits: Limits = Limits()
    controls: Annotated[list[Control], Field(min_length=1)]
    attackers: list[AttackException] = Field(default_factory=list)

    @property
    def restraint(self) -> bool:
        """Whether nothing is to be repaired: every check passes, and doing nothing is right."""
        return not self.faults

    @property
    def first_faults(self) -> list[Fault]:
        """Those that are injected before the turn."""
        return [fault for fault in self.faults if fault.after is None]

    @property
    def later_faults(self) -> list[Fault]:
        """Those that come in the turn."""
        return [fault for fault in self.faults if fault.after is not None]

    @model_validator(mode="after")
    def _first_faults_come_first(self) -> Self:
        if self.later_faults and not self.first_faults:
            raise ValueError("faults: one that comes after a repair needs one before it")
        if self.restraint != self.ground_truth.no_fault:
            raise ValueError("no faults and the mechanism no_fault belong together")
        return self

    @model_validator(mode="after")
    def _names_are_single(self) -> Self:
        for what, names in (
            ("checks", [check.name for check in self.checks]),
            ("controls", [control.agent for control in self.controls]),
            ("attackers", [attacker.agent for attacker in self.attackers]),
        ):
            if len(set(names)) != len(names):
                raise ValueError(f"{what}: a name occurs twice")
        return self


class Problem(_Body):
    """Content of a problem.yaml, variables still in it."""

    parameters: dict[str, Parameter] = Field(default_factory=dict)

    def render(self, seed: int) -> RenderedProblem:
        """Return the problem as this seed has it; the same seed always gives the same.

        Raises:
            DescriptionError: an unknown variable, nothing to draw from, or a value that its
                field refuses.
        """
        body = self.model_dump(by_alias=True, exclude={"parameters"}, mode="json")
        try:
            values = draw(self.name, seed, self.parameters)
            rendered = substitute(body, values)
            return RenderedProblem.model_validate(
                {"schema": SCHEMA, **rendered, "seed": seed, "parameters": values}
            )
        except ValidationError as error:
            message = f"seed {seed} gives a problem that is not valid: {error}"
            raise DescriptionError(self.name, message, "Repair the parameters.") from error
        except ValueError as error:
            hint = "Define every variable under `parameters:`, before its first use."
            raise DescriptionError(self.name, str(error), hint) from error


class RenderedProblem(_Body):
    """A problem for one seed: what a trial uses and a record keeps (problem.json)."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    seed: int
    parameters: dict[str, Scalar]

    def environment(self) -> dict[str, str]:
        """Return the parameters as the control scripts' environment variables."""
        return {name.upper(): str(value) for name, value in self.parameters.items()}

    def to_json(self) -> dict[str, Any]:
        """Return the content of problem.json."""
        return self.model_dump(by_alias=True, mode="json")


def parse_problem(text: str, source: str) -> Problem:
    """Read a problem.yaml and try it on one seed, so that every variable is known to exist.

    Raises:
        DescriptionError: with file, line and what to do.
    """
    document = yaml_text.read(text, source)
    problem = yaml_text.validate(document, Problem)
    try:
        problem.render(0)
    except DescriptionError as error:
        cause = error.__cause__
        location = cause.location if isinstance(cause, UnknownVariable) else ()
        raise document.error(location, error.message, error.hint) from error
    return problem


def load_problem(folder: Path) -> tuple[Problem, str]:
    """Read a problem's folder: the problem and the folder's hash.

    Raises:
        DescriptionError: described wrongly, or a control's script is missing.
        OSError: a file cannot be read.
    """
    content = files.read_folder(folder)
    source = str(folder / "problem.yaml")
    if "problem.yaml" not in content:
        raise DescriptionError(source, "no such file", "A problem's folder has a problem.yaml.")
    problem = parse_problem(content["problem.yaml"].decode(), source)
    for control in problem.controls:
        if control.script is not None and control.script not in content:
            raise DescriptionError(
                source,
                f"{control.agent}: no script {control.script}",
                "Write it, or correct the path.",
            )
    return problem, problem_hash(content)


def problem_hash(content: Mapping[str, bytes]) -> str:
    """Return the hash of a problem's folder: paths and contents of its files, sha256, hex."""
    digest = hashlib.sha256()
    for path in sorted(content):
        inner = hashlib.sha256(content[path]).hexdigest()
        digest.update(f"{inner}  {path}\n".encode())
    return digest.hexdigest()
