"""Programs for the machine itself: services, processes, packages, the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import REMOTE, Rule, by_option, by_reading_option, by_verb
from faultyard.model.commands.words import Act, known

_VERBS: Final = """status show cat list-units list-unit-files list-timers list-sockets
    list-dependencies list-jobs list-machines list-paths list-automounts is-active is-enabled
    is-failed is-system-running get-default show-environment help"""
_SHOWN: Final = """lqah --no-pager --no-legend --legend: --full --all --quiet --no-ask-password
    --json: --value p: P: --property: n: o: --lines: --output:"""
_SYSTEMCTL: Final = f"""{_SHOWN} rfiT t: s: --type: --state: --recursive --plain --failed
    --show-types --reverse --before --after --with-dependencies --timestamp: --message: --signal:
    --kill-whom: --kill-who: --kill-value: --what: --when: --job-mode: --fail --irreversible
    --check-inhibitors: --now --runtime --force --no-block --wait --no-wall --no-reload --dry-run
    --preset-mode: --read-only --mkdir --marked --show-transaction --drop-in: --system
    --firmware-setup --boot-loader-menu: --boot-loader-entry:"""
_CONTROL: Final = "status show list list-timezones timesync-status show-timesync list-sessions"

_BY_NAME: Final = by_reading_option("h0 --help")


def _systemctl(arguments: Sequence[str]) -> Act:
    # A user's own manager is a service: what it starts is nobody's.
    others = f"{REMOTE} --root: --image: --image-policy: --global"
    verb = by_verb(_VERBS, _SYSTEMCTL, mixed_verbs="edit link set-environment", elsewhere=others)
    own = [word for word in arguments if word != "--user"]
    found = verb(own)
    return Act.MIXED if len(own) < len(arguments) and found is Act.CHANGE else found


def _kill(arguments: Sequence[str]) -> Act:
    given = list(arguments)
    asks = given[:1] in (["-l"], ["-L"], ["-0"], ["--list"], ["--table"])
    asks |= given[:2] in (["-s", "0"], ["-n", "0"]) or _sends_nothing(given)
    return Act.READ if asks else Act.CHANGE


def _pkill(arguments: Sequence[str]) -> Act:
    return Act.READ if _sends_nothing(arguments) else _BY_NAME(arguments)


def _sends_nothing(arguments: Sequence[str]) -> bool:
    """Tell whether the signal is spelled out as none, and no other option says anything else."""
    match list(arguments):
        case ["--signal=0", *others] | ["--signal", "0", *others]:
            return all(word in ("-f", "-x") or word[:1] != "-" for word in others)
    return False


def _sysctl(arguments: Sequence[str]) -> Act:
    told = "aAnNebqX r: --all --names --values --ignore --quiet --pattern: --binary"
    given = known(arguments, f"{told} w p? --write --load --system")
    if given is None:
        return Act.UNKNOWN
    writes = given.has("-w", "-p", "--write", "--load", "--system")
    return Act.CHANGE if writes or any("=" in word for word in given.words) else Act.READ


def _date(arguments: Sequence[str]) -> Act:
    given = known(arguments, "uR d: r: f: s: I? --date: --utc --iso-8601 --rfc-3339: --set:")
    if given is None:
        return Act.UNKNOWN
    sets = given.has("-s", "--set") or any(not word.startswith("+") for word in given.words)
    return Act.CHANGE if sets else Act.READ


def _apt(arguments: Sequence[str]) -> Act:
    reading = {"list", "search", "show", "policy", "depends", "rdepends", "showpkg", "madison"}
    given = known(
        arguments,
        """aqyfVu t: s --installed --upgradable --all-versions --quiet --simulate --dry-run --yes
        --names-only --full --no-install-recommends""",
    )
    if given is None:
        changes = not reading & set(arguments)
        return Act.MIXED if changes else Act.UNKNOWN
    looks = not given.words or given.words[0] in reading
    return Act.READ if looks or given.has("-s", "--simulate", "--dry-run") else Act.CHANGE


def _top(arguments: Sequence[str]) -> Act:
    """At a terminal it is told to kill and to renice."""
    given = known(arguments, "bcHiSs1 n: d: p: u: U: o: E: e: w?")
    return Act.READ if given is not None and given.has("-b") else Act.UNKNOWN


def _btrfs(arguments: Sequence[str]) -> Act:
    looking = """subvolume list/subvolume show/filesystem show/filesystem df/filesystem usage
        /filesystem du/device usage/qgroup show/scrub status/balance status"""
    pairs = {" ".join(pair.split()) for pair in looking.split("/")}
    return Act.READ if " ".join(arguments[:2]) in pairs else Act.CHANGE


MACHINE: Final[Mapping[str, Rule]] = {
    "systemctl": _systemctl,
    "service": lambda given: (
        Act.READ if given[1:] == ["status"] or given == ["--status-all"] else Act.CHANGE
    ),
    "journalctl": by_option(
        """efxraqkNm u: U: o: p: S: t: g: F: D: c: b? n? --unit: --user-unit: --output: --priority:
        --since: --until: --identifier: --grep: --boot? --boot --lines --dmesg --no-pager --follow
        --pager-end --catalog --reverse --all --quiet --utc --no-hostname --no-tail --merge
        --full --no-full --list-boots --disk-usage --field: --fields --file: --directory: --cursor:
        --after-cursor: --show-cursor --case-sensitive --header --system --user --output-fields:
        --list-catalog --facility: --verify --version --help""",
        """--vacuum-size: --vacuum-time: --vacuum-files: --rotate --flush --sync --relinquish-var
        --smart-relinquish-var --setup-keys --update-catalog""",
    ),
    "timedatectl": by_verb(_CONTROL, f"{_SHOWN} --adjust-system-clock --monitor"),
    "hostnamectl": by_verb("status show", f"{_SHOWN} --transient --static --pretty"),
    "localectl": by_verb("status list-locales list-keymaps", _SHOWN),
    "loginctl": by_verb(
        f"{_CONTROL} session-status user-status list-users list-seats seat-status show-session "
        "show-user show-seat",
        f"{_SHOWN} s: --signal: --kill-whom: --kill-who:",
    ),
    "networkctl": by_verb("status list lldp", f"{_SHOWN} s --stats --runtime"),
    "resolvectl": by_verb(
        "status query statistics",
        "46i: p: t: c: --interface: --protocol: --type: --class: --legend: --no-pager --cache:",
    ),
    "busctl": by_verb(
        "list status tree introspect get-property monitor capture help",
        """qlj --no-pager --no-legend --system --user --list --unique --acquired --activatable
        --match: --size: --quiet --verbose --json: --full --timeout: --expect-reply:
        --auto-start: --allow-interactive-authorization: --augment-creds: --destination:
        --watch-bind: --show-machine --xml-interface""",
        mixed_verbs="call emit set-property",
        elsewhere=f"{REMOTE} --address:",
    ),
    "systemd-analyze": by_verb(
        """time blame critical-chain dot plot dump unit-paths unit-files exit-status capability
        condition syscall-filter cat-config calendar timestamp timespan security verify""",
        "--no-pager --system --user --fuzz: --order --require --from-pattern: --to-pattern:",
    ),
    "systemd-cgls": by_option("alku: --all --full --no-pager --unit:"),
    "systemd-cgtop": by_option("ptcimbrk1P n: d: --batch --raw --iterations: --delay: --depth:"),
    "coredumpctl": by_verb("list info", "1rq n: S: U: F: --no-pager --no-legend --since: --until:"),
    "sysctl": _sysctl,
    "mount": lambda given: (
        Act.READ
        if (asked := known(given, "lvV t: --show-labels --verbose --types:")) and not asked.words
        else Act.CHANGE
    ),
    "swapoff": by_reading_option("h --help"),
    "losetup": by_reading_option("al --all --list", "nJ O: j: --noheadings --json --output:"),
    "btrfs": _btrfs,
    "dmesg": by_option(
        """dekHLPprSTtuwWxhV l: f: s: --ctime --human --follow --level: --facility: --decode
        --kernel --userspace --nopager --color: --time-format: --since: --until: --json""",
        "cCDE n: --clear --read-clear --console-off --console-on --console-level:",
    ),
    "date": _date,
    "kill": _kill,
    "pkill": _pkill,
    "killall": by_reading_option("l --list"),
    "fuser": by_option("aimuv46M n: --all --mount --user --verbose --namespace:", "k --kill"),
    "top": _top,
    "crontab": lambda given: (
        Act.READ
        if (asked := known(given, "l u:")) and asked.has("-l") and not asked.words
        else Act.MIXED
    ),
    "apt": _apt,
    "apt-get": _apt,
    "apt-cache": _apt,
    "apt-mark": by_verb("showauto showmanual showhold", elsewhere=""),
    "dpkg": by_reading_option(
        "lLsSpCV --list --listfiles --status --search --print-avail --audit --verify "
        "--get-selections --print-architecture --version"
    ),
    "sshd": by_reading_option("tT", "f: C: o:"),
    "sar": by_option("AbBdFHhqrRSuvwWyz n: P: f: s: e: i: j:"),
    "lshw": by_option("c: C: --help", words=False),
    "nfsstat": by_option("csnrlmo234v --nfs --server --client --mounts"),
    "pidstat": by_option("dhHlrRsuUvwtV p: C: G: T: --human"),
    "lsof": lambda given: (
        Act.READ
        if not any(word.startswith(("-D", "+D0", "-A", "-k")) for word in given)
        else Act.UNKNOWN
    ),
}
