"""Programs that start others, which have lines of their own: what they do beside that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, names
from faultyard.model.commands.words import Act, Line, known, worst, writing

_SAFE: Final = re.compile(
    r"LANG|LC_[A-Z]+|LANGUAGE|TZ|TERM|COLUMNS|LINES|NO_COLOR|KUBECONFIG|ETCDCTL_API|DEBIAN_FRONTEND"
    r"|SYSTEMD_(?:PAGER|COLORS|LESS)|PATH|CONTAINER_RUNTIME_ENDPOINT"
)
"""Variables that make no program do something else; programs are told apart by their path."""
_SENSITIVE: Final = re.compile(
    r"LD_.*|BASH.*|ENV|SHELLOPTS|PS\d|PROMPT_COMMAND|LESS.*|.*PAGER|.*EDITOR|HOME|XDG_.*|GCONV_PATH"
    r"|LOCPATH|TMPDIR|.*_HOME|HIST.*|GLIBC_.*|MALLOC_.*|[A-Za-z]*_?(?:proxy|PROXY)|IFS|.*_OPTIONS"
)
"""Variables that others may see already, and that make them do something else."""
_ASSIGNMENT: Final = re.compile(r"([^=]*)=.*", re.DOTALL)
"""Whatever signs a name has: a shell's function comes by such a variable."""


def safe_variable(name: str) -> bool:
    """Tell whether a variable makes no program do anything but what its words say."""
    return bool(_SAFE.fullmatch(name))


def sensitive(name: str) -> bool:
    """Tell whether a shell's variable may make others that see it do something else."""
    return bool(_SENSITIVE.fullmatch(name))


def _starting(told: str, *, writes: str = "") -> Rule:
    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, f"{told} {writes}", mixed=False)
        if given is None:
            return Act.UNKNOWN
        files = given.values("-o", "--output") if writes else []
        return worst([Act.STARTS, *_assigned(given), writing(files)])

    return rule


def _scheduling(told: str, *, process: str, showing: str = "") -> Rule:
    """Make the rule of a program that starts another, or is told of a process that runs.

    Args:
        told: its options, see `words.grammar`.
        process: those by which it is told of a process: that one alone is shown.
        showing: others with which it still shows only; with more than a number it sets.
    """
    starting = _starting(f"{told} {process}")

    def rule(arguments: Sequence[str]) -> Act:
        given = known(arguments, f"{told} {process}", mixed=False)
        if given is None or not given.has(*names(process)):
            return starting(arguments)
        options = {name for name, _ in given.options}
        numbers = [*filter(None, given.values(*names(process))), *given.words]
        alone = len(numbers) == 1 and numbers[0].isdecimal()
        return Act.READ if alone and options <= names(f"{process} {showing}") else Act.CHANGE

    return rule


def _assigned(given: Line) -> list[Act]:
    acts: list[Act] = []
    for word in given.words:
        found = _ASSIGNMENT.fullmatch(word)
        if found is None:
            break
        acts += [] if safe_variable(found[1]) else [Act.UNKNOWN]
    return acts


def _sudo(arguments: Sequence[str]) -> Act:
    told = "AbEHknPSisKlvBN C: g: h: p: r: T: t: U: u: --user: --group: --non-interactive --stdin"
    given = known(
        arguments, f"{told} --login --shell --list --set-home --preserve-env", mixed=False
    )
    if given is not None:
        return worst([Act.STARTS, *_assigned(given)])
    edits = bool(arguments) and arguments[0] in ("-e", "--edit")
    return Act.MIXED if edits else Act.UNKNOWN


def _chroot(arguments: Sequence[str]) -> Act:
    """Elsewhere than where a node's own root is seen, no program is what its name says."""
    given = known(arguments, "--userspec: --groups: --skip-chdir", mixed=False)
    plain = given is not None and given.words[:1] in (("/",), ("/host",))
    return Act.STARTS if plain else Act.UNKNOWN


_NSENTER: Final = """amuinpCUTFZ t: S: G: --target: --all --mount --uts --ipc --net --pid --cgroup
    --user --time --setuid: --setgid: --no-fork --preserve-credentials"""

STARTERS: Final[Mapping[str, Rule]] = {
    "sudo": _sudo,
    "sudoedit": lambda _: Act.MIXED,
    "env": _starting("i0v u: --ignore-environment --unset: --null --debug"),
    "timeout": _starting(
        "v s: k: --signal: --kill-after: --foreground --preserve-status --verbose"
    ),
    "nice": _starting("0123456789 n: --adjustment:"),
    "ionice": _scheduling(
        "t c: n: --class: --classdata: --ignore", process="p: --pid:", showing="t --ignore"
    ),
    "chrt": _scheduling(
        "bfiormaRv --batch --fifo --idle --other --rr --max", process="p --pid", showing="av"
    ),
    "taskset": _scheduling(
        "ac --all-tasks --cpu-list", process="p --pid", showing="ac --all-tasks --cpu-list"
    ),
    "setsid": _starting("cfw --ctty --fork --wait"),
    "stdbuf": _starting("i: e: o: --input: --error:"),
    "time": _starting("pvaq f: --portability --verbose --format:", writes="o: --output:"),
    "xargs": _starting(
        """0rtpx a: d: E: I: L: n: P: s: --null --no-run-if-empty --verbose --arg-file: --delimiter:
        --max-args: --max-procs: --max-lines: --replace"""
    ),
    "watch": _starting(
        "bcdegtxwr n: --interval: --no-title --differences --color --exec --errexit"
    ),
    "nsenter": _starting(_NSENTER),
    "chroot": _chroot,
    "su": _starting("lmpfP c: s: g: G: --login --command: --shell: --preserve-environment"),
    "runuser": _starting("lmpf u: c: s: g: G: --login --command: --shell: --user:"),
    "doas": _starting("nL u:"),
    "pkexec": _starting("--user: --disable-internal-agent"),
    "setpriv": _starting(
        """--reuid: --regid: --groups: --clear-groups --init-groups --no-new-privs --inh-caps:
        --bounding-set: --ambient-caps: --keep-groups --reset-env"""
    ),
    "run-parts": _starting("v --report --test --list --verbose --regex: --lsbsysinit"),
    "dumb-init": _starting("cv"),
    "tini": _starting("sgvw p: e:"),
    "catatonit": _starting("g"),
    "setarch": _starting("Rv"),
}
