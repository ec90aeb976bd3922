"""Asking a store over HTTP: fixed paths, bounded answers, its own words when it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import httpx

from faultyard.tools.errors import BackendFailed, Declined

TIMEOUT_S = 20
MAX_ANSWER_BYTES = 16 * 2**20


class Store:
    """A store's HTTP API.

    Args:
        name: for messages, such as `the metrics store`.
        url: its base.
    """

    def __init__(self, name: str, url: str) -> None:
        self.name = name
        # The environment's proxy is the harness's, and the store is in the cell.
        # No connection is kept: nobody would close it when the turn is over.
        none = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False, limits=none)

    def text(self, path: str, parameters: Mapping[str, str | int | float]) -> str:
        """What it answers to a GET.

        Raises:
            Declined: it refuses the query (status 4xx).
            BackendFailed: no answer, another status, or an answer beyond `MAX_ANSWER_BYTES`.
        """
        try:
            with self._http.stream("GET", path, params=dict(parameters)) as answer:
                body = self._read(answer)
        except httpx.HTTPError as error:
            raise BackendFailed(f"{self.name} does not answer: {type(error).__name__}") from error
        if 400 <= answer.status_code < 500:
            raise Declined(f"{self.name} refuses: {said(body)}")
        if answer.status_code != 200:
            raise BackendFailed(f"{self.name} answered {answer.status_code}: {said(body)}")
        return body

    def json(self, path: str, parameters: Mapping[str, str | int | float]) -> Any:
        """The same as data; see `text`."""
        body = self.text(path, parameters)
        try:
            return json.loads(body)
        except ValueError as error:
            raise BackendFailed(f"{self.name} answered no JSON: {body[:100]!r}") from error

    def _read(self, answer: httpx.Response) -> str:
        blocks, size = [], 0
        for block in answer.iter_bytes():
            size += len(block)
            if size > MAX_ANSWER_BYTES:
                raise Declined(
                    f"{self.name} finds more than {MAX_ANSWER_BYTES // 2**20} MiB; narrow the query"
                )
            blocks.append(block)
        return b"".join(blocks).decode(errors="replace")


def said(body: str) -> str:
    """The words of an error answer, whichever of the usual forms it has."""
    words: Any = body
    try:
        loaded = json.loads(body)
    except ValueError:
        loaded = None
    if isinstance(loaded, dict):
        errors = loaded.get("errors") or []
        listed = "; ".join(str(e.get("msg", e)) if isinstance(e, dict) else str(e) for e in errors)
        words = loaded.get("error") or listed or body
    return " ".join(str(words).split())[:500] or "no reason given"
