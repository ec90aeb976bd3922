"""JSON Schemas of what people write, for editors: `python -m faultyard.model.schemas problem`.

Its output is kept as `problems/schema.json`, `apps/schema.json` and `docs/diagnosis.schema.json`;
a test says when it is stale.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, Final

from faultyard.model.application import Application
from faultyard.model.diagnosis.submission import json_schema
from faultyard.model.problem import Problem

_SCHEMAS: Final[dict[str, tuple[Callable[[], dict[str, Any]], str]]] = {
    "problem": (Problem.model_json_schema, "A problem (problem.yaml)"),
    "application": (Application.model_json_schema, "An application (app.yaml)"),
    "diagnosis": (json_schema, "A diagnosis, as an agent submits it"),
}


def text(name: str) -> str:
    """Return a schema's file content.

    Args:
        name: problem, application or diagnosis.

    Raises:
        KeyError: another name.
    """
    make, title = _SCHEMAS[name]
    schema = make()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title}
    return json.dumps(head, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in _SCHEMAS:
        sys.exit(f"usage: python -m {__spec__.name} {'|'.join(_SCHEMAS)} > FILE")
    sys.stdout.write(text(sys.argv[1]))
