"""JSON Schemas of what people write, for editors: `python -m faultyard.model.schemas problem`.

Its output is kept as `problems/schema.json` and `apps/schema.json`; a test says when it is stale.
"""

from __future__ import annotations

import json
import sys
from typing import Final

from pydantic import BaseModel

from faultyard.model.application import Application
from faultyard.model.problem import Problem

_MODELS: Final[dict[str, tuple[type[BaseModel], str]]] = {
    "problem": (Problem, "A problem (problem.yaml)"),
    "application": (Application, "An application (app.yaml)"),
}


def text(name: str) -> str:
    """Return a schema's file content.

    Args:
        name: problem or application.

    Raises:
        KeyError: another name.
    """
    model, title = _MODELS[name]
    schema = model.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
    return json.dumps(head, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in _MODELS:
        sys.exit(f"usage: python -m {__spec__.name} {'|'.join(_MODELS)} > FILE")
    sys.stdout.write(text(sys.argv[1]))
