"""What was executed in running containers, and of what of it nobody knows what it did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from faultyard.model.audit import Effect
from faultyard.model.case import Case
from faultyard.model.commands import program_of
from faultyard.model.commands.shells import NAMES as SHELLS
from faultyard.model.findings import container_ends
from faultyard.model.refs import ObjectRef
from faultyard.model.sessions import Command
from faultyard.model.shapes import items, mapping, mappings

_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS: Final = ("postStart", "preStop")


def pod_of(name: str) -> ObjectRef:
    """Return the pod that a session names, namespace and name."""
    namespace, _, pod = name.partition("/")
    return ObjectRef("Pod", namespace, pod)


def commands_in(case: Case, pod: ObjectRef) -> list[Command]:
    """Return what was executed in a pod's containers, its own probes and hooks left out."""
    return [command for given in _sessions(case, pod) for command in given]


def unknown_in(case: Case, pod: ObjectRef) -> list[Command]:
    """Return what was executed there of which nobody knows what it did.

    That it ended a container's first program is known: the kubelet started that anew. So is that
    this ran on.
    """
    unfed = _unfed(case, pod)
    ended, others = _by_outcome(case, pod)
    known = [*ended, *(command for command in others if command.ends_first)]
    found = []
    for given in _sessions(case, pod):
        silent = _muted(given) or (unfed and not any(command.feeds_others for command in given))
        found += [
            command
            for command in given
            if not command.telling and command not in known and not (silent and command.sends_input)
        ]
    return found


def unknown_on(case: Case, node: str) -> list[Command]:
    """Return what was started from logins on a node of which nobody knows what it did.

    A connection that was given nothing to say is a question.
    """
    logins: dict[int, list[Command]] = defaultdict(list)
    for command in case.sessions.on_nodes.get(node, ()):
        logins[command.process.sid].append(command)
    muted = {sid for sid, given in logins.items() if _muted(given)}
    return [
        command
        for command in case.sessions.on_nodes.get(node, ())
        if command.hides and not (command.sends_input and command.process.sid in muted)
    ]


def _muted(given: Sequence[Command]) -> bool:
    """Tell whether a session's shells alone started what sends its input, and gave it none."""
    shells = [command for command in given if _is_shell(command)]
    others = [command for command in given if not _is_shell(command)]
    muted = bool(shells) and all(shell.mutes_senders for shell in shells)
    return muted and all(other.telling or other.sends_input for other in others)


def _is_shell(command: Command) -> bool:
    return program_of(command.process.exe, command.process.argv)[0] in SHELLS


def restarts_in(case: Case, pod: ObjectRef) -> list[Command]:
    """Return what was executed there to have a container started anew, and had it."""
    return _by_outcome(case, pod)[0]


def withstood_in(case: Case, pod: ObjectRef) -> list[Command]:
    """Return what told a container's first program there to end, and it ran on."""
    return [command for command in _by_outcome(case, pod)[1] if command.ends_first]


def _by_outcome(case: Case, pod: ObjectRef) -> tuple[list[Command], list[Command]]:
    """Return what told a container's first program to end that ended it, and what did not.

    By its words, and the watch: the kernel keeps signals from that program which it does not
    handle, KILL from inside always. Without a watch the words alone tell.
    """
    given = commands_in(case, pod) if starts_anew(case, pod) else []
    enders = [c for c in given if c.ends_first or c.ends_first_unless_handled]
    if not enders:
        return [], []
    seen = container_ends.states(case, pod)
    stops = list(container_ends.told(seen))
    ended: list[Command] = []
    others: list[Command] = []
    for command in enders:
        t = command.process.t
        if command.ends_first:
            found = not container_ends.ran_on(case, pod, seen, t)
        else:
            found = any(stop.soon_after(t) for stop in stops)
        (ended if found else others).append(command)
    return ended, others


def _sessions(case: Case, pod: ObjectRef) -> list[tuple[Command, ...]]:
    made = f"{pod.namespace}/{pod.name}" in case.pod_makers.pods | case.sessions.own.keys()
    # A probe in what the agent made is a command of the agent's.
    own = set() if made else _own_commands(case.any_raw(pod))
    sessions = case.sessions.executed.get(f"{pod.namespace}/{pod.name}", ())
    return [given for given in sessions if given[0].process.argv not in own]


def starts_anew(case: Case, pod: ObjectRef) -> bool:
    """Tell whether a container of the pod is a workload's own, which its kubelet keeps running."""
    raw = mapping(case.any_raw(pod))
    on_the_node = mapping(raw.get("spec")).get("hostPID")
    workload = bool(raw) and not on_the_node and case.owner(pod) != pod
    made = f"{pod.namespace}/{pod.name}" in case.pod_makers.pods
    return workload and not made and case.boundary.inside(pod)


def _unfed(case: Case, pod: ObjectRef) -> bool:
    """Tell whether each exec in a pod was asked of the API server, and given nothing to say."""
    asked = [
        event
        for event in case.acts
        if event.effect is Effect.OPAQUE
        and event.subresource == "exec"
        and case.target(event) == pod
    ]
    runs = case.sessions.runs.get(f"{pod.namespace}/{pod.name}", 0)
    return runs <= len(asked) and not any(event.fed for event in asked)


def _own_commands(pod: Mapping[str, Any] | None) -> set[tuple[str, ...]]:
    """Return what the kubelet executes in a pod by itself."""
    spec = mapping(mapping(pod).get("spec"))
    found = set()
    for container in (*mappings(spec.get("containers")), *mappings(spec.get("initContainers"))):
        hooks = mapping(container.get("lifecycle"))
        actions = [mapping(container.get(name)) for name in _PROBES]
        for action in [*actions, *(mapping(hooks.get(name)) for name in _HOOKS)]:
            words = items(mapping(action.get("exec")).get("command"))
            if words:
                found.add(tuple(map(str, words)))
    return found
