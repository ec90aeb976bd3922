"""Faults of databases: what is changed in them, as their administrator, and not in Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pymongo.errors import PyMongoError

from faultyard.apps.databases import connected, login_of, serving
from faultyard.apps.deployment import Pipeline
from faultyard.clusters.errors import ClusterError
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef

TIMEOUT_S = 10


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
    username = login_of(pipeline.manifest(ObjectRef("Secret", namespace, login))).username
    command(pipeline, (namespace, service, administrator), database, {"dropUser": username})
    return []


def command(
    pipeline: Pipeline, where: tuple[str, str, str], database: str, said: Mapping[str, Any]
) -> None:
    """Have a database carry out a command of its administrator.

    Args:
        pipeline: of the application that the database belongs to.
        where: namespace, Service in front of the database's pods, the administrator's Secret.
        database: the name of the one that the command is for.
        said: the command.

    Raises:
        ClusterError: it did not.
    """
    namespace, service, administrator = where
    login = login_of(pipeline.manifest(ObjectRef("Secret", namespace, administrator)))
    with pipeline.cell.entered():
        with pipeline.cell.api() as api:
            place = serving(api, namespace, service)
        try:
            with connected(place, login, TIMEOUT_S) as client:
                client[database].command(dict(said))
        except PyMongoError as error:
            what = f"{service} did not carry out {next(iter(said))} in {database}"
            raise ClusterError(f"{what}: {error}") from error
