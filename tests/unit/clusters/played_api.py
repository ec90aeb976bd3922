"""An API client whose server is a function of the test."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from faultyard.clusters.api import Api


def played(answer: Callable[[httpx.Request], httpx.Response]) -> Api:
    """A client that no kubeconfig is needed for.

    Args:
        answer: to each request.
    """
    api = Api.__new__(Api)
    api._http = httpx.Client(base_url="http://x", transport=httpx.MockTransport(answer))
    return api
