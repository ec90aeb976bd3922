"""Logins that a database refuses: its account is gone, or the password is another."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from .cluster import Cluster, containers
from .evidence import Evidence
from .hypotheses import Hypothesis
from .logs import REFUSED_LOGIN, Line
from .objects import Object, dig, read
from .repairs import Repair
from .tools import Answer, Tools

AGAIN = "again"
"""Ends the name of a Job's copy."""
KEYS = 'go-template={{range $key, $value := .data}}{{$key}}{{"\\n"}}{{end}}'
USER_KEY = re.compile(r"user", re.I)
GENERATED = tuple(
    f"{prefix}{name}"
    for prefix in ("", "batch.kubernetes.io/")
    for name in ("controller-uid", "job-name")
)
"""Labels that a Job's controller gives; a copy gets its own."""


def look(cluster: Cluster, lines: list[Line]) -> Iterator[Hypothesis]:
    """A hypothesis for each workload whose logins are refused.

    Args:
        cluster: the cluster.
        lines: error lines of logs.
    """
    refused: dict[str, list[str]] = {}
    for line in lines:
        if line.workload in cluster.workloads and REFUSED_LOGIN.search(line.text):
            refused.setdefault(line.workload, []).append(line.text)
    for ref, texts in refused.items():
        client = cluster.workloads[ref]
        server = _server(cluster, client, texts)
        if server is not None:
            yield _hypothesis(cluster, client, server, texts)


def _server(cluster: Cluster, client: Object, texts: list[str]) -> Object | None:
    """What refuses: the dependency that the lines name, or the only one that keeps data."""
    targets = [cluster.workloads[ref] for ref in sorted(cluster.calls.get(client.ref, ()))]
    for each in targets:
        names = [each.name, *(service.name for service in cluster.services_of(each))]
        if any(re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", t) for n in names for t in texts):
            return each
    keeping = [each for each in targets if each.kind == "StatefulSet"]
    return keeping[0] if len(keeping) == 1 else None


def _hypothesis(cluster: Cluster, client: Object, server: Object, texts: list[str]) -> Hypothesis:
    secrets = _secrets(client)
    job = _maker(cluster, client, server, secrets)
    changed = [name for name in sorted(secrets) if _rewritten(cluster.tools, client, name)]
    said = f"{len(texts)} log lines of {client.ref} tell of refused logins: {texts[0][:240]!r}"
    evidence = [Evidence(said, 4.0)]
    if changed:
        name = changed[0]
        evidence.append(Evidence(f"Secret {name} was written again after its creation", 1.0))
        return Hypothesis(
            component=f"Secret/{client.namespace}/{name}",
            mechanism="credential_mismatch",
            evidence=evidence,
            breaks=frozenset({client.ref}),
            prose=f"{server.ref} refuses what {client.ref} logs in with, which was changed.",
            names=frozenset({client.name, server.name}),
        )
    if secrets:
        listed = ", ".join(sorted(secrets))
        evidence.append(Evidence(f"its Secrets ({listed}) were not written since creation", 0.5))
    return Hypothesis(
        component=server.ref,
        mechanism="database_account_missing",
        evidence=evidence,
        setting=f"user {_user(cluster.tools, client, secrets)}".strip(),
        observed="absent",
        expected="present",
        breaks=frozenset({client.ref}),
        prose=f"{server.ref} refuses the account of {client.ref}, whose credentials are as they "
        "always were; so the account itself is not there any more.",
        repair=_repair(job) if job else None,
        names=frozenset({client.name, server.name}),
    )


def _secrets(workload: Object) -> set[str]:
    """The Secrets from which a workload takes variables."""
    pod = dig(workload.fields, "spec", "template", "spec") or {}
    return _named_in(pod or workload.fields.get("spec.template.spec") or {})


def _named_in(pod: dict[str, Any]) -> set[str]:
    found = set()
    for container in (*(pod.get("containers") or ()), *(pod.get("initContainers") or ())):
        for each in container.get("env") or ():
            if name := dig(each, "valueFrom", "secretKeyRef", "name"):
                found.add(str(name))
        for each in container.get("envFrom") or ():
            if name := dig(each, "secretRef", "name"):
                found.add(str(name))
    for volume in pod.get("volumes") or ():
        if name := dig(volume, "secret", "secretName"):
            found.add(str(name))
    return found


def _rewritten(tools: Tools, client: Object, secret: str) -> bool:
    """Whether a Secret's data was written later than the Secret was made."""
    template = "jsonpath={.metadata.creationTimestamp}{range .metadata.managedFields[*]} {.time}"
    words = ["-n", client.namespace, "get", "secret", secret, "--show-managed-fields"]
    answer = tools.call("kubectl", args=[*words, "-o", template + "{end}"])
    times = answer.text.split()
    return not answer.failed and len(times) > 1 and max(times[1:]) > times[0]


def _user(tools: Tools, client: Object, secrets: set[str]) -> str:
    """The name of the account, when one of the client's Secrets says it; no password is read."""
    for secret in sorted(secrets):
        words = ["-n", client.namespace, "get", "secret", secret, "-o"]
        listed = tools.call("kubectl", args=[*words, KEYS])
        for key in [] if listed.failed else listed.text.split():
            if USER_KEY.search(key):
                one = f'go-template={{{{index .data "{key}" | base64decode}}}}'
                answer = tools.call("kubectl", args=[*words, one])
                return "" if answer.failed else answer.text.strip()
    return ""


def _maker(cluster: Cluster, client: Object, server: Object, secrets: set[str]) -> Object | None:
    """The Job that made the account: it has the client's Secret, another one, and the server."""
    names = [service.name for service in cluster.services_of(server)]
    for job in cluster.all("jobs"):
        pod = job.fields.get("spec.template.spec") or {}
        mentioned = json.dumps(containers(job) or pod.get("containers") or ())
        own = _named_in(pod)
        if (
            job.namespace == client.namespace
            and secrets & own
            and len(own) > 1
            and any(re.search(rf'"{re.escape(n)}(\.|:|")', mentioned) for n in names)
            and job.at("status", "succeeded")
        ):
            return job
    return None


def _repair(job: Object) -> Repair:
    copy = f"{job.name}-{AGAIN}"
    space = ["-n", job.namespace]

    def act(tools: Tools) -> Answer:
        answer = tools.call("kubectl", args=[*space, "get", "job", job.name, "-o", "json"])
        if answer.failed:
            return answer
        made = tools.call(
            "kubectl", args=[*space, "create", "-f", "-"], stdin=again(answer.text, copy)
        )
        if made.failed:
            return made
        done = ["wait", f"job/{copy}", "--for=condition=complete", "--timeout=170s"]
        waited = tools.call("kubectl", args=[*space, *done], timeout_s=180)
        removed = tools.call("kubectl", args=[*space, "delete", "job", copy])
        return waited if waited.failed else removed

    def holds(tools: Tools) -> bool:
        return all(each.name != copy for each in read(tools, "jobs", *space))

    return Repair(
        title=f"run Job {job.namespace}/{job.name} once more, as a copy that is removed afterwards",
        justified="it made the account when the application was installed, from the same Secrets",
        act=act,
        holds=holds,
    )


def again(manifest: str, name: str) -> str:
    """A Job's manifest for running it once more under another name."""
    job = json.loads(manifest)
    template = job["spec"]["template"]
    labels = dict(template["metadata"].get("labels") or {})
    for key in GENERATED:
        labels.pop(key, None)
    spec = {k: v for k, v in job["spec"].items() if k not in {"selector", "manualSelector"}}
    spec["template"] = {**template, "metadata": {**template["metadata"], "labels": labels}}
    spec["template"]["metadata"].pop("creationTimestamp", None)
    meta = {"name": name, "namespace": job["metadata"]["namespace"]}
    return json.dumps(
        {"apiVersion": job["apiVersion"], "kind": "Job", "metadata": meta, "spec": spec}
    )
