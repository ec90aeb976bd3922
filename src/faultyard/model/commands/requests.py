"""Programs that ask others over the network: only a plain question is known to look.

Whatever else is sent may make the other side act, and what it does there is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_option
from faultyard.model.commands.words import NOWHERE, Act, Line, known, writing

_CURL_ALWAYS: Final = """sSkvifLgN46#q o: m: w: --silent --show-error --insecure --verbose --include
    --fail --fail-with-body --location --globoff --no-buffer --ipv4 --ipv6 --output: --max-time:
    --connect-timeout: --write-out: --retry: --retry-delay: --retry-max-time: --retry-connrefused
    --cacert: --capath: --resolve: --compressed --no-progress-meter --progress-bar --http1.1
    --http2 --http1.0 --tlsv1.2 --tlsv1.3 --max-redirs: --interface: --path-as-is
    --keepalive-time: --noproxy: --no-keepalive"""
"""Options that say nothing to the other side, or no more than how a page is asked for."""
_CURL: Final = f"""{_CURL_ALWAYS} I D: c: H: A: e: u: X: r: E: --head --dump-header: --cookie-jar:
    --header: --user-agent: --referer: --user: --request: --range: --cert: --key: --url:
    --oauth2-bearer: --version --help"""
_ADDRESS: Final = re.compile(
    r"(?i:https?://)[^\s\\]+|(?!(?i:ftp|dict|ldap|imap|smtp|pop3)\b)[\w.-]+(?::\d+)?(?:/[^\s\\]*)?"
    r"|\[[\da-fA-F:.]+\](?::\d+)?(?:/[^\s\\]*)?"
)
_BARE: Final = re.compile(r"(?i:telnet)://[\w.-]+:\d+/?")
_FEW: Final = 10
_HOST_AND_PORT: Final = 2
_SOCAT_OPTIONS: Final = r"(?:-(?:u|d{1,4}|v|[Tt] ?[\d.]+) )*"
_SOCAT_HOW: Final = r"connect-timeout=[\d.]+|retry=\d+|nodelay"
_SOCAT_TO: Final = rf"(?i:tcp[46]?(?:-connect)?):[\w.-]+:\d+(?:,(?:{_SOCAT_HOW}))*"
_SOCAT_NULL: Final = r"(?:(?i:g?open|file):)?/dev/null"
_NOTHING_SENT: Final = re.compile(
    rf"{_SOCAT_OPTIONS}(?:{_SOCAT_NULL}(?:,rdonly)? {_SOCAT_TO}|{_SOCAT_TO} {_SOCAT_NULL})"
)
_HEARD: Final = re.compile(rf"{_SOCAT_OPTIONS}{_SOCAT_TO} (?:-|(?i:stdio|stdout))")
_INPUT_SENT: Final = re.compile(
    rf"{_SOCAT_OPTIONS}(?:(?:-|(?i:stdio|stdin)) {_SOCAT_TO}|{_SOCAT_TO} (?:-|(?i:stdio)))"
)
_HEADER: Final = re.compile(
    r"(?i:accept|accept-encoding|accept-language|authorization|cache-control|content-type|cookie"
    r"|host|traceparent|user-agent|x-request-id|x-forwarded-for):[^\r\n]*"
)
_QUESTION: Final = re.compile(r"[@+]?[\w./:+=-]+")
"""A name may hold any byte behind a backslash, and a server of something else would read it."""


def _curl(arguments: Sequence[str]) -> Act:
    given = _curl_asks(arguments)
    if given is None:
        return Act.UNKNOWN
    return writing(given.values("-o", "-D", "-c", "--output", "--dump-header", "--cookie-jar"))


def _curl_asks(arguments: Sequence[str]) -> Line | None:
    """Return the command line if all that it says to the other side is a plain question."""
    given = known(arguments, _CURL, shortened=False)
    if given is None:
        return None
    addresses = [*given.words, *given.values("--url")]
    plain = (
        all(_ADDRESS.fullmatch(address) for address in addresses)
        and all(value in ("GET", "HEAD") for value in given.values("-X", "--request"))
        and all(_HEADER.fullmatch(value) for value in given.values("-H", "--header"))
        and not any(
            "%output" in text or text[:1] == "@" for text in given.values("-w", "--write-out")
        )
        and not any("\n" in value or "\r" in value for _, value in given.options)
    )
    return given if plain else None


def sends_input(name: str, arguments: Sequence[str]) -> bool:
    """Tell whether a program only opens a connection, and sends what comes by its standard input.

    Args:
        name: the program.
        arguments: its arguments.
    """
    return name in SENDING and SENDING[name](arguments)


def _curl_sends(arguments: Sequence[str]) -> bool:
    given = known(arguments, _CURL_ALWAYS, shortened=False)
    if given is None or len(given.words) != 1 or not _BARE.fullmatch(given.words[0]):
        return False
    written = {*given.values("-o", "--output")}
    formats = given.values("-w", "--write-out")
    return written <= NOWHERE and not any("%output" in f or f[:1] == "@" for f in formats)


def _socat_sends(arguments: Sequence[str]) -> bool:
    return len(arguments) < _FEW and bool(_INPUT_SENT.fullmatch(" ".join(arguments)))


def _netcat_sends(arguments: Sequence[str]) -> bool:
    given = known(arguments, "vnN46 w: i: W: q:")
    if given is None or len(given.words) != _HOST_AND_PORT:
        return False
    host, port = given.words
    return bool(_NAME.fullmatch(host)) and port.isdecimal()


def _netcat(arguments: Sequence[str]) -> Act:
    """To open a connection and to close it is a question; to a datagram's port it sends one."""
    given = known(arguments, "zvn46 w: i: W: q:")
    if given is None or not given.has("-z") or len(given.words) < 2:
        return Act.UNKNOWN
    ports = all(re.fullmatch(r"\d+(?:-\d+)?", word) for word in given.words[1:])
    return Act.READ if ports and _NAME.fullmatch(given.words[0]) else Act.UNKNOWN


def _socat(arguments: Sequence[str]) -> Act:
    """From where nothing comes, or from the other side alone: with `-u` the second only hears."""
    text = " ".join(arguments)
    silent = _NOTHING_SENT.fullmatch(text) or ("-u" in arguments and _HEARD.fullmatch(text))
    return Act.READ if silent and len(arguments) < _FEW else Act.UNKNOWN


def _wget(arguments: Sequence[str]) -> Act:
    given = _wget_asks(arguments)
    if given is None:
        return Act.UNKNOWN
    files = given.values("-O", "--output-document")
    if given.has("--spider") or (files and set(files) <= NOWHERE):
        return Act.READ
    return writing(files) if files else Act.UNKNOWN


def _wget_asks(arguments: Sequence[str]) -> Line | None:
    told = """qSvd46 O: T: t: U: --quiet --server-response --verbose --no-verbose --output-document:
        --timeout: --tries: --spider --no-check-certificate --max-redirect: --header: --user-agent:
        --connect-timeout: --read-timeout: --version"""
    given = known(arguments, told)
    if given is None or not all(_ADDRESS.fullmatch(address) for address in given.words):
        return None
    return given if all(map(_HEADER.fullmatch, given.values("--header"))) else None


def may_say_anything(name: str, arguments: Sequence[str]) -> bool:
    """Tell whether one of these programs may say more to the other side than a plain question.

    Args:
        name: the program.
        arguments: its arguments.
    """
    if name in _ASKING_FIRST:
        return _ASKING_FIRST[name](arguments) is None
    return name in SENDING


def _asking(told: str) -> Rule:
    plain = by_option(told)

    def rule(arguments: Sequence[str]) -> Act:
        options = [word for word in arguments if not word.startswith("+")]
        asked = arguments and all(_QUESTION.fullmatch(word.lstrip("-")) for word in arguments)
        return plain(options) if asked else Act.UNKNOWN

    return rule


def _nslookup(arguments: Sequence[str]) -> Act:
    asked = [
        word for word in arguments if not re.fullmatch(r"-(?:type|query|debug)(?:=\w+)?", word)
    ]
    return Act.READ if asked and all(map(_NAME.fullmatch, asked)) else Act.UNKNOWN


_NAME: Final = re.compile(r"[\w][\w.:-]*")
_CERTIFICATES: Final[Mapping[str, str]] = {
    "x509": """-noout -text -dates -subject -issuer -enddate -startdate -fingerprint -serial -pubkey
        -purpose -hash -issuer_hash -subject_hash -email -modulus -sha1 -sha256 -in= -inform= -ext=
        -checkend= -nameopt= -certopt= -checkhost= -checkip=""",
    "verify": "-verbose -show_chain -CAfile= -CApath= -untrusted= -purpose= -partial_chain",
    "version": "-a -v -d",
    "crl": "-noout -text -issuer -lastupdate -nextupdate -in= -inform=",
    "ciphers": "-v -V -s",
    "dgst": "-sha1 -sha256 -sha512 -md5 -r -hex",
}


def _openssl(arguments: Sequence[str]) -> Act:
    """Options of one dash are words."""
    told = _CERTIFICATES.get(arguments[0] if arguments else "")
    if told is None:
        return Act.UNKNOWN
    options, waiting = told.split(), list(arguments[1:])
    while waiting:
        word = waiting.pop(0)
        if f"{word}=" in options and waiting:
            waiting.pop(0)
        elif word.startswith("-") and word not in options:
            return Act.UNKNOWN
    return Act.READ


SENDING: Final[Mapping[str, Callable[[Sequence[str]], bool]]] = {
    "curl": _curl_sends,
    "socat": _socat_sends,
    "nc": _netcat_sends,
    "ncat": _netcat_sends,
    "netcat": _netcat_sends,
}
_ASKING_FIRST: Final[Mapping[str, Callable[[Sequence[str]], Line | None]]] = {
    "curl": _curl_asks,
    "wget": _wget_asks,
}
REQUESTS: Final[Mapping[str, Rule]] = {
    "curl": _curl,
    "wget": _wget,
    "nc": _netcat,
    "ncat": _netcat,
    "netcat": _netcat,
    "socat": _socat,
    "dig": _asking("46 t: x: c: q:"),
    "host": _asking("46alCdnrsTvw t: c: N: R: W:"),
    "nslookup": _nslookup,
    "openssl": _openssl,
    "ping": by_option("46anqvDOLR c: i: I: w: W: s: t: M: Q: l:"),
    "ping4": by_option("anqvDOLR c: i: I: w: W: s: t: M: Q:"),
    "ping6": by_option("anqvDOLR c: i: I: w: W: s: t: M: Q:"),
}
