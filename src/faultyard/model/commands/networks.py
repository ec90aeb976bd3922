"""Programs for networks: addresses, routes, firewalls, and requests to others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_option, by_reading_option, to_option
from faultyard.model.commands.words import NOWHERE, Act, Line, line, worst, writing

_CURL_VALUES: Final = "AbcCdDeEFhHKmoPQrtTuUwxXyYz"
_CURL_LONG: Final = """--request --data --data-raw --data-binary --data-urlencode --form
    --upload-file --json --output --config --header --max-time --user --cacert --cert --key
    --connect-timeout --retry --resolve --write-out --user-agent --url --proxy --unix-socket
    --connect-to --dump-header --cookie --cookie-jar --retry-delay --interface""".split()
_CURL_SENDING: Final = "-d -F -T -K --data --form --upload-file --json --config".split()


def _curl(arguments: Sequence[str]) -> Act:
    given = line(arguments, _CURL_VALUES, _CURL_LONG)
    methods = {value.upper() for value in given.values("-X", "--request")}
    sends = any(name in _CURL_SENDING or name.startswith("--data") for name, _ in given.options)
    if sends or methods - {"GET", "HEAD", "OPTIONS"} or given.has("-O", "--remote-name"):
        return Act.UNKNOWN  # what that does is decided elsewhere
    return writing(given.values("-o", "-D", "-c", "--output", "--dump-header", "--cookie-jar"))


def _wget(arguments: Sequence[str]) -> Act:
    given = line(arguments, "oOPUtTe", ["--output-document"])
    files = given.values("-O", "--output-document")
    if given.has("--post-data", "--post-file", "--method", "-e", "--execute"):
        return Act.UNKNOWN
    if given.has("--spider") or (files and set(files) <= NOWHERE):
        return Act.READ
    return worst([Act.UNKNOWN, writing(files)])


def _ip(arguments: Sequence[str]) -> Act:
    """Options of one dash are words: `-br`, `-json`; commands may be shortened."""
    words: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        if word.startswith("-") and not words:
            if word in ("-b", "-batch", "-force"):
                return Act.CHANGE
            waiting = waiting[1:] if word in ("-n", "-netns", "-f", "-family") else waiting
        else:
            words.append(word)
    if len(words) < 2:
        return Act.READ
    if words[1] == "exec":
        return Act.STARTS
    looking = ("show", "list", "lst", "get", "monitor", "help", "identify", "pids", "save")
    return Act.READ if any(verb.startswith(words[1]) for verb in looking) else Act.CHANGE


def _iptables(arguments: Sequence[str]) -> Act:
    given = line(arguments, "tsdpjiomcADIRNXPELSFZC")
    names = {name for name, _ in given.options}
    changing = {f"-{letter}" for letter in "ADIRFZNXPE"}
    spelled = """--append --delete --insert --replace --flush --zero --new-chain --delete-chain
        --policy --rename-chain""".split()
    return Act.CHANGE if names & changing or given.has(*spelled) else Act.READ


def _nft(arguments: Sequence[str]) -> Act:
    given = line(arguments, "fDI", ["--file"])
    if given.has("-c", "--check", "-v", "--version", "-h", "--help"):
        return Act.READ
    if given.has("-i", "--interactive"):
        return Act.UNKNOWN
    looks = given.words[:1] in (("list",), ("monitor",), ("describe",))
    return Act.READ if looks and not given.has("-f", "--file") else Act.CHANGE


def _tc(arguments: Sequence[str]) -> Act:
    words = [word for word in arguments if not word.startswith("-")]
    looks = len(words) < 2 or any(verb.startswith(words[1]) for verb in ("show", "list", "ls"))
    return Act.READ if looks and "-b" not in arguments else Act.CHANGE


def _openssl(arguments: Sequence[str]) -> Act:
    reading = {"x509", "s_client", "verify", "version", "crl", "asn1parse", "ciphers", "dgst"}
    looks = arguments and arguments[0] in reading and not {"-out", "-CAcreateserial"} & {*arguments}
    return Act.READ if looks else Act.UNKNOWN


def _alone(arguments: Sequence[str]) -> Act:
    """What a word sets: `hostname NAME`, `domainname NAME`."""
    given: Line = line(arguments, "F")
    return Act.CHANGE if given.words or given.has("-F", "--file", "-b", "--boot") else Act.READ


NETWORKS: Final[Mapping[str, Rule]] = {
    "ip": _ip,
    "bridge": _ip,
    "tc": _tc,
    "ss": by_option("-K --kill", "fFAND"),
    "iptables": _iptables,
    "ip6tables": _iptables,
    "iptables-nft": _iptables,
    "iptables-save": by_option("-f --file"),
    "ip6tables-save": by_option("-f --file"),
    "nft": _nft,
    "ipset": lambda given: (
        Act.READ
        if given[:1] in (["list"], ["-L"], ["save"], ["-S"], ["test"], ["-T"], ["version"])
        else Act.CHANGE
    ),
    "conntrack": by_reading_option("-L -G -C -S -E --dump --get --count --stats --event", "spdfo"),
    "ethtool": by_option(
        "-A -C -G -K -L -N -U -X -E -f -p -r -t -s -m --change --set-ring --offload --features "
        "--pause --coalesce --set-channels --reset --set-priv-flags"
    ),
    "tcpdump": to_option("-w -z", "wzicCGWrsFyETBjQV"),
    "curl": _curl,
    "wget": _wget,
    "openssl": _openssl,
    "hostname": _alone,
}
