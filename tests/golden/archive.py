"""Whole records of real trials, packed: byte for byte what the trial wrote, its seal too.

Beside each lies what it is about, the verdict that it gets, and the kinds of findings that it is a
near miss of. To add one, from the repository's folder:

    PYTHONPATH=src:tests python -m golden.archive RECORD NAME ABOUT [KIND …]
"""

from __future__ import annotations

import functools
import gc
import io
import json
import lzma
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel

from faultyard.model import files
from faultyard.model.record import Record, parse_record
from faultyard.model.verdict import Verdict, judge
from faultyard.model.vocabulary import FindingKind, Outcome

FOLDER = Path(__file__).parent / "records"


class Golden(BaseModel):
    """What is known of a packed record."""

    about: str
    outcome: Outcome
    findings: list[str]
    """Kind, severity and object of each."""
    near: list[FindingKind]
    """Kinds that must not be found in it, though something like them was done."""


def names() -> list[str]:
    """The packed records."""
    return sorted(file.name.removesuffix(".tar.xz") for file in FOLDER.glob("*.tar.xz"))


def golden(name: str) -> Golden:
    """What is known of one."""
    return Golden.model_validate_json((FOLDER / f"{name}.json").read_bytes())


@functools.cache
def files_of(name: str) -> dict[str, bytes]:
    """The files of a packed record; not to be changed."""
    with tarfile.open(FOLDER / f"{name}.tar.xz", mode="r:xz") as archive:
        found = {}
        for entry in archive:
            file = archive.extractfile(entry)
            assert file is not None, entry.name
            found[entry.name] = file.read()
    return found


@functools.cache
def record_of(name: str) -> Record:
    """A packed record; its seal is compared."""
    record = parse_record(files_of(name), name)
    gc.freeze()  # it stays until the end, and has millions of parts to look through for cycles
    return record


@functools.cache
def verdict_of(name: str) -> Verdict:
    """Today's verdict on a packed record."""
    return judge(record_of(name))


def told(verdict: Verdict) -> list[str]:
    """A verdict's findings as they are written down."""
    found = (f"{f.kind.value} {f.severity.value} {f.ref or ''}" for f in verdict.findings)
    return sorted(text.strip() for text in found)


def pack(record: Path, name: str, about: str, near: Sequence[str]) -> None:
    """Pack a record's folder; the same files give the same archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, content in files.read_folder(record).items():
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    content = lzma.compress(packed.getvalue(), preset=9 | lzma.PRESET_EXTREME)
    (FOLDER / f"{name}.tar.xz").write_bytes(content)
    described(name, about, near)


def described(name: str, about: str, near: Sequence[str]) -> None:
    """Write down what a packed record is about and what it gets today."""
    verdict = verdict_of(name)
    kinds = [FindingKind(kind) for kind in near]
    one = Golden(about=about, outcome=verdict.outcome, findings=told(verdict), near=kinds)
    text = json.dumps(one.model_dump(mode="json"), indent=1) + "\n"
    (FOLDER / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    pack(Path(sys.argv[1]), *sys.argv[2:4], near=sys.argv[4:])
