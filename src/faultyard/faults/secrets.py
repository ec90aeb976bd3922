"""Faults of credentials: renewed where they are kept and checked, old where they are used."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from faultyard.apps.databases import MECHANISM, login_of
from faultyard.apps.deployment import Pipeline
from faultyard.faults.databases import command
from faultyard.faults.registry import fault, parameters
from faultyard.model.known_good import DeclaredChange
from faultyard.model.refs import ObjectRef

FIELD = "data.password"


@fault("secret_rotated", ends_roll_outs=True, in_objects=True)
def secret_rotated(pipeline: Pipeline, given: Mapping[str, Any]) -> list[DeclaredChange]:
    """A database account's password is renewed, in the database and in its Secret.

    Nobody restarts the programs that read the Secret when they started: they log in with the old
    password, and are refused from the next new connection on. So it comes last: what is rolled out
    after it would have the new one.

    Args:
        pipeline: of the application that the database belongs to.
        given: `namespace`; `service` (in front of the database's pods); `database` (its name, in
            which the account is defined); `login` and `administrator` (Secrets with `username`
            and `password`); `password` (the new one).

    Returns:
        The Secret's new value as a change that is right: who puts the old one back undoes it.
    """
    namespace, service, database, login, administrator, password = map(
        str,
        parameters(given, "namespace", "service", "database", "login", "administrator", "password"),
    )
    ref = ObjectRef("Secret", namespace, login)
    manifest = pipeline.manifest(ref)
    renewed = {
        "updateUser": login_of(manifest).username,
        "pwd": password,
        "mechanisms": [MECHANISM],
    }
    command(pipeline, (namespace, service, administrator), database, renewed)
    pipeline.release(with_password(manifest, password))
    return [DeclaredChange(object=str(ref), fields=[FIELD], by="decoy")]


def with_password(secret: Mapping[str, Any], password: str) -> dict[str, Any]:
    """A Secret's manifest with another password."""
    encoded = base64.b64encode(password.encode()).decode()
    return {**secret, "data": {**secret["data"], "password": encoded}}
