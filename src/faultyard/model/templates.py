"""`${name}` in the texts of a problem, replaced by what the seed has drawn.

A text that is nothing but one variable takes the variable's type: `"${port}"` becomes a
number. Everywhere else the value is written into the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

Scalar = str | int | float | bool
_VARIABLE = re.compile(r"\$\{([^}]*)\}")


class UnknownVariable(ValueError):
    """A text uses a variable that no parameter defines.

    Args:
        name: the variable.
        location: keys and indices that lead to the text.
    """

    def __init__(self, name: str, location: tuple[str | int, ...]) -> None:
        self.name = name
        self.location = location
        super().__init__(f"unknown variable ${{{name}}}")


def substitute(
    value: Any, variables: Mapping[str, Scalar], location: tuple[str | int, ...] = ()
) -> Any:
    """Return `value` with every variable replaced, in keys of mappings too.

    Args:
        value: JSON-like data.
        variables: name -> value.
        location: where `value` stands, for errors.

    Raises:
        UnknownVariable: a variable without a value.
    """
    if isinstance(value, str):
        return _text(value, variables, location)
    if isinstance(value, list):
        return [substitute(item, variables, (*location, i)) for i, item in enumerate(value)]
    if isinstance(value, dict):
        return {
            str(_text(key, variables, location)): substitute(item, variables, (*location, key))
            for key, item in value.items()
        }
    return value


def _text(text: str, variables: Mapping[str, Scalar], location: tuple[str | int, ...]) -> Scalar:
    for name in _VARIABLE.findall(text):
        if name not in variables:
            raise UnknownVariable(name, location)
    whole = _VARIABLE.fullmatch(text)
    if whole:
        return variables[whole.group(1)]
    return _VARIABLE.sub(lambda found: str(variables[found.group(1)]), text)
