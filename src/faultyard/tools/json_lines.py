"""Answers as lines of JSON, one a finding: easy to read, to cut and to parse."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from faultyard.tools import bounds
from faultyard.tools.arguments import moment, written
from faultyard.tools.errors import Malformed
from faultyard.tools.tool import Answer


def lines(rows: Iterable[Any], nothing: str) -> Answer:
    """Rows as lines of JSON, bounded.

    Args:
        rows: data in JSON's types.
        nothing: what to say when there are none.
    """
    text, cut = bounds.whole_lines(json.dumps(row, ensure_ascii=False) for row in rows)
    return Answer(text or f"[{nothing}]", cut=cut)


def span(tool: str, start: str, end: str) -> tuple[float, float]:
    """Two moments in unix seconds.

    Raises:
        Malformed: the first is not before the second.
    """
    first, last = moment(start), moment(end)
    if first >= last:
        raise Malformed(f"{tool}: start ({written(first)}) is not before end ({written(last)})")
    return first, last
