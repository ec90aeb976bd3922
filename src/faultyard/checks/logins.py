"""Logins at databases, with what a Secret says now and with what it said at first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pymongo.errors import ConnectionFailure, OperationFailure, PyMongoError

from faultyard.apps.databases import Login, connected, login_of, serving
from faultyard.checks.registry import Kind, Round, Tried, tried
from faultyard.clusters.api import Api, ApiError
from faultyard.clusters.embedded.cell import Cell
from faultyard.model.predicates.credentials import (
    ACCEPTED,
    KIND,
    REFUSED,
    STATED,
    UNCHANGED,
    Credentials,
    asked,
    quietly,
)
from faultyard.model.probes import ABSENT, UNKNOWN, Asked

TIMEOUT_S: Final = 5.0
AUTHENTICATION_FAILED: Final = 18


@dataclass
class _Logins:
    """The logins of one check; remembers what the Secret said in the first round."""

    cell: Cell
    wanted: Credentials
    first: Login | None = None

    def round(self, logins: Sequence[Asked]) -> list[Tried]:
        with self.cell.entered():
            with self.cell.api() as api:
                stated = self._stated(api)
                place = serving(api, *self.wanted.service.split("/"))
            self.first = self.first or stated
            return [
                Tried(one, *self._try(one["password"], place, stated), time.time())
                for one in logins
            ]

    def _stated(self, api: Api) -> Login | None:
        namespace, _, name = self.wanted.secret.partition("/")
        try:
            secret = api.get(f"/api/v1/namespaces/{namespace}/secrets/{name}")
            return login_of(secret, self.wanted.database)
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        except (KeyError, ValueError):  # it holds no account any more
            return None

    def _try(self, which: str, place: tuple[str, int], stated: Login | None) -> tuple[str, str]:
        if which == STATED:
            return _log_in(place, stated)
        if stated == self.first:
            return UNCHANGED, "it is what the Secret says"
        return _log_in(place, self.first)


def _log_in(place: tuple[str, int], login: Login | None) -> tuple[str, str]:
    """The outcome of a login, and what was seen."""
    if login is None:
        return ABSENT, "there is no such Secret, or no account in it"
    try:
        with connected(place, login, TIMEOUT_S) as client:
            # Not ended, so that closing does not end it either: a database that knows no such
            # command writes that down.
            session = client.start_session()
            client[login.database].command("ping", session=session)
    except OperationFailure as error:
        if error.code == AUTHENTICATION_FAILED:
            return REFUSED, "authentication failed"
        return REFUSED, str(error)
    except ConnectionFailure as error:
        return UNKNOWN, f"the database does not answer: {error}"
    except PyMongoError as error:
        return REFUSED, str(error)
    return ACCEPTED, "logged in"


def _prepare(cell: Cell, wanted: Credentials) -> Round:
    return _Logins(cell, wanted).round


tried("credentials", Kind(KIND, Credentials, asked, _prepare, quietly))
