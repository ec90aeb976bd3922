"""Programs for networks: addresses, routes, firewalls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_option, by_reading_option, to_option
from faultyard.model.commands.words import Act, known, line

_IP_BARE: Final = frozenset(
    """-4 -6 -0 -B -M -s -stats -statistics -d -details -o -oneline -br -brief -j -json -p -pretty
    -c -color -color=never -color=auto -color=always -h -human -human-readable -iec -r -resolve -t
    -timestamp -ts -tshort -N -Numeric -a -all -V -Version -ss -compressvlans""".split()
)
_IP_VALUED: Final = frozenset("-n -netns -f -family -rc -rcvbuf -l -loops".split())
_IP_CHANGING: Final = frozenset({"-b", "-batch", "-force"})
_IP_LOOKING: Final = frozenset(
    "show sho sh list lis ls lst get monitor help identify pids save".split()
)
_IP_OBJECTS: Final = ("address", "route", "rule", "neighbour", "neighbor")
"""To these `s` is to show and `l` to list; to links, `s` is to set."""
_TC_BARE: Final = frozenset(
    """-s -stats -statistics -d -details -p -pretty -r -raw -j -json -g -graph -iec -o -oneline -t
    -timestamp -ts -tshort -nm -c -color -N""".split()
)
_NAME: Final = re.compile(r"[\w./:-]+")
_IPTABLES_LOOKS: Final = """LSnvxw4 t: --list --list-rules --table: --numeric --verbose --exact
    --line-numbers --wait"""


def _objects(
    arguments: Sequence[str], bare: frozenset[str], valued: frozenset[str]
) -> tuple[list[str] | None, bool]:
    """Return the words behind the options, which are words of one dash, and whether it is a batch.

    No words: an option is not known.
    """
    waiting, batch = list(arguments), False
    while waiting and waiting[0].startswith("-"):
        word = waiting.pop(0)
        if word in valued and waiting:
            waiting.pop(0)
        elif word in _IP_CHANGING:
            batch = True
        elif word not in bare:
            return None, batch
    return waiting, batch


def _ip(arguments: Sequence[str]) -> Act:
    words, batch = _objects(arguments, _IP_BARE, _IP_VALUED)
    if batch:
        return Act.MIXED
    if words is None:
        return Act.UNKNOWN
    if len(words) < 2 or words[0] == "monitor":
        return Act.READ
    if words[0] in ("netns", "vrf", "net") and words[1] == "exec":
        return Act.STARTS
    if words[0] == "xfrm" and words[1] in ("state", "policy"):
        words = words[1:] if len(words) > 2 else ["xfrm", "list"]
    short = words[1] in ("s", "l") and any(name.startswith(words[0]) for name in _IP_OBJECTS)
    return Act.READ if short or words[1] in _IP_LOOKING else Act.CHANGE


def _tc(arguments: Sequence[str]) -> Act:
    words, batch = _objects(arguments, _TC_BARE, frozenset({"-n", "-netns"}))
    if batch:
        return Act.MIXED
    if words is None:
        return Act.UNKNOWN
    looks = len(words) < 2 or words[1] in ("show", "list", "ls")
    return Act.READ if looks else Act.CHANGE


def _iptables(arguments: Sequence[str]) -> Act:
    given = known(arguments, _IPTABLES_LOOKS)
    if given is not None and given.has("-L", "-S", "--list", "--list-rules"):
        return Act.READ
    loose = line(arguments, "tsdpjiomcADIRNXPELSFZC")
    changing = {f"-{letter}" for letter in "ADIRFZNXPE"}
    spelled = """--append --delete --insert --replace --flush --zero --new-chain --delete-chain
        --policy --rename-chain""".split()
    changes = {name for name, _ in loose.options} & changing or loose.has(*spelled)
    runs = loose.has("--modprobe", "-M")
    if changes:
        return Act.MIXED if runs else Act.CHANGE
    return Act.UNKNOWN


def _nft(arguments: Sequence[str]) -> Act:
    given = known(
        arguments,
        """acnysNSupjtvVhe f: D: I: --handle --check --numeric --stateless --json --terse --version
        --help --file: --echo""",
        mixed=False,
    )
    if given is None:
        return Act.UNKNOWN
    if given.has("-c", "--check", "-v", "--version", "-h", "--help"):
        return Act.READ
    looks = given.words[:1] in (("list",), ("monitor",), ("describe",))
    plain = all(map(_NAME.fullmatch, given.words)) and not given.has("-f", "--file")
    return Act.READ if looks and plain else Act.CHANGE


def _ipset(arguments: Sequence[str]) -> Act:
    looking = {"list", "-L", "save", "-S", "test", "-T", "version"}
    if not arguments or arguments[0] not in looking:
        return Act.CHANGE
    options = {word for word in arguments[1:] if word.startswith("-")}
    return Act.READ if options <= {"-n", "-name", "-t", "-terse", "-s", "-sorted"} else Act.UNKNOWN


def _alone(arguments: Sequence[str]) -> Act:
    """What a word sets: `hostname NAME`."""
    given = known(arguments, "afsdiIAy --fqdn --short --domain --all-fqdns --ip-address")
    if given is None:
        loose = line(arguments, "F").has("-F", "--file", "-b", "--boot")
        return Act.CHANGE if loose else Act.UNKNOWN
    return Act.CHANGE if given.words else Act.READ


def _ipvsadm(arguments: Sequence[str]) -> Act:
    return Act.READ if not arguments else _IPVSADM(arguments)


_IPVSADM: Final = by_reading_option(
    "lLS --list --save",
    """nc t: u: f: --numeric --connection --stats --rate --exact --timeout --daemon --thresholds
    --persistent-conn --sort --nosort --tcp-service: --udp-service: --fwmark-service:""",
)

NETWORKS: Final[Mapping[str, Rule]] = {
    "ip": _ip,
    "bridge": _ip,
    "tc": _tc,
    "ss": by_option(
        """tulnpaeoimszHrO460xwdEbZNSMQ f: F: A: --tcp --udp --listening --numeric --processes --all
        --extended --options --info --memory --summary --no-header --resolve --oneline --unix --raw
        --ipv4 --ipv6 --family: --query: --events --bpf --packet --tipc""",
        "K --kill D: --diag:",
    ),
    "iptables": _iptables,
    "ip6tables": _iptables,
    "iptables-nft": _iptables,
    "iptables-save": by_option("c t: --counters --table:", "f: --file:"),
    "ip6tables-save": by_option("c t: --counters --table:", "f: --file:"),
    "nft": _nft,
    "ipset": _ipset,
    "conntrack": by_reading_option(
        "LGCSE --dump --get --count --stats --event",
        "n s: d: p: f: o: m: u: --proto: --src: --dst: --sport: --dport: --state: --output: "
        "--orig-src: --orig-dst: --orig-port-dst: --orig-port-src: --family: --any-nat",
    ),
    "ethtool": by_option(
        """kigaclxSTPnu --show-features --show-offload --driver --show-ring --show-pause
        --show-coalesce --show-channels --show-rxfh --statistics --show-time-stamping""",
        """ACGKLNUXEfprtsm --change --set-ring --offload --features --pause --coalesce
        --set-channels --reset --set-priv-flags""",
    ),
    "tcpdump": to_option(
        "w:",
        """AdefhHIJKlLnNOpqStuUvxX# c: i: r: s: y: B: Q: T: --interface: --immediate-mode --number
        --version --list-interfaces""",
    ),
    "ipvsadm": _ipvsadm,
    "hostname": _alone,
}
