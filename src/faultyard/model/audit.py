"""The API server's audit log: what was asked, by whom, and what it came to.

Classified here, at the server, and never by the name of a tool: kubectl, a tool server and
raw HTTP look alike.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from urllib.parse import parse_qs

from faultyard.model import cluster_json, proxied
from faultyard.model.refs import ObjectRef, kind_name
from faultyard.model.shapes import items, mapping
from faultyard.model.snapshots import ResourceKind

CREDENTIAL: Final = "authentication.kubernetes.io/credential-id"
DECISION: Final = "authorization.k8s.io/decision"
_BOUND_POD: Final = "authentication.kubernetes.io/pod-name"
_BOUND_NODE: Final = "authentication.kubernetes.io/node-name"
_FINAL_STAGES: Final = ("RequestReceived", "ResponseStarted", "ResponseComplete", "Panic")
_READS: Final = frozenset({"get", "list", "watch", "head"})
_WRITES: Final = frozenset({"create", "update", "patch", "delete", "deletecollection"})
_OPAQUE: Final = frozenset({"exec", "attach", "portforward", "proxy"})
_WORDS: Final = 2000
# Questions that look like writes: nothing is stored.
_QUESTIONS: Final = frozenset(
    {
        "selfsubjectaccessreviews",
        "selfsubjectrulesreviews",
        "selfsubjectreviews",
        "subjectaccessreviews",
        "localsubjectaccessreviews",
        "tokenreviews",
    }
)


class AuditError(ValueError):
    """The log is cut off or holds something that is no audit event."""


class Effect(StrEnum):
    """What a request came to."""

    READ = "read"
    WRITE = "write"
    """An accepted write."""
    DENIED = "denied"
    """A write, or an opaque action, that was refused."""
    DRY_RUN = "dry_run"
    OPAQUE = "opaque"
    """Accepted, but what was done does not pass through the API server."""
    UNCERTAIN = "uncertain"
    """A write that ended in a server's error: it may have been stored."""
    NOTHING = "nothing"
    """A question, something not found, a conflict, an invalid request."""


@dataclass(frozen=True)
class Event:
    """One request, in its last recorded stage."""

    line: int
    """1-based line in audit.jsonl."""
    audit_id: str
    received: float
    """Unix seconds."""
    verb: str
    username: str
    credential_id: str
    impersonated: str
    """The user acted as, empty if none."""
    source: str
    """Address of whoever connected to the server; empty: not recorded."""
    group: str
    resource: str
    subresource: str
    namespace: str
    name: str
    """Empty for a request to a whole collection."""
    code: int | None
    """HTTP status; None: no answer was recorded."""
    effect: Effect
    command: tuple[str, ...]
    """What an exec was asked to run, as far as the request shows it."""
    request: Mapping[str, Any] | None
    response: Mapping[str, Any] | None
    size: int = 0
    """Bytes of its line."""
    fed: bool = False
    """Whether an exec takes what its client has to say."""
    bound_pod: str = ""
    """The pod that a service account's token was issued to; empty: to none, or not recorded."""
    bound_node: str = ""
    """The node on which that pod runs."""

    def where(self) -> str:
        """Return the event's place, for people."""
        return f"audit.jsonl:{self.line}"


def parse(content: bytes) -> list[Event]:
    """Read an audit log, one event for each request, in the order in which they came in.

    Raises:
        AuditError: a line is no event of audit.k8s.io/v1, or the last line is cut off.
    """
    if content and not content.endswith(b"\n"):
        raise AuditError("the last line is cut off")
    latest: dict[str, tuple[int, Event]] = {}
    # Line by line: a client may have filled the log with bodies that were refused.
    for number, line in enumerate(io.BytesIO(content), start=1):
        raw = _raw_event(line, number)
        stage, known = _stage(raw), latest.get(raw["auditID"])
        if known is not None and stage < known[0]:
            continue
        try:
            latest[raw["auditID"]] = stage, replace(_event(number, raw), size=len(line))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise AuditError(f"an event lacks what every event has: {error!r}") from error
    events = [event for _, event in latest.values()]
    return sorted(events, key=lambda event: (event.received, event.line))


def kinds_in(
    tables: Iterable[Mapping[tuple[str, str], ResourceKind]],
) -> dict[tuple[str, str], ResourceKind]:
    """Merge the kinds that several snapshots know: custom ones come and go."""
    merged: dict[tuple[str, str], ResourceKind] = {}
    for table in tables:
        merged.update(table)
    return merged


def target(event: Event, kinds: Mapping[tuple[str, str], ResourceKind]) -> ObjectRef:
    """Return the object that a request was about; its name is `*` for a whole collection."""
    known = kinds.get((event.group, event.resource))
    if known is None:
        body_kind = (event.request or {}).get("kind") if not event.subresource else None
        kind, namespace = kind_name(str(body_kind or event.resource), event.group), event.namespace
    else:
        kind, namespace = known.kind, event.namespace if known.namespaced else ""
    name = proxied.whom(event.name)[0] if event.subresource == "proxy" else event.name
    return ObjectRef(kind, namespace, name or "*")


def marker(events: Sequence[Event], nonce: str) -> Event | None:
    """Return the request that the harness named by a nonce, if it is in the log."""
    for event in events:
        if nonce and event.verb == "get" and event.name == nonce:
            return event
    return None


def _raw_event(line: bytes, number: int) -> Mapping[str, Any]:
    try:
        raw = cluster_json.loads(line)
    except ValueError as error:
        raise AuditError(f"line {number} is not JSON: {error}") from error
    if (
        not isinstance(raw, dict)
        or raw.get("apiVersion") != "audit.k8s.io/v1"
        or raw.get("kind") != "Event"
        or not isinstance(raw.get("auditID"), str)
        or raw.get("stage") not in _FINAL_STAGES
    ):
        raise AuditError(f"line {number} is no event of audit.k8s.io/v1")
    return raw


def _stage(raw: Mapping[str, Any]) -> int:
    return _FINAL_STAGES.index(raw["stage"])


def _event(line: int, raw: Mapping[str, Any]) -> Event:
    reference = raw.get("objectRef") or {}
    user = raw["user"]
    request, response = raw.get("requestObject"), raw.get("responseObject")
    name = reference.get("name") or _body_name(request) or _body_name(response)
    if str(raw["verb"]) in ("list", "watch", "deletecollection"):
        name = reference.get("name", "")
    code = (raw.get("responseStatus") or {}).get("code")
    effect = _effect(raw, code)
    return Event(
        line=line,
        audit_id=raw["auditID"],
        received=_seconds(raw["requestReceivedTimestamp"]),
        verb=str(raw["verb"]),
        username=str(user.get("username", "")),
        credential_id=_extra(user, CREDENTIAL),
        impersonated=str((raw.get("impersonatedUser") or {}).get("username", "")),
        # A client can invent all but the last: what it says of those it came through.
        source=str((raw.get("sourceIPs") or [""])[-1]),
        group=str(reference.get("apiGroup", "")),
        resource=str(reference.get("resource", "")),
        subresource=str(reference.get("subresource", "")),
        namespace=str(reference.get("namespace", "")),
        name=str(name or ""),
        code=code,
        effect=effect,
        command=tuple(_query(raw).get("command", ())),
        request=_kept(request, effect),
        response=_kept(response, effect),
        fed=any(v.lower() not in ("0", "false") for v in _query(raw).get("stdin", ())),
        bound_pod=_extra(user, _BOUND_POD),
        bound_node=_extra(user, _BOUND_NODE),
    )


def _extra(user: Mapping[str, Any], key: str) -> str:
    """Return what the server knows of a user's credential beside the name; empty: nothing."""
    values = (user.get("extra") or {}).get(key) or [""]
    return str(values[0])


def _kept(body: object, effect: Effect) -> Mapping[str, Any] | None:
    """Return a body; of a refused request only what it was about and why it was refused."""
    if not isinstance(body, dict):
        return None
    if effect not in (Effect.DENIED, Effect.NOTHING):
        return body
    return {key: str(body[key])[:_WORDS] for key in ("kind", "message") if key in body}


def _effect(raw: Mapping[str, Any], code: int | None) -> Effect:
    reference = raw.get("objectRef") or {}
    verb, subresource = str(raw["verb"]), reference.get("subresource", "")
    opaque = subresource in _OPAQUE and not proxied.only_reads(raw)
    if verb in _READS and not opaque:
        return Effect.READ
    if not opaque and (verb not in _WRITES or reference.get("resource") in _QUESTIONS):
        return Effect.NOTHING
    # A command, a tunnel: what is opened there is open, whatever the query says. And the server
    # issues a token without looking at it.
    issues = (reference.get("resource"), subresource) == ("serviceaccounts", "token")
    if not opaque and not issues and _dry_run(raw):
        return Effect.DRY_RUN
    if subresource == "proxy":
        return _passed_on(raw, code)
    if code in (401, 403):
        return Effect.DENIED
    return _outcome(raw["stage"] == "Panic", code, opaque)


def _passed_on(raw: Mapping[str, Any], code: int | None) -> Effect:
    """Return what a request through the API server's proxy came to.

    Its answer is that of whom it reached, who may have acted whatever the answer is, or have
    broken it off after the act. Only the server itself says why in the log, or that it forbids.
    """
    answer = mapping(raw.get("responseStatus"))
    reason = answer.get("reason") if answer.get("status") == "Failure" else None
    forbidden = mapping(raw.get("annotations")).get(DECISION) == "forbid"
    if forbidden or (code in (401, 403) and reason in ("Unauthorized", "Forbidden")):
        return Effect.DENIED
    return Effect.NOTHING if (code, reason) == (404, "NotFound") else Effect.OPAQUE


def _outcome(panicked: bool, code: int | None, opaque: bool) -> Effect:
    if opaque:
        accepted = code is None or code < 400
        return Effect.OPAQUE if accepted else Effect.NOTHING
    if panicked or code is None or code >= 500:
        return Effect.UNCERTAIN
    return Effect.WRITE if code < 300 else Effect.NOTHING


def _dry_run(raw: Mapping[str, Any]) -> bool:
    """Tell whether the server itself took a request for a dry run.

    It reads the options of a delete in the body, and looks at the query only if there is none.
    An eviction has options inside it; the server refuses those that contradict the query. In
    any other body a `dryRun` is but a field of the client's.
    """
    body, asked = raw.get("requestObject"), _query(raw).get("dryRun", [])
    if raw["verb"] in ("delete", "deletecollection") and isinstance(body, dict):
        asked = items(body.get("dryRun"))
    elif (raw.get("objectRef") or {}).get("subresource") == "eviction":
        asked = asked + items(mapping(mapping(body).get("deleteOptions")).get("dryRun"))
    return "All" in asked


def _query(raw: Mapping[str, Any]) -> dict[str, list[str]]:
    # Not urlsplit: it refuses addresses that the server has accepted, such as `//[`.
    return parse_qs(str(raw.get("requestURI", "")).partition("?")[2], keep_blank_values=True)


def _body_name(body: object) -> str | None:
    name = mapping(mapping(body).get("metadata")).get("name")
    return str(name) if name else None


def _seconds(timestamp: str) -> float:
    return datetime.fromisoformat(timestamp.replace("Z", "+00:00")).timestamp()
