"""Faults of databases: what is changed in them, as their administrator, and not in Kubernetes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from pymongo import MongoClient
from pymongo.errors import PyMongoError

from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import ClusterError
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef

ADMIN_DATABASE = "admin"
MECHANISM = "SCRAM-SHA-256"
TIMEOUT_MS = 10_000


@fault("database_user_dropped")
def database_user_dropped(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A program's account in a MongoDB-compatible database is dropped.

    Sessions that are open stay open, as in any database; programs that renew their connections
    are refused from then on.

    Args:
        pipeline: of the application that the database belongs to.
        given: `namespace`; `service` (in front of the database's pods); `database` (its name, in
            which the account is defined); `login` and `administrator` (Secrets with `username`
            and `password`).

    Returns:
        Nothing: no object of the cluster changes.
    """
    namespace, service, database, login, administrator = map(
        str, parameters(given, "namespace", "service", "database", "login", "administrator")
    )
    username, _ = credentials(pipeline.manifest(ObjectRef("Secret", namespace, login)))
    admin, password = credentials(pipeline.manifest(ObjectRef("Secret", namespace, administrator)))
    front = pipeline.manifest(ObjectRef("Service", namespace, service))
    address, port = _serving(pipeline, namespace, service), front["spec"]["ports"][0]["targetPort"]
    with pipeline.cell.entered():
        client: MongoClient[dict[str, Any]] = MongoClient(
            address,
            int(port),
            username=admin,
            password=password,
            authSource=ADMIN_DATABASE,
            authMechanism=MECHANISM,
            directConnection=True,
            serverSelectionTimeoutMS=TIMEOUT_MS,
            socketTimeoutMS=TIMEOUT_MS,
        )
        try:
            client[database].command("dropUser", username)
        except PyMongoError as error:
            what = f"{service} did not drop the user {username} of {database}"
            raise ClusterError(f"{what}: {error}") from error
        finally:
            client.close()
    return []


def credentials(secret: Mapping[str, Any]) -> tuple[str, str]:
    """User name and password of a Secret's manifest."""
    data = secret["data"]
    username, password = (base64.b64decode(data[key]).decode() for key in ("username", "password"))
    return username, password


def _serving(pipeline: Pipeline, namespace: str, service: str) -> str:
    """The address of the pod behind a Service: the database itself, past the proxies."""
    path = f"/apis/discovery.k8s.io/v1/namespaces/{namespace}/endpointslices"
    with pipeline.cell.entered(), pipeline.cell.api() as api:
        slices = list(api.list(path))
    for piece in slices:
        if piece["metadata"].get("labels", {}).get("kubernetes.io/service-name") != service:
            continue
        for endpoint in piece.get("endpoints") or ():
            if endpoint.get("conditions", {}).get("ready"):
                return str(endpoint["addresses"][0])
    raise ClusterError(f"the Service {namespace}/{service} has no ready endpoint")
