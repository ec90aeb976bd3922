"""Programs for files and texts: what they write, and where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from faultyard.model.commands.rules import Rule, by_option, by_reading_option, to_files, to_option
from faultyard.model.commands.scripts import awk_prints, sed_prints
from faultyard.model.commands.words import Act, known, line, touching, worst, writing

_FIND_TESTS: Final = frozenset(
    """-H -L -P -D -O0 -O1 -O2 -O3 -a -and -o -or -not -true -false -prune -print -print0
    -printf -ls -quit -depth -d -maxdepth -mindepth -mount -xdev -follow -daystart -regextype
    -warn -nowarn -noleaf -ignore_readdir_race -amin -anewer -atime -cmin -cnewer -ctime
    -empty -executable -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename
    -links -lname -mmin -mtime -name -newer -newerat -newerct -newermt -newerma -newermc
    -newerac -newerca -nogroup -nouser -path -perm -readable -regex -samefile -size -type -uid
    -used -user -wholename -writable -xtype""".split()
)
_FIND_ACTS: Final = frozenset({"-delete", "-fprint", "-fprint0", "-fprintf", "-fls"})
_FIND_STARTS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_NUMBER: Final = re.compile(r"-\d+[a-zA-Z]*|-[ugo0-7=rwxst,+]+")
_DD: Final = frozenset("if of bs ibs obs cbs count skip seek iflag oflag conv status".split())
_SED: Final = "nErszub e: l: --quiet --silent --expression: --regexp-extended --posix --null-data"
_TAR: Final = """tvzjJ f: C: X: T: --list --verbose --file: --directory: --exclude: --gzip --bzip2
    --xz --zstd --wildcards --strip-components:"""


def _copying(arguments: Sequence[str]) -> Act:
    told = "abdfilnpPRrsuvLHTxZ t: S: --target-directory: --archive --recursive --verbose --force"
    given = known(arguments, f"{told} --no-clobber --parents --update --suffix: --preserve?")
    unsure = [Act.UNKNOWN] if given is None else []
    given = given or line(arguments, "tSZ", ["--target-directory"])
    targets = given.values("-t", "--target-directory") or given.words[-1:]
    return worst([*unsure, writing(targets)])


def _awk(arguments: Sequence[str]) -> Act:
    given = known(arguments, "F: v: --field-separator: --assign:", mixed=False)
    prints = given is not None and given.words and awk_prints(given.words[0])
    return Act.READ if prints else Act.UNKNOWN


def _sed(arguments: Sequence[str]) -> Act:
    if line(arguments, "efl", ["--expression", "--file"]).has("-i", "--in-place"):
        return Act.CHANGE
    given = known(arguments, _SED)
    if given is None:
        return Act.UNKNOWN
    scripts = given.values("-e", "--expression") or list(given.words[:1])
    return Act.READ if scripts and all(map(sed_prints, scripts)) else Act.UNKNOWN


def _find(arguments: Sequence[str]) -> Act:
    acts: list[Act] = []
    within = False
    for word in arguments:
        if within:
            within = word not in (";", "+")
        elif word in _FIND_STARTS:
            within = True
            acts.append(Act.STARTS)
        elif word in _FIND_ACTS:
            acts.append(Act.CHANGE)
        elif word.startswith("-") and word not in _FIND_TESTS and not _NUMBER.fullmatch(word):
            acts.append(Act.UNKNOWN)
    return worst(acts)


def _tar(arguments: Sequence[str]) -> Act:
    letters = arguments[0].lstrip("-") if arguments and arguments[0][:2] != "--" else ""
    words = [f"-{letters}", *arguments[1:]] if letters else list(arguments)
    listing = known(words, _TAR)
    if listing is not None and listing.has("-t", "--list"):
        return Act.UNKNOWN if any(":" in file for file in listing.values("-f")) else Act.READ
    making = known(words, f"{_TAR} chPp --create --dereference --absolute-names")
    if making is not None and making.has("-c", "--create"):
        return writing(making.values("-f", "--file"))
    taking = known(words, f"{_TAR} xkmpPo --extract --overwrite --keep-old-files")
    if taking is not None and taking.has("-x", "--extract"):
        return Act.CHANGE
    asked = line(words, "fCX")
    return Act.UNKNOWN if asked.has("-t", "--list") and not asked.has("-x", "-c") else Act.MIXED


def _dd(arguments: Sequence[str]) -> Act:
    unsure = [Act.UNKNOWN for word in arguments if word.partition("=")[0] not in _DD]
    return worst([*unsure, writing([word[3:] for word in arguments if word.startswith("of=")])])


def _tee(arguments: Sequence[str]) -> Act:
    given = known(arguments, "aip --append --ignore-interrupts")
    unsure = [Act.UNKNOWN] if given is None else []
    return worst([*unsure, writing((given or line(arguments)).words)])


def _move(arguments: Sequence[str]) -> Act:
    given = known(arguments, "bfinuvTZ t: S: --target-directory: --force --no-clobber --verbose")
    unsure = [Act.UNKNOWN] if given is None else []
    given = given or line(arguments, "tS", ["--target-directory"])
    return worst([*unsure, touching([*given.words, *given.values("-t", "--target-directory")])])


_PACKING: Final = "fkqvr --force --keep --quiet --verbose"
_RIGHTS: Final = "Rcfv --recursive --changes --silent --verbose --no-dereference"

FILES: Final[Mapping[str, Rule]] = {
    "sed": _sed,
    "awk": _awk,
    "mawk": _awk,
    "gawk": _awk,
    "find": _find,
    "tee": _tee,
    "touch": to_files("acm d: r: t: --date: --reference: --time: --no-create"),
    "mkdir": to_files("pv m: --parents --mode: --verbose"),
    "mktemp": lambda _: Act.UNKNOWN,
    "rm": to_files("firRdvI --force --recursive --one-file-system --verbose"),
    "rmdir": to_files("pv --parents --verbose --ignore-fail-on-non-empty"),
    "chmod": to_files(_RIGHTS, first=1),
    "chown": to_files(f"{_RIGHTS} hHLP", first=1),
    "chgrp": to_files(f"{_RIGHTS} hHLP", first=1),
    "cp": _copying,
    "mv": _move,
    "dd": _dd,
    "tar": _tar,
    "sort": to_option(
        "o: --output:",
        """bdfghiMnRrVcCmsuz k: t: S: --key: --field-separator: --numeric-sort --reverse --unique
        --human-numeric-sort --version-sort --general-numeric-sort --ignore-case --stable
        --parallel: --zero-terminated --month-sort""",
    ),
    "shuf": to_option("o: --output:", "erz i: n: --echo --input-range: --head-count: --repeat"),
    "tree": to_option(
        "o:",
        """adfilxpugshDFqNCnrtUcvJXQ L: P: I: --noreport --dirsfirst --du --si --prune --inodes
        --device --charset: --filelimit: --timefmt: --matchdirs --ignore-case""",
    ),
    "iconv": to_option("o: --output:", "cls f: t: --from-code: --to-code: --list --silent"),
    "uniq": to_option(
        "",
        "cdDiuz f: s: w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars:",
        second_word=True,
    ),
    "xxd": to_option("", "abeEipruCd c: g: l: o: s: n: R:", second_word=True),
    "gzip": by_reading_option("clt --stdout --to-stdout --list --test", f"d {_PACKING}"),
    "gunzip": by_reading_option("clt --stdout --to-stdout --list --test", _PACKING),
    "bzcat": by_option(""),
    "xzcat": by_option(""),
    "yq": by_option(
        """erPMCNnj o: p: I: --output-format: --input-format: --prettyPrint --no-colors --colors
        --no-doc --null-input --unwrapScalar --exit-status --indent: --tojson""",
        "i --inplace",
    ),
    "file": by_option("bikLhNrszv0 --brief --mime --mime-type --mime-encoding --dereference"),
    "blkid": by_option("pik o: s: t: L: U: --probe --output: --match-tag: --match-token:"),
    "man": by_option(""),
}
