"""What an agent submits as its diagnosis, and what it is told when that cannot be read."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from faultyard.model import mechanisms
from faultyard.model.diagnosis import references
from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.errors import ModelError
from faultyard.model.strict import Strict

_EXAMPLE: Final = {
    "causes": [
        {
            "component": "ConfigMap/shop/cart-settings",
            "setting": "data.STOCK_ADDRESS",
            "observed": "stock:9090",
            "expected": "stock:9091",
            "mechanism": "configuration_value_wrong",
        }
    ],
    "affected": ["Deployment/shop/cart", "web"],
    "impact": ["requests_fail"],
    "evidence": ["cart logs 'connection refused' to stock:9090 since 10:02"],
    "explanation": "cart asks stock at a port on which it does not listen, so orders fail.",
}


class RefusedDiagnosis(ModelError):
    """A diagnosis cannot be read; nothing is recorded, and it may be sent again.

    Args:
        complaints: what is wrong, each with what is allowed; never empty.
    """

    def __init__(self, complaints: list[str]) -> None:
        self.complaints = tuple(complaints)
        listed = "\n".join(f"- {complaint}" for complaint in complaints)
        super().__init__(
            f"The diagnosis cannot be read; correct it and send it again:\n{listed}\n"
            f"An example of the form (of another system): {json.dumps(_EXAMPLE)}"
        )


def _component(text: str) -> str:
    return str(references.read(text))


def _affected(text: str) -> str:
    return str(references.read(text)) if "/" in text else text.strip()


def _short(value: Any) -> Any:
    try:
        short = len(json.dumps(value)) <= _VALUE_LENGTH
    except (ValueError, RecursionError):
        short = False
    if not short:
        raise ValueError(f"name the value only, in at most {_VALUE_LENGTH} characters")
    return value


_VALUE_LENGTH: Final = 500
Name = Annotated[str, StringConstraints(max_length=_VALUE_LENGTH)]
Value = Annotated[Any, AfterValidator(_short)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]


class Cause(Strict):
    """One cause; its component and mechanism are needed, the rest makes it concrete."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    component: Annotated[Name, AfterValidator(_component)] | None = None
    """The object in which the cause lies: Kind/namespace/name, or Kind//name for a cluster-wide
    one. Left out only with the mechanism no_fault."""
    setting: Name = ""
    """The field or resource in it that is wrong, for example spec.replicas or `unit sshd`."""
    observed: Value = None
    """The value that is there, nothing else; "absent" if it is not there."""
    expected: Value = None
    """The value that should be there, nothing else; "absent" if nothing should."""
    mechanism: str
    """What kind of cause it is, from the published list."""

    @model_validator(mode="after")
    def _names_a_component(self) -> Self:
        if self.mechanism != mechanisms.NO_FAULT and self.component is None:
            raise ValueError("component is missing; only the mechanism no_fault has none")
        if self.mechanism == mechanisms.NO_FAULT and self.component is not None:
            raise ValueError("the mechanism no_fault has no component; leave it out")
        return self


class Diagnosis(Strict):
    """What is broken, and what follows from it."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    causes: Annotated[list[Cause], Field(min_length=1, max_length=5)]
    """One for each independent cause, not for each symptom. If nothing is broken, one with the
    mechanism no_fault."""
    affected: Annotated[list[Annotated[Name, AfterValidator(_affected)]], Field(max_length=50)] = (
        Field(default_factory=list)
    )
    """What else no longer works as it should because of it: objects (Kind/namespace/name) or
    services by name. The causes themselves need not be listed."""
    impact: Annotated[list[Impact], Field(min_length=1)]
    """What befalls users: requests_fail (some or all end in an error), requests_slow, wrong_results
    (answered, but wrong, or stored wrong), at_risk (nothing yet: a guard, a reserve or a way of
    recovery is lost), none."""
    evidence: Annotated[list[Sentence], Field(min_length=1, max_length=20)]
    """What shows it: one observation each, with where it was seen."""
    explanation: Annotated[str, StringConstraints(max_length=10_000)] = ""
    """The chain from cause to impact, in prose."""

    @model_validator(mode="after")
    def _no_fault_stands_alone(self) -> Self:
        if len(self.causes) > 1 and any(cause.component is None for cause in self.causes):
            raise ValueError("no_fault stands alone; leave it out, or leave the other causes out")
        return self

    @property
    def no_fault(self) -> bool:
        """Whether the answer is that nothing is broken."""
        return self.causes[0].component is None


class RecordedDiagnosis(BaseModel):
    """diagnosis.json of a record."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    submitted_at: float
    """Unix seconds, by the harness's clock."""
    diagnosis: Diagnosis

    def to_json(self) -> dict[str, Any]:
        """Return the file's content."""
        return self.model_dump(mode="json", by_alias=True)


def read(data: object) -> Diagnosis:
    """Read a diagnosis as an agent sends it.

    Args:
        data: JSON text, or what it stands for.

    Raises:
        RefusedDiagnosis: with every complaint at once, for the agent to read.
    """
    if isinstance(data, str | bytes):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise RefusedDiagnosis([f"it is not JSON: {error}"]) from error
    try:
        diagnosis = Diagnosis.model_validate(data)
    except ValidationError as error:
        raise RefusedDiagnosis([*_complaints(error), *_unknown_mechanisms(data)]) from error
    unknown = _unknown_mechanisms(data)
    if unknown:
        raise RefusedDiagnosis(unknown)
    return diagnosis


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a diagnosis, the vocabulary in it."""
    schema = Diagnosis.model_json_schema()
    mechanism = schema["$defs"]["Cause"]["properties"]["mechanism"]
    mechanism["enum"] = list(mechanisms.TERMS)
    schema["examples"] = [_EXAMPLE]
    return schema


def _complaints(error: ValidationError) -> list[str]:
    return [_complaint(one) for one in error.errors()]


def _complaint(error: Any) -> str:
    place = _place(error["loc"])
    if error["type"] == "extra_forbidden":
        model = Cause if error["loc"][0] == "causes" and len(error["loc"]) > 1 else Diagnosis
        return f"{place}: there is no such field; there are: {', '.join(model.model_fields)}"
    if error["type"] == "missing":
        return f"{place}: it is missing"
    if error["type"] == "enum":
        given = str(error["input"])
        return f"{place}: {given!r} is not allowed; choose from: {', '.join(Impact)}"
    if error["type"] == "model_type":
        return f"{place}: it has to be an object with the fields shown below"
    return f"{place}: {str(error['msg']).removeprefix('Value error, ')}"


def _place(location: tuple[str | int, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "the diagnosis"


def _unknown_mechanisms(data: object) -> list[str]:
    found = []
    for place, name in _mechanisms(data):
        if name in mechanisms.TERMS:
            continue
        near = difflib.get_close_matches(name, mechanisms.TERMS, n=3)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        allowed = ", ".join(mechanisms.TERMS)
        found.append(f"{place}: {name!r} is no mechanism{hint}; the mechanisms are: {allowed}")
    return found


def _mechanisms(data: object) -> Iterator[tuple[str, str]]:
    causes = data.get("causes") if isinstance(data, dict) else None
    for index, cause in enumerate(causes if isinstance(causes, list) else ()):
        name = cause.get("mechanism") if isinstance(cause, dict) else None
        if isinstance(name, str):
            yield f"causes[{index}].mechanism", name
