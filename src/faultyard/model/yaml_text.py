"""YAML with places: values together with the lines they stand on.

Authors of problems get their mistakes back as file and line. PyYAML alone drops the lines
and lets a key that occurs twice silently win.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from faultyard.model.errors import DescriptionError

Location = tuple[str | int, ...]
ModelT = TypeVar("ModelT", bound=BaseModel)
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C one is ten times as fast; a PyYAML that was built without libyaml has none."""


@dataclass(frozen=True)
class Document:
    """A YAML file's content and the line of every value in it (1-based)."""

    source: str
    data: Any
    lines: Mapping[Location, int]

    def line(self, location: Sequence[str | int]) -> int | None:
        """Return the line of the deepest known part of `location`."""
        for length in range(len(location), -1, -1):
            line = self.lines.get(tuple(location[:length]))
            if line is not None:
                return line
        return None

    def error(self, location: Sequence[str | int], message: str, hint: str) -> DescriptionError:
        """Return an error that points at `location`."""
        return DescriptionError(self.source, message, hint, self.line(location))


def read(text: str, source: str) -> Document:
    """Parse one YAML document.

    Args:
        text: the file's text.
        source: the file's name, for messages.

    Raises:
        DescriptionError: broken YAML, or a key that occurs twice in one mapping.
    """
    lines: dict[Location, int] = {}
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return Document(source, None, lines)
        _collect(node, (), lines, source)  # before keys are merged, which changes the nodes
        return Document(source, loader.construct_document(node), lines)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        problem = error.problem or "broken YAML"
        raise DescriptionError(source, problem, "Repair the YAML.", line) from error
    finally:
        loader.dispose()


def load(text: str) -> Any:
    """The values of one YAML document.

    Raises:
        yaml.YAMLError: broken YAML.
    """
    return yaml.load(text, Loader=_LOADER)


def load_all(text: str) -> list[Any]:
    """The values of each of a file's YAML documents.

    Raises:
        yaml.YAMLError: broken YAML.
    """
    return list(yaml.load_all(text, Loader=_LOADER))


def dump(data: Any) -> str:
    """Return values as YAML for people: keys in their order, texts of several lines as blocks."""
    return yaml.dump(data, Dumper=_ForPeople, sort_keys=False, allow_unicode=True, width=100)


class _ForPeople(yaml.SafeDumper):
    """Writes a text of several lines as it reads."""

    def represent_str(self, data: str) -> yaml.ScalarNode:
        """A block, if the text has lines."""
        return self.represent_scalar("tag:yaml.org,2002:str", data, "|" if "\n" in data else None)


_ForPeople.add_representer(str, _ForPeople.represent_str)


def validate(document: Document, model: type[ModelT]) -> ModelT:
    """Turn a document into `model`.

    Raises:
        DescriptionError: the first thing that does not fit, with its line.
    """
    try:
        return model.model_validate(document.data)
    except ValidationError as error:
        raise explain(document, error) from error


def explain(document: Document, error: ValidationError) -> DescriptionError:
    """Return a pydantic error as one that names file, line and field."""
    first = error.errors()[0]
    location = first["loc"]
    field = ".".join(str(part) for part in location) or "the file"
    others = error.error_count() - 1
    more = f" ({others} more after this one)" if others else ""
    return document.error(
        location,
        f"{field}: {first['msg']}{more}",
        "The schema beside the folders lists every field.",
    )


def _collect(node: yaml.Node, place: Location, lines: dict[Location, int], source: str) -> None:
    lines[place] = node.start_mark.line + 1
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _collect(item, (*place, index), lines, source)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*place, str(key.value))
            if inner in lines:
                raise DescriptionError(
                    source,
                    f"the key {key.value!r} occurs twice",
                    "Keep one.",
                    key.start_mark.line + 1,
                )
            _collect(value, inner, lines, source)
            lines[inner] = key.start_mark.line + 1
