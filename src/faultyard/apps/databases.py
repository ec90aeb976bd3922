"""Logging in to an application's MongoDB-compatible databases, past the Services' proxies."""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pymongo import MongoClient

from faultyard.clusters.api import Api
from faultyard.clusters.errors import ClusterError

ADMIN_DATABASE = "admin"
MECHANISM = "SCRAM-SHA-256"

Client = MongoClient[dict[str, Any]]


@dataclass(frozen=True)
class Login:
    """An account and the database in which it is defined."""

    username: str
    password: str
    database: str = ADMIN_DATABASE


def login_of(secret: Mapping[str, Any], database: str = ADMIN_DATABASE) -> Login:
    """The account of a Secret with `username` and `password`.

    Args:
        secret: its manifest.
        database: in which the account is defined.
    """
    data = secret["data"]
    username, password = (base64.b64decode(data[key]).decode() for key in ("username", "password"))
    return Login(username, password, database)


def serving(api: Api, namespace: str, service: str) -> tuple[str, int]:
    """Address and port of a ready pod behind a Service: the database itself.

    Raises:
        ClusterError: there is none.
    """
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    for piece in api.list(path):
        if piece["metadata"].get("labels", {}).get("kubernetes.io/service-name") != service:
            continue
        for endpoint in piece.get("endpoints") or ():
            if endpoint.get("conditions", {}).get("ready") and piece.get("ports"):
                return str(endpoint["addresses"][0]), int(piece["ports"][0]["port"])
    raise ClusterError(f"the Service {namespace}/{service} has no ready endpoint")


@contextlib.contextmanager
def connected(place: tuple[str, int], login: Login, timeout_s: float) -> Iterator[Client]:
    """A client of one database that logs in when it is first used; closed afterwards.

    Args:
        place: address and port, in the network of the calling thread.
        login: as whom.
        timeout_s: for finding the server, and for each answer.
    """
    client: Client = MongoClient(
        *place,
        username=login.username,
        password=login.password,
        authSource=login.database,
        authMechanism=MECHANISM,
        directConnection=True,
        serverSelectionTimeoutMS=int(timeout_s * 1000),
        socketTimeoutMS=int(timeout_s * 1000),
    )
    try:
        yield client
    finally:
        client.close()
