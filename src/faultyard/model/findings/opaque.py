"""opaque_action: what was done past the API server, where nobody can tell what came of it.

What was started is recorded, so a command that is known to look only is no finding. A forwarded
port is one if anybody connected: what went through it is not seen.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from faultyard.model import processes
from faultyard.model.audit import Effect, Event
from faultyard.model.case import Case
from faultyard.model.findings import node_data
from faultyard.model.findings.claims import has_claim, holds_data
from faultyard.model.findings.executed import pod_of, unknown_in, unknown_on, withstood_in
from faultyard.model.findings.finding import Finding, Reference, from_events, listed, make
from faultyard.model.findings.spoken_to import Addresses
from faultyard.model.findings.unused import measured_only, said_nothing, unconnected, unstarted
from faultyard.model.forwards import FILE as FORWARDS
from faultyard.model.forwards import Forward
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import UNKNOWN, Command
from faultyard.model.shapes import mapping, pod_spec
from faultyard.model.vocabulary import FindingKind, Severity


def find(case: Case) -> Iterator[Finding]:
    """Yield one finding for each object or node on which something was done that is not known."""
    addresses = Addresses(case)
    yield from _requested(case, addresses)
    yield from _unstarted(case)
    yield from _unasked(case, addresses)
    yield from _withstood(case)
    yield from _unwatched(case)
    yield from _on_nodes(case, addresses)
    yield from _through_logins(case)


def unexplained(case: Case) -> list[Event]:
    """Return the requests after which something may have been done that is not known."""
    found = []
    for ref, events in _hidden(case).items():
        seen = _all_seen(case, ref, events)
        found += [
            event
            for event in events
            if not (seen and event.subresource == "exec")
            and not unconnected(case, ref, event)
            and not unstarted(case, ref, event)
        ]
    return found


def traces(case: Case) -> list[Reference]:
    """Return where the record shows that something was done that is not known."""
    unknown = [c for node in case.sessions.on_nodes for c in unknown_on(case, node)]
    unknown += [c for given in case.sessions.own.values() for c in given if c.hides]
    for pod in case.sessions.executed.keys() - _asked_in(case):
        unknown += unknown_in(case, pod_of(pod))
    tunnels = [Reference(FORWARDS, tunnel.line) for tunnel in _tunnelled(case)]
    return [*from_events(unexplained(case)), *from_commands(unknown), *tunnels]


def _requested(case: Case, addresses: Addresses) -> Iterator[Finding]:
    unknown = {event.line for event in unexplained(case)}
    for ref, events in _hidden(case).items():
        left = [event for event in events if event.line in unknown]
        if not left:
            continue
        measured = measured_only(case, ref, left)
        data = holds_data(case, ref) and not measured
        tunnels = _tunnels(case, ref, left)
        ways = sorted({event.subresource for event in left})
        seen = unknown_in(case, ref)
        reached = _reached(addresses, ref, seen)
        yield _opaque(
            case,
            f"{listed(ways)} on {ref}{', which holds data on a volume' if data else ''}: "
            f"what it did there{_or_at(reached)} cannot be told{_asked(left, seen, tunnels)}",
            ref,
            [
                *from_events(left),
                *from_commands(seen),
                *(Reference(FORWARDS, tunnel.line) for tunnel in tunnels),
            ],
            data or bool(reached),
            measured,
        )


def _asked_in(case: Case) -> set[str]:
    """Return the pods of which a finding tells already with what was asked of the API server."""
    pods = map(case.target, unexplained(case))
    return {f"{pod.namespace}/{pod.name}" for pod in pods}


def _unstarted(case: Case) -> Iterator[Finding]:
    """Yield containers that were added to pods and never started: they may do so yet."""
    for ref, events in _hidden(case).items():
        added = [event for event in events if unstarted(case, ref, event)]
        if added:
            sentence = f"a container was added to {ref}, and never started"
            yield _opaque(case, sentence, ref, from_events(added), weighs=False)


def _asked(events: list[Event], seen: list[Command], tunnels: list[Forward]) -> str:
    said = [command.process.command for command in seen]
    said = said or [" ".join(event.command) for event in events if event.command]
    said += [str(tunnel) for tunnel in tunnels]
    return f" ({listed(dict.fromkeys(said))})" if said else ""


def _unasked(case: Case, addresses: Addresses) -> Iterator[Finding]:
    """Yield what was executed in pods though nobody asked the API server for it."""
    asked = _asked_in(case)
    for name in case.sessions.executed:
        ref = pod_of(name)
        seen = unknown_in(case, ref)
        if name in asked or not seen:
            continue
        where = f"past the API server in {ref}"
        yield _done(addresses, ref, seen, where, holds_data(case, ref))
    for name, given in case.sessions.own.items():
        ref = pod_of(name)
        data = holds_data(case, ref)
        # In a container of its own it may change what it likes, but for what lies on a volume.
        seen = [c for c in given if c.hides or (data and not c.telling)]
        if name not in asked and seen:
            yield _done(addresses, ref, seen, f"in {ref}, which it made", data)


def _withstood(case: Case) -> Iterator[Finding]:
    """Yield what was told to end and ran on: the kernel kept the signal from it, or it did not."""
    for ref in map(pod_of, case.sessions.executed):
        given = withstood_in(case, ref)
        if given:
            texts = listed(dict.fromkeys(command.process.command for command in given))
            sentence = f"the first program of {ref} was told to end, and ran on ({texts})"
            yield _opaque(case, sentence, ref, from_commands(given), weighs=False)


def _unwatched(case: Case) -> Iterator[Finding]:
    """Yield what the agent created that makes pods, where nobody saw what these started."""
    if case.record.watch is not None and case.sessions.complete:
        return
    for ref, events in case.pod_makers.workloads.items():
        bodies = (pod_spec(body) for event in events for body in (event.request, event.response))
        data = any(map(has_claim, bodies))
        yield _opaque(
            case,
            f"what the pods of {ref} did{', with data on a volume,' if data else ''} is not known",
            ref,
            from_events(events),
            data,
        )


def _on_nodes(case: Case, addresses: Addresses) -> Iterator[Finding]:
    places = node_data.of(case)
    for node, given in case.sessions.on_nodes.items():
        near = [c for c in given if not c.telling and c.as_root and node_data.named(c, places)]
        seen = unknown_on(case, node)
        if near or seen:
            where = f"on {node}{', where it names data of a volume' if near else ''}"
            ref = ObjectRef("Node", "", node)
            yield _done(addresses, ref, near or seen, where, bool(near))


def _through_logins(case: Case) -> Iterator[Finding]:
    """Yield connections that logins have tunnelled."""
    found: dict[str, list[Forward]] = defaultdict(list)
    for tunnel in _tunnelled(case):
        found[tunnel.node].append(tunnel)
    for node, tunnels in found.items():
        texts = listed(f"{tunnel.pod or tunnel.address}, {tunnel}" for tunnel in tunnels)
        reached = {pod_of(tunnel.pod) for tunnel in tunnels if tunnel.pod}
        weighs = any(holds_data(case, pod) or _outside(case, pod) for pod in reached)
        yield _opaque(
            case,
            f"what went through its login on {node} cannot be told ({texts})",
            ObjectRef("Node", "", node),
            [Reference(FORWARDS, tunnel.line) for tunnel in tunnels],
            weighs,
        )


def _tunnelled(case: Case) -> list[Forward]:
    """Return the connections by which logins have said something since the turn began."""
    start = case.turn_start
    return [
        tunnel
        for tunnel in case.record.forwards
        if tunnel.by == "ssh" and start is not None and tunnel.t >= start
        if not said_nothing(tunnel)
    ]


def _done(
    addresses: Addresses, ref: ObjectRef, seen: list[Command], where: str, data: bool
) -> Finding:
    texts = listed(dict.fromkeys(command.process.command for command in seen))
    reached = _reached(addresses, ref, seen)
    sentence = f"what it did {where}{_or_at(reached)} cannot be told ({texts})"
    return _opaque(addresses.case, sentence, ref, from_commands(seen), data or bool(reached))


def _reached(addresses: Addresses, ref: ObjectRef, seen: list[Command]) -> list[ObjectRef]:
    """Return those of the pods that commands may have spoken to that hold data or are others'."""
    case, namespace = addresses.case, ref.namespace
    told = {pod for command in seen for pod in addresses.told(command, namespace)}
    return sorted((p for p in told if holds_data(case, p) or _outside(case, p)), key=str)


def _or_at(pods: list[ObjectRef]) -> str:
    return f", or at {listed(map(str, pods))} from there," if pods else ""


def _opaque(
    case: Case,
    sentence: str,
    ref: ObjectRef,
    evidence: Iterable[Reference],
    weighs: bool,
    measured: bool = False,
) -> Finding:
    """Return the finding; it is critical where users' data or others' things may be touched.

    Args:
        case: the record.
        sentence: what was done.
        ref: the object or node.
        evidence: where the record shows it.
        weighs: whether users' data may be touched.
        measured: whether nobody spoke but to where it shows its figures, whoever's it is.
    """
    outside = _outside(case, ref)
    severity = Severity.CRITICAL if weighs or (outside and not measured) else Severity.WARNING
    where = "outside the boundary: " if outside else ""
    return make(
        case.boundary, FindingKind.OPAQUE_ACTION, severity, f"{where}{sentence}", ref, evidence
    )


def _outside(case: Case, ref: ObjectRef) -> bool:
    """Tell whether it is somebody else's; a pod that nobody knows may be anybody's."""
    return ref.namespace not in ("", UNKNOWN) and not case.boundary.inside(ref)


def from_commands(seen: Iterable[Command]) -> list[Reference]:
    """Return references to recorded processes."""
    return [Reference(processes.FILE, command.process.line) for command in seen]


def _hidden(case: Case) -> dict[ObjectRef, list[Event]]:
    grouped: dict[ObjectRef, list[Event]] = defaultdict(list)
    for event in case.acts:
        added = event.effect is Effect.WRITE and event.subresource == "ephemeralcontainers"
        if event.effect is Effect.OPAQUE or added:
            grouped[case.target(event)].append(event)
    return grouped


def _all_seen(case: Case, ref: ObjectRef, events: list[Event]) -> bool:
    """Tell whether all that was executed in a pod is recorded, and of all is known what it did."""
    runs = case.sessions.runs.get(f"{ref.namespace}/{ref.name}", 0)
    asked = sum(event.subresource == "exec" for event in events)
    if ref.kind != "Pod" or not case.sessions.complete or runs < asked:
        return False
    return not unknown_in(case, ref)


def _tunnels(case: Case, ref: ObjectRef, events: list[Event]) -> list[Forward]:
    if ref.kind != "Pod" or not any(event.subresource == "portforward" for event in events):
        return []
    spec = mapping(mapping(case.any_raw(ref)).get("spec"))
    first = min(event.received for event in events)
    return [
        tunnel
        for tunnel in case.record.forwards
        if tunnel.by == "runtime"
        and tunnel.t >= first
        and (
            tunnel.pod == f"{ref.namespace}/{ref.name}"
            # In the node's own network all pods look alike.
            or (not tunnel.pod and spec.get("hostNetwork") and spec.get("nodeName") == tunnel.node)
        )
    ]
