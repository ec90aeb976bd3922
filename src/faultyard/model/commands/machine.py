"""Programs for the machine itself: services, processes, containers, packages, the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_option, by_reading_option, by_verb
from faultyard.model.commands.words import Act, line

_SYSTEMCTL: Final = """status show cat list-units list-unit-files list-timers list-sockets
    list-dependencies list-jobs list-machines list-paths list-automounts is-active is-enabled
    is-failed is-system-running get-default show-environment help"""
_CONTROL: Final = "status show list list-timezones timesync-status show-timesync list-sessions"


def _kill(arguments: Sequence[str]) -> Act:
    asks = line(arguments).has("-l", "-L", "-0", "--list", "--table")
    return Act.READ if asks or list(arguments[:2]) in (["-s", "0"], ["-n", "0"]) else Act.CHANGE


def _sysctl(arguments: Sequence[str]) -> Act:
    given = line(arguments, "pr")
    writes = given.has("-w", "-p", "--write", "--load", "--system")
    return Act.CHANGE if writes or any("=" in word for word in given.words) else Act.READ


def _mount(arguments: Sequence[str]) -> Act:
    given = line(arguments, "tOoLUN")
    asked = given.has("-a", "-o", "-B", "-M", "-R", "-L", "-U", "--all", "--bind", "--move")
    changing = given.words or asked or any(name.startswith("--make") for name, _ in given.options)
    return Act.CHANGE if changing else Act.READ


def _date(arguments: Sequence[str]) -> Act:
    given = line(arguments, "dfrsI")
    sets = given.has("-s", "--set") or any(not word.startswith("+") for word in given.words)
    return Act.CHANGE if sets else Act.READ


def _crictl(arguments: Sequence[str]) -> Act:
    endpoints = ["--runtime-endpoint", "--image-endpoint", "--timeout", "--config"]
    given = line(arguments, "ritc", endpoints, mixed=False)
    verb = given.words[0] if given.words else ""
    if verb in ("exec", "attach", "port-forward"):
        return Act.UNKNOWN
    reading = """ps pods images image img inspect inspecti inspectp logs info stats statsp metricsp
        metricdescs imagefsinfo version completion events runtime-config help h""".split()
    return Act.READ if not verb or verb in reading else Act.CHANGE


def _ctr(arguments: Sequence[str]) -> Act:
    words = line(arguments, "na", ["--namespace", "--address"], mixed=False).words
    if {"exec", "attach"} & set(words[1:2]):
        return Act.UNKNOWN
    reading = {"ls", "list", "info", "inspect", "metrics", "ps", "check", "tree", "usage", "diff"}
    return Act.READ if len(words) < 2 or words[1] in reading else Act.CHANGE


def _runc(arguments: Sequence[str]) -> Act:
    words = line(arguments, "", ["--root", "--log", "--log-format"], mixed=False).words
    if words[:1] == ("exec",):
        return Act.UNKNOWN
    return Act.READ if words[:1] in ((), ("list",), ("state",), ("ps",)) else Act.CHANGE


def _apt(arguments: Sequence[str]) -> Act:
    reading = {"list", "search", "show", "policy", "depends", "rdepends", "showpkg", "madison"}
    given = line(arguments, "ot")
    if given.has("-s", "--simulate", "--dry-run"):
        return Act.READ
    return Act.READ if not given.words or given.words[0] in reading else Act.CHANGE


def _sudo(arguments: Sequence[str]) -> Act:
    given = line(arguments, "CghpRrTtUu", mixed=False)
    return Act.CHANGE if given.has("-e", "--edit") else Act.STARTS


MACHINE: Final[Mapping[str, Rule]] = {
    "systemctl": by_verb(
        _SYSTEMCTL,
        "ptnoHMsP",
        ["--property", "--type", "--state", "--lines", "--output", "--signal", "--host", "--root"],
    ),
    "service": lambda given: Act.READ if given[1:2] == ["status"] else Act.CHANGE,
    "journalctl": by_option(
        "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync --relinquish-var "
        "--smart-relinquish-var --setup-keys --update-catalog",
        "nopuUtgSDbFMcP",
    ),
    "timedatectl": by_verb(_CONTROL),
    "hostnamectl": by_verb(_CONTROL),
    "localectl": by_verb(_CONTROL),
    "loginctl": by_verb(f"{_CONTROL} session-status user-status list-users show-session show-user"),
    "networkctl": by_verb(_CONTROL),
    "resolvectl": by_verb("status query statistics service"),
    "busctl": by_verb("list status tree introspect get-property monitor capture help"),
    "systemd-analyze": by_option(""),
    "systemd-cgls": by_option(""),
    "systemd-cgtop": by_option(""),
    "coredumpctl": by_verb("list info"),
    "sysctl": _sysctl,
    "mount": _mount,
    "swapon": by_reading_option("-s --summary --show"),
    "swapoff": by_reading_option("-h --help"),
    "losetup": by_reading_option("-a -l --all --list"),
    "btrfs": lambda given: Act.READ if {"show", "list", "df", "usage"} & {*given} else Act.CHANGE,
    "dmesg": by_option("-c -C -n -D -E --clear --read-clear --console-level", "lfFsn"),
    "date": _date,
    "kill": _kill,
    "pkill": by_reading_option("-0 -h --help"),
    "killall": by_reading_option("-0 -l --list"),
    "fuser": by_option("-k --kill", "n"),
    "sudo": _sudo,
    "sudoedit": lambda _: Act.CHANGE,
    "crontab": by_reading_option("-l", "u"),
    "atq": lambda _: Act.READ,
    "crictl": _crictl,
    "ctr": _ctr,
    "runc": _runc,
    "apt": _apt,
    "apt-get": _apt,
    "apt-cache": _apt,
    "apt-mark": by_verb("showauto showmanual showhold"),
    "dpkg": by_reading_option(
        "-l -L -s -S -p -C -V --list --listfiles --status --search --print-avail --audit --verify "
        "--get-selections --print-architecture --version"
    ),
    "sshd": by_reading_option("-t -T"),
}
