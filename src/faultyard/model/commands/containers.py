"""Programs for containers and for the cluster, on a node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule
from faultyard.model.commands.words import Act, known

CRICTL: Final = """hvD r: i: t: c: --runtime-endpoint: --image-endpoint: --timeout: --config:
    --debug --help --version"""
_CRICTL_READS: Final = frozenset(
    """ps pods images image img inspect inspecti inspectp logs info stats statsp metricsp
    metricdescs imagefsinfo version events runtime-config help h""".split()
)
_CRICTL_CHANGES: Final = frozenset(
    "stop stopp rm rmp rmi pull update update-runtime-config".split()
)
CTR: Final = """hv n: a: --namespace: --address: --timeout: --connect-timeout: --debug --help
    --version"""
_CTR_GROUPS: Final = frozenset(
    """containers container c tasks task t images image i content snapshots snapshot namespaces
    namespace ns leases plugins plugin sandboxes sandbox""".split()
)
_CTR_READS: Final = frozenset("ls list info inspect metrics ps check tree usage".split())
_CTR_CHANGES: Final = frozenset(
    "rm del delete remove kill pause resume pull tag label import push create unpack".split()
)
RUNC: Final = "hv --root: --log-level: --log-format: --debug --systemd-cgroup --rootless: --version"
_RUNC_CHANGES: Final = frozenset("kill delete pause resume update".split())
_RUN: Final = "/run/"

_KUBECTL: Final = """hwAR n: o: l: L: c: p --help --namespace: --output: --selector:
    --all-namespaces --watch --watch-only --field-selector: --label-columns: --show-labels
    --show-kind --sort-by: --no-headers --context: --cluster: --kubeconfig: --request-timeout:
    --container: --previous --tail: --since: --since-time: --timestamps --all-containers
    --prefix --ignore-not-found --chunk-size: --limit-bytes: --max-log-requests: --recursive
    --api-version: --for: --timeout: --containers --show-managed-fields --types: --revision:
    --follow --minify --flatten --client --short --list --namespaced: --verbs: --api-group:
    --use-protocol-buffers --show-events"""
_KUBECTL_READS: Final = frozenset(
    """get describe logs log top version explain events wait api-resources api-versions
    options""".split()
)
_KUBECTL_PAIRS: Final = frozenset(
    """auth can-i/auth whoami/rollout status/rollout history/config view/config get-contexts
    /config current-context/config get-clusters/config get-users/cluster-info""".replace("\n", "")
    .replace("    ", "")
    .split("/")
)


def _crictl(arguments: Sequence[str]) -> Act:
    given = known(arguments, CRICTL, mixed=False, shortened=False)
    if given is None or not _local(
        given.values("-r", "-i", "--runtime-endpoint", "--image-endpoint")
    ):
        return Act.UNKNOWN
    verb = given.words[0] if given.words else ""
    if not verb or verb in _CRICTL_READS:
        return Act.READ
    if verb == "config" and _asks(given.words[1:]) and not given.has("-c", "--config"):
        return Act.READ  # a file of another name would be made
    if verb in ("exec", "attach", "port-forward"):
        return Act.UNKNOWN
    # What a container does that is made here has no line of a session.
    return Act.CHANGE if verb in _CRICTL_CHANGES else Act.MIXED


def _asks(words: Sequence[str]) -> bool:
    """Tell whether settings are only shown."""
    return bool(re.fullmatch(r"--list|--get[ =][\w-]+", " ".join(words)))


def _ctr(arguments: Sequence[str]) -> Act:
    given = known(arguments, CTR, mixed=False, shortened=False)
    if given is None or not _local(given.values("-a", "--address")):
        return Act.UNKNOWN
    group, verb = (*given.words[:2], "", "")[:2]
    if group in ("", "version", "info", "events") or (group in _CTR_GROUPS and not verb):
        return Act.READ
    if verb in ("exec", "attach") or verb.startswith("-"):
        return Act.UNKNOWN
    if group not in _CTR_GROUPS:
        return Act.MIXED
    if verb in _CTR_READS:
        return Act.READ
    return Act.CHANGE if verb in _CTR_CHANGES else Act.MIXED


def _runc(arguments: Sequence[str]) -> Act:
    given = known(arguments, RUNC, mixed=False, shortened=False)
    if given is None or given.words[:1] == ("exec",):
        return Act.UNKNOWN
    if given.words[:1] in ((), ("list",), ("state",), ("ps",)):
        return Act.READ
    return Act.CHANGE if given.words[0] in _RUNC_CHANGES else Act.MIXED


def _local(endpoints: list[str]) -> bool:
    return all(each.removeprefix("unix://").startswith(_RUN) for each in endpoints)


def _kubectl(arguments: Sequence[str]) -> Act:
    """What it does to the cluster is in the API server's log, if it was asked of this one."""
    logs = "f t" if {"logs", "log"} & set(arguments) else "f:"
    given = known(arguments, f"{_KUBECTL} {logs} --filename:", shortened=False)
    if given is None or any("file" in value for value in given.values("-o", "--output")):
        return Act.UNKNOWN
    words = given.words
    if not words or words[0] in _KUBECTL_READS:
        return Act.READ
    if " ".join(words[:2]) in _KUBECTL_PAIRS:
        return Act.READ
    # These write files of this machine.
    return Act.MIXED if words[0] in ("cp", "config") else Act.UNKNOWN


CONTAINERS: Final[Mapping[str, Rule]] = {
    "crictl": _crictl,
    "ctr": _ctr,
    "runc": _runc,
    "kubectl": _kubectl,
}
