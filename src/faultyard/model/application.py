"""The description of an application: the only thing the rest of the code knows about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from faultyard.model import files, yaml_text
from faultyard.model.strict import Strict

Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")]
Port = Annotated[int, Field(ge=1, le=65535)]


class Service(Strict):
    """One component: a Kubernetes Service of this name and the workload behind it."""

    name: Name
    workload: Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z]+/[a-z0-9.-]+$")]
    """Kind/name of what runs it."""
    port: Port
    protocol: Literal[
        "http", "grpc", "memcached", "mongodb", "redis", "sql", "amqp", "kafka", "tcp"
    ]
    role: Literal["service", "cache", "database", "queue"]


class Dependency(Strict):
    """`from` calls `to`; hard: a request of the caller fails without it, soft: it degrades."""

    from_: Annotated[Name, Field(alias="from")]
    to: Name
    hard: bool


class Edge(Strict):
    """Where users reach the application: a Service with a port on every node."""

    service: Name
    port: Port
    node_port: Annotated[int, Field(ge=30000, le=32767)]


class Slos(Strict):
    """What healthy means at the client."""

    success_rate: Annotated[float, Field(gt=0, le=1)]
    """Share of journeys that succeed."""
    p99_ms: Annotated[float, Field(gt=0)]
    """99th percentile of a journey's duration, milliseconds."""


class Load(Strict):
    """The load in every trial."""

    rate_per_s: Annotated[float, Field(gt=0)]
    """Journeys started in a second."""


class ReadBack(Strict):
    """How a write that was acknowledged to a user is looked up again, as that user would.

    Texts may name the write's values, its `id`, and the columns of the user's row as `row.…`.
    """

    journey: Name
    """The journey whose writes these are."""
    table: str
    """The file with users' rows."""
    key: str
    """The column by which a row is found; the write has a value of the same name."""
    path: str
    """Of a GET request at the edge."""
    query: dict[str, str]
    expect: Annotated[dict[str, str], Field(min_length=1)]
    """Place in the JSON answer (`bookings.0.id`) -> what has to be there."""


class Application(Strict):
    """Content of `apps/<name>/app.yaml`."""

    name: Name
    version: str
    """Part of the key of the template: raise it when the deployed state changes."""
    namespace: Name
    title: str
    manifests: str
    """Folder beside app.yaml, applied in the order of file names."""
    images: str
    history: str | None = None
    """The file with past releases; None: every revision is the first."""
    journeys: str
    edge: Edge
    ready_timeout_s: Annotated[int, Field(gt=0)]
    """How long the application may take to become ready, seconds."""
    services: Annotated[list[Service], Field(min_length=1)]
    dependencies: list[Dependency]
    journeys_enter: Name
    """The component in which every journey starts."""
    slos: Slos
    load: Load
    read_back: ReadBack | None = None
    """None: users write nothing that could be lost."""

    @model_validator(mode="after")
    def _names_exist(self) -> Self:
        names = [service.name for service in self.services]
        known = set(names)
        if len(known) != len(names):
            raise ValueError("services: a name occurs twice")
        used = {self.edge.service, self.journeys_enter}
        used |= {end for edge in self.dependencies for end in (edge.from_, edge.to)}
        if used - known:
            raise ValueError(f"not among the services: {', '.join(sorted(used - known))}")
        return self

    def component(self, name: str) -> Service:
        """Return the component of this name.

        Raises:
            KeyError: there is none.
        """
        for service in self.services:
            if service.name == name:
                return service
        raise KeyError(f"{self.name} has no component {name!r}")

    def hard_needs(self, name: str) -> frozenset[str]:
        """Return `name` and every component that it reaches over hard edges."""
        reached, open_ends = {name}, [name]
        while open_ends:
            caller = open_ends.pop()
            for edge in self.dependencies:
                if edge.hard and edge.from_ == caller and edge.to not in reached:
                    reached.add(edge.to)
                    open_ends.append(edge.to)
        return frozenset(reached)


class Journey(BaseModel):
    """One kind of user's visit; the load generator knows its steps, this code its calls."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    calls: list[str]
    """Components that it calls directly through the edge service."""


def journeys_needing(
    application: Application, journeys: Mapping[str, Journey], component: str
) -> frozenset[str]:
    """Return the names of the journeys with a hard path to `component`.

    A journey needs the component in which it enters, those that it calls, and what these
    reach over hard edges. What the edge service itself depends on counts only through `calls`:
    it calls different components in different journeys.

    Raises:
        KeyError: the application has no such component.
    """
    application.component(component)
    return frozenset(
        journey.name
        for journey in journeys.values()
        if component == application.journeys_enter
        or any(component in application.hard_needs(call) for call in journey.calls)
    )


def parse_application(text: str, source: str) -> Application:
    """Read an app.yaml.

    Raises:
        DescriptionError: with file, line and what to do.
    """
    return yaml_text.validate(yaml_text.read(text, source), Application)


def parse_journeys(text: str, source: str, application: Application) -> dict[str, Journey]:
    """Read names and calls of the journeys, in the file's order.

    Raises:
        DescriptionError: no journeys, a name twice, or a call of an unknown component.
    """
    document = yaml_text.read(text, source)
    listed = document.data.get("journeys") if isinstance(document.data, dict) else None
    if not isinstance(listed, list) or not listed:
        raise document.error((), "no `journeys:`", "List at least one journey.")
    found: dict[str, Journey] = {}
    for index, entry in enumerate(listed):
        journey = _journey(document, index, entry)
        if journey.name in found:
            raise document.error(
                ("journeys", index), f"the journey {journey.name!r} occurs twice", "Rename one."
            )
        unknown = set(journey.calls) - {service.name for service in application.services}
        if unknown:
            raise document.error(
                ("journeys", index, "calls"),
                f"calls unknown components: {', '.join(sorted(unknown))}",
                "Name components of app.yaml.",
            )
        found[journey.name] = journey
    return found


def _journey(document: yaml_text.Document, index: int, entry: Any) -> Journey:
    inner = yaml_text.Document(
        document.source,
        entry,
        {
            place[2:]: line
            for place, line in document.lines.items()
            if place[:2] == ("journeys", index)
        },
    )
    return yaml_text.validate(inner, Journey)


def load_application(folder: Path) -> tuple[Application, dict[str, Journey]]:
    """Read an application's folder: its description and its journeys.

    Raises:
        DescriptionError: something is described wrongly.
        OSError: a file cannot be read.
    """
    path = folder / "app.yaml"
    application = parse_application(files.read_text(path), str(path))
    journeys_path = folder / application.journeys
    journeys = parse_journeys(files.read_text(journeys_path), str(journeys_path), application)
    return application, journeys
