"""Looking up again what users wrote: at the edge, as they would, when everything else is over."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from faultyard.load.errors import LoadError
from faultyard.model import cluster_json, templates
from faultyard.model.application import ReadBack
from faultyard.model.ledger import Acknowledged, Found, variables

MOST = 300
"""So many are looked up, spread over the whole time."""
DEADLINE_S = 2.0
"""What is not asked for by then is not asked for: an application that hangs tells nothing."""
PATIENCE_S = 2.0
"""For one answer, and for a connection."""
AT_ONCE = 8
STRIDE = 7
MOST_BYTES = 64 * 1024
"""Of an answer; a longer one is none to the question."""
TRIES = 2


def read_back(
    how: ReadBack, data_dir: Path, targets: Sequence[str], written: Sequence[Acknowledged]
) -> list[Found]:
    """Ask the application for what it acknowledged; call it in the network of its users.

    Args:
        how: the application's description says so.
        data_dir: the folder that its tables are relative to.
        targets: addresses of the edge, host:port, that are asked in turns.
        written: what was acknowledged.

    Raises:
        LoadError: a write's user is in no table.
    """
    rows = _rows(data_dir / how.table, how.key)
    own = [entry for entry in written if entry.journey == how.journey]
    chosen = [own[i * len(own) // min(MOST, len(own))] for i in range(min(MOST, len(own)))]
    queries = [_query(how, rows, entry) for entry in chosen]
    until = time.monotonic() + DEADLINE_S
    found: dict[int, Found] = {}

    def ask(place: int) -> None:
        if time.monotonic() < until:
            url = f"http://{targets[place % len(targets)]}{how.path}"
            found[place] = _ask(http, url, queries[place], chosen[place].id)

    # Threads that are started here are in the network of whoever calls.
    with (
        httpx.Client(timeout=PATIENCE_S, trust_env=False) as http,
        ThreadPoolExecutor(AT_ONCE) as pool,
    ):
        # Whatever is asked for by the deadline is spread over the whole time.
        order = [place for first in range(STRIDE) for place in range(first, len(chosen), STRIDE)]
        list(pool.map(ask, order))
    return [found[place] for place in sorted(found)]


def _query(
    how: ReadBack, rows: Mapping[str, Mapping[str, Any]], entry: Acknowledged
) -> dict[str, Any]:
    row = rows.get(str(entry.values.get(how.key)))
    if row is None:
        raise LoadError(f"{how.table} has no row for what was written: {entry.id}")
    given = {**variables(entry), **{f"row.{name}": value for name, value in row.items()}}
    query: dict[str, Any] = templates.substitute(dict(how.query), given)
    return query


def _ask(http: httpx.Client, url: str, query: dict[str, Any], identifier: str) -> Found:
    last = Found(identifier, 0, None)
    for _ in range(TRIES):
        try:
            answer = http.get(url, params=query)
            body = cluster_json.loads(answer.content) if len(answer.content) <= MOST_BYTES else None
        except httpx.TimeoutException:
            break
        except (httpx.HTTPError, ValueError):
            continue
        last = Found(identifier, answer.status_code, body)
        if last.answered:
            return last
    return last


def _rows(file: Path, key: str) -> dict[str, dict[str, Any]]:
    return {str(row[key]): row for row in _read(file)}


def _read(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text().splitlines():
        yield json.loads(line)
