"""Ground truth: what a right diagnosis says, and what else is as right.

A problem states the cause and the few things that cannot be worked out. Spelling of objects,
fields and values, callers that suffer with the cause, and what users see are derived.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from faultyard.model import mechanisms
from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.strict import Strict

ObjectText = Annotated[str, StringConstraints(pattern=r"^[^/]+/[^/]*/[^/]+$")]


def _mechanism(name: str) -> str:
    """A term, or a variable whose value is one: the problem of a seed has the term itself."""
    return name if name.startswith("${") else mechanisms.known(name)


Mechanism = Annotated[str, AfterValidator(_mechanism)]


class Equivalents(Strict):
    """Answers that are accepted beside the one that is stated."""

    components: list[ObjectText] = Field(default_factory=list)
    """Other objects that are as right; pods of a workload and slices of a Service are so anyway."""
    settings: list[str] = Field(default_factory=list)
    """Other words for the setting; shorter and longer paths to the same field are so anyway."""
    observed: list[Any] = Field(default_factory=list)
    expected: list[Any] = Field(default_factory=list)
    mechanisms: list[Mechanism] = Field(default_factory=list)


class TrueCause(Strict):
    """One cause."""

    component: ObjectText | None = None
    """The object in which it lies; none only with the mechanism no_fault."""
    setting: str | None = None
    """The field, or the resource within the component; none: there is none to name."""
    expected: Any = None
    """What should be there (`absent`: nothing should); none: it is not asked for."""
    observed: Any = None
    """What is there (`absent`: nothing is); none: it is not asked for."""
    mechanism: Mechanism
    also: Equivalents = Equivalents()
    neighbours: list[Mechanism] = Field(default_factory=list)
    """Kinds that are easily taken for this one here, beside those that the vocabulary knows."""
    breaks: list[str] | None = None
    """Application components that it takes away; default: the one to which the object belongs."""

    @model_validator(mode="after")
    def _names_a_component(self) -> Self:
        if (self.component is None) != (self.mechanism == mechanisms.NO_FAULT):
            raise ValueError(
                "name a component, or the mechanism no_fault without component, not both"
            )
        return self

    @property
    def components(self) -> tuple[str, ...]:
        """The objects that are a right answer."""
        stated = () if self.component is None else (self.component,)
        return (*stated, *self.also.components)

    @property
    def mechanisms(self) -> frozenset[str]:
        """The terms that are a right answer."""
        return frozenset((self.mechanism, *self.also.mechanisms))

    @property
    def neighbouring(self) -> frozenset[str]:
        """The terms that are wrong but near."""
        near = mechanisms.NEIGHBOURS[self.mechanism].union(self.neighbours)
        return near - self.mechanisms


class TraceQuery(Strict):
    """What a search for traces asks."""

    service: str
    tags: dict[str, str] = Field(default_factory=dict)
    min_duration_ms: Annotated[int, Field(ge=0)] = 0


class Evidence(Strict):
    """Where the fault shows to somebody who knows where to look.

    A query finds something while the fault is there, and nothing while the application is well.
    """

    signal: Literal["metrics", "logs", "traces", "objects"]
    query: str | TraceQuery
    """In the language of the tool: PromQL, LogsQL, a search for traces, kubectl's arguments."""
    shows: Annotated[str, StringConstraints(min_length=10)]
    """One sentence."""
    silent: bool = False
    """The signal does not show this fault: the query finds nothing at any time, which leads away
    from other causes."""

    @model_validator(mode="after")
    def _is_a_query_of_its_signal(self) -> Self:
        if (self.signal == "traces") != isinstance(self.query, TraceQuery):
            raise ValueError("traces are asked by service, tags, min_duration_ms; all else by text")
        return self


class GroundTruth(TrueCause):
    """What a right diagnosis says: one cause, or several with `others`."""

    others: list[TrueCause] = Field(default_factory=list)
    """Further causes that are independent of the first."""
    later: list[TrueCause] = Field(default_factory=list)
    """Causes that come in the turn: a diagnosis may name them, and need not."""
    affected: list[str] | None = None
    """What has to be named as affected, objects or components; default: whoever calls, directly
    or not, what the causes break, over hard edges of the dependency graph."""
    also_affected: list[str] = Field(default_factory=list)
    """What may be named as affected beside that; soft callers may be anyway."""
    consequences: list[ObjectText] = Field(default_factory=list)
    """Objects in which the fault shows but does not lie; what is affected is so anyway."""
    healthy: list[ObjectText] = Field(default_factory=list)
    """Objects that look as if they were the cause, and are well."""
    evidence: list[Evidence] = Field(default_factory=list)
    """Where it shows, at least once for each signal."""
    impact: list[Impact] = Field(default_factory=list)
    """What befalls users beside what the load generator measures."""

    @model_validator(mode="after")
    def _no_fault_stands_alone(self) -> Self:
        if len(self.causes) > 1 and any(cause.component is None for cause in self.causes):
            raise ValueError("no_fault stands alone")
        return self

    @property
    def causes(self) -> tuple[TrueCause, ...]:
        """Every cause, the first first."""
        return (self, *self.others)

    @property
    def no_fault(self) -> bool:
        """Whether nothing is broken."""
        return self.component is None
