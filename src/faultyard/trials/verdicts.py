"""A trial's verdict as it was given, beside its record: for people, and to be compared with later.

No rule reads it: the verdict on a record is always worked out from its observations.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from faultyard.model.errors import DescriptionError
from faultyard.model.regrading import Given
from faultyard.model.verdict import Verdict


def file_of(record: Path) -> Path:
    """The file of a record's verdict; not in its folder, which is sealed."""
    place = record.resolve()
    return place.with_name(f"{place.name}.verdict.json")


def write(record: Path, verdict: Verdict) -> None:
    """Write a record's verdict in one step."""
    target = file_of(record)
    made = target.with_name(f".{target.name}.new")
    made.write_text(json.dumps(verdict.to_json(), indent=1) + "\n", encoding="utf-8")
    made.replace(target)


def read(record: Path) -> Given | None:
    """What a record got before; None: nothing lies beside it.

    Raises:
        DescriptionError: what lies there is no verdict.
    """
    file = file_of(record)
    if not file.exists():
        return None
    try:
        return Given.model_validate_json(file.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        said = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        hint = "Take the file away, or write it anew with `faultyard regrade --write`."
        raise DescriptionError(str(file), said, hint) from error
