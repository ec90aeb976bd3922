"""Downloads: files from servers that may be out of reach, slow, broken, or not what they say."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from faultyard.clusters.embedded.artifacts.errors import NotFetched, WrongDigest

AGAIN = (429, 500, 502, 503, 504)
"""Answers after which another attempt may go better."""


@dataclass(frozen=True)
class Limits:
    """How long a download is waited for. A build is always the way out, so not for long."""

    answer_s: float = 3.0
    """For a server to show that it is there, in seconds."""
    silence_s: float = 10.0
    """Between two pieces of a file, in seconds."""
    whole_s: float = 300.0
    """For one file, with all attempts, in seconds."""
    attempts: int = 3
    """How often a broken transfer is begun."""


def unreachable(urls: Iterable[str], within_s: float) -> Mapping[str, str]:
    """The servers of these addresses that do not answer, each with the reason.

    All are asked at once, so that having no network costs one time-out, whatever hangs: connecting,
    a name server, a server that accepts and says nothing.

    Args:
        urls: addresses.
        within_s: how long to wait, in seconds.
    """
    asked = {server(url): str(httpx.URL(url).copy_with(raw_path=b"/")) for url in urls}
    failures: dict[str, str] = dict.fromkeys(asked, f"no answer in {within_s:g} s")
    certificates = httpx.create_ssl_context()

    def ask(name: str, root: str) -> None:
        try:
            httpx.head(root, timeout=within_s, verify=certificates)
        except httpx.HTTPError as error:
            failures[name] = _said(error)
        else:
            del failures[name]

    # Daemons: a look-up of a name cannot be interrupted, and must not keep set-up from ending.
    threads = [threading.Thread(target=ask, args=pair, daemon=True) for pair in asked.items()]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + within_s
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0.0))
    return dict(failures)


def server(url: str) -> str:
    """The server of an address, with its port if that is not the usual one."""
    return httpx.URL(url).netloc.decode()


def fetch(url: str, digest: str, file: Path, limits: Limits) -> None:
    """Fetch a file of which the digest is known; what is not that file is thrown away.

    Args:
        url: its address.
        digest: as "sha256:…".
        file: where to write it.
        limits: how long to wait.

    Raises:
        WrongDigest: it is another file.
        NotFetched: it could not be had.
    """
    deadline = time.monotonic() + limits.whole_s
    for attempt in range(1, limits.attempts + 1):
        try:
            found = _stream(url, digest.partition(":")[0], file, deadline, limits)
            break
        except httpx.TransportError as error:
            file.unlink(missing_ok=True)
            if attempt == limits.attempts or time.monotonic() >= deadline:
                times = "once" if attempt == 1 else f"{attempt} times"
                raise NotFetched(f"{url} was tried {times}: {_said(error)}") from error
    if found != digest:
        file.unlink()
        raise WrongDigest(url, digest, found)


def _stream(url: str, kind: str, file: Path, deadline: float, limits: Limits) -> str:
    """One attempt; returns the digest of what came."""
    hashed = hashlib.new(kind)
    timeout = httpx.Timeout(limits.silence_s, connect=limits.answer_s)
    with (
        httpx.stream("GET", url, timeout=timeout, follow_redirects=True) as answer,
        file.open("wb") as target,
    ):
        if answer.status_code in AGAIN:
            raise httpx.TransportError(f"it answers {answer.status_code} {answer.reason_phrase}")
        if not answer.is_success:
            raise NotFetched(f"{url} answers {answer.status_code} {answer.reason_phrase}")
        # As it comes: an archive that is passed on as compressed text must not be unpacked.
        for piece in answer.iter_raw():
            target.write(piece)
            hashed.update(piece)
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout(f"not complete after {limits.whole_s:g} s")
    return f"{kind}:{hashed.hexdigest()}"


def _said(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__
