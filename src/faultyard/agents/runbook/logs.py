"""Log lines that tell of errors, and to which component they point."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .cluster import Cluster
from .objects import Object
from .tools import Tools

LOGINS = ("authenticate", "authentication", "auth error", "access denied", "unauthenticated")
"""As programs word that they are not let in."""
WORDS = (
    "connection refused",
    "no such host",
    "i/o timeout",
    "timed out",
    "deadline exceeded",
    "deadlineexceeded",
    "took too long",
    "connection reset",
    "no route to host",
    "unavailable",
    "unreachable",
    "unauthorized",
    "permission denied",
    "does not answer",
)
"""As programs and system libraries word what went wrong."""
REFUSED_LOGIN = re.compile(
    r"authentication ?failed|access denied for user|login failed|invalid (user|password|credential)"
    r"|user .{0,60}(not found|does not exist)|WRONGPASS|ACCESS_REFUSED",
    re.I,
)
"""Refusals in so many words: who gets no answer in time often says that he could not log in."""
LATE = re.compile(r"deadline ?exceeded|timed out|time-?out|took too long", re.I)
SINCE = "-3m"
LIMIT = 200
TAIL = 60
POD_KEYS = re.compile(r"(^|[._])pod([._]?name)?$")
SPOT = re.compile(r"(?<![\w.-])((?:\d{1,3}\.){3}\d{1,3}|[a-z][-a-z0-9.]*):(\d{2,5})\b")
PEER = re.compile(
    r'"(?:peer|dependency|upstream|downstream|target|destination|server|backend)":\s*"([-a-z0-9.]+)"'
)


@dataclass(frozen=True)
class Line:
    """A line of a container's log."""

    workload: str
    """The reference of what wrote it; empty when that is not known."""
    text: str


def errors(tools: Tools, cluster: Cluster, namespaces: Iterable[str]) -> list[Line]:
    """The latest lines with an error, in these namespaces where they are read pod by pod."""
    wanted = list(namespaces)
    if "logs_search" in tools.names:
        found = list(_searched(tools, cluster))
        if found:
            return found
    return [
        line
        for workload in cluster.workloads.values()
        if workload.namespace in wanted
        for line in of(tools, workload)
        if tells(line.text)
    ]


def of(tools: Tools, workload: Object, since: str = "3m") -> Iterator[Line]:
    """The latest lines of a workload, by kubectl."""
    labels = workload.at("spec", "selector", "matchLabels") or {}
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    words = ["logs", "-n", workload.namespace, "-l", selector, f"--since={since}"]
    words += [f"--tail={TAIL}", "--all-containers", "--max-log-requests=20"]
    answer = tools.call("kubectl", args=words)
    if not answer.failed:
        for text in answer.text.splitlines():
            yield Line(workload.ref, text)


def pointing(lines: Iterable[Line], cluster: Cluster) -> Iterator[tuple[str, str, float]]:
    """Which components these lines tell of: name, sentence, weight.

    They name what does not answer. Whoever asks several and gets no answer in time from any of
    them may be slow itself.
    """
    named: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    late: dict[str, set[str]] = {}
    for line in lines:
        writer = cluster.workloads.get(line.workload)
        for name in _named(line.text, writer.namespace if writer else "", cluster):
            if writer is None or name != writer.name:
                named[name, line.workload] += 1
                example.setdefault((name, line.workload), line.text)
                if writer is not None and LATE.search(line.text):
                    late.setdefault(writer.name, set()).add(name)
    for (name, workload), number in named.items():
        said = _short(example[name, workload])
        yield name, f"{number} log lines of {workload or 'a pod'} name {name}, as {said!r}", 2.0
    for name, asked in late.items():
        yield name, f"{name} gets no answer in time from {', '.join(sorted(asked))}", len(asked) / 2


def _named(text: str, namespace: str, cluster: Cluster) -> set[str]:
    found = set()
    for host, _port in SPOT.findall(text):
        service = cluster.by_cluster_ip.get(host) or cluster.find_service(host, namespace)
        if service is not None:
            found.add(service.name)
    for host in PEER.findall(text):
        service = cluster.find_service(host, namespace)
        if service is not None:
            found.add(service.name)
    return found


def _searched(tools: Tools, cluster: Cluster) -> Iterator[Line]:
    owners = {pod.name: cluster.workload_of(pod) for pod in cluster.all("pods")}
    rows = []
    # Asked for apart, since one sort may be so frequent that the other is not among the latest.
    for words in (WORDS, LOGINS):
        # In any field and whatever the case: structured lines say "error" beside the message.
        query = " OR ".join(f'*:i("{word}")' for word in words)
        answer = tools.call("logs_search", query=query, start=SINCE, limit=LIMIT)
        rows += [] if answer.failed else answer.rows()
    for row in rows:
        pods = [str(value) for key, value in row.items() if POD_KEYS.search(key)]
        owner = next((owners[pod] for pod in pods if owners.get(pod)), None)
        text = str(row.get("_msg") or "") + " " + json.dumps(row)
        yield Line(owner.ref if owner else "", text.strip())


def tells(text: str) -> bool:
    """Whether a line tells of an error that concerns somebody else too."""
    low = text.lower()
    return any(word in low for word in (*WORDS, *LOGINS)) or REFUSED_LOGIN.search(text) is not None


def _short(text: str) -> str:
    return text if len(text) <= 240 else f"{text[:240]}…"
