"""Records: everything a trial observed, as it lies in its folder, typed."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from faultyard.model import audit, files, ledger, lines, manifests, node_state, snapshots, watch
from faultyard.model import forwards as forward_file
from faultyard.model import probes as probe_file
from faultyard.model import processes as process_file
from faultyard.model.application import Application
from faultyard.model.client import Second, parse_seconds
from faultyard.model.diagnosis.submission import RecordedDiagnosis
from faultyard.model.errors import ClosedRecord, DamagedRecord, ModelError, NoRecord
from faultyard.model.forwards import Forward
from faultyard.model.host import HostSecond, parse_host
from faultyard.model.observations import Observations
from faultyard.model.problem import RenderedProblem
from faultyard.model.processes import Process, Recording
from faultyard.model.sentinels import FILE as SENTINELS
from faultyard.model.sentinels import Sentinels
from faultyard.model.trial import RecordedApplication, Trial

ModelT = TypeVar("ModelT", bound=BaseModel)
PartT = TypeVar("PartT")


@dataclass(frozen=True)
class Record:
    """One trial's raw observations."""

    source: str
    trial: Trial
    problem: RenderedProblem
    events: tuple[audit.Event, ...]
    observations: Observations
    diagnosis: RecordedDiagnosis | None = None
    """What the agent submitted; None: nothing."""
    application: Application | None = None
    """As it was described then; None: the record does not say."""
    written: tuple[ledger.Acknowledged, ...] = ()
    """What users wrote and were told is kept."""
    found: tuple[ledger.Found, ...] = ()
    """What was found of it when everything was over."""
    watch: watch.Watch | None = None
    """None: there is none."""
    nodes: Mapping[str, Mapping[str, node_state.NodeState]] = field(default_factory=dict)
    """Moment (before, injected, after) -> node -> its state beside the cluster."""
    recording: Recording | None = None
    """How well the cell's processes are known; None: in older records they are not."""
    processes: tuple[Process, ...] = ()
    forwards: tuple[Forward, ...] = ()
    sentinels: Sentinels | None = None
    """What changed on the host; None: in older records it was not looked at."""

    @property
    def snapshots(self) -> Mapping[str, snapshots.Snapshot]:
        """The snapshots that were taken, by name."""
        return self.observations.snapshots


def load_record(folder: Path, unsealed: bool = False) -> Record:
    """Read a record's folder.

    Args:
        folder: the folder with manifest.json.
        unsealed: do not compare the files with the manifest.

    Raises:
        NoRecord: it is some other folder.
        ClosedRecord: this user may not read it.
        DamagedRecord: it does not fit its manifest, is cut off, or of an unknown schema.
        OSError: a file cannot be read.
    """
    return parse_record(read_files(folder), str(folder), unsealed)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of a record's files, whether it fits the manifest or not.

    Raises:
        NoRecord: it is some other folder; what is in that is not read, for it may be a lot.
        ClosedRecord: this user may not read it.
        OSError: a file cannot be read for another reason.
    """
    try:
        if not any((folder / name).is_file() for name in (manifests.NAME, "trial.json")):
            raise NoRecord(str(folder))
        return files.read_folder(folder)
    except PermissionError as error:
        raise ClosedRecord(str(folder), error.filename or str(folder)) from error


def parse_record(content: Mapping[str, bytes], source: str, unsealed: bool = False) -> Record:
    """Read a record from the content of its files; see `load_record`."""
    complaints = [] if unsealed else manifests.complaints(content)
    if complaints:
        raise DamagedRecord(source, complaints, readable=True)
    with _without_collections():
        return _parsed(_Reader(content, source))


@contextmanager
def _without_collections() -> Iterator[None]:
    """Keep Python from looking for cycles, of which what is parsed has none.

    It looks again each time that some hundreds of thousands of parts have come, and a record has
    millions: half of the time that a record took to be read.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _parsed(reader: _Reader) -> Record:
    trial = reader.model("trial.json", Trial, known=(1, 2))
    problem = reader.model("problem.json", RenderedProblem)
    if trial.problem != problem.name:
        reader.complaints.append("trial.json and problem.json are of different problems")
    described = reader.optional("application.json", RecordedApplication)
    record = Record(
        reader.source,
        trial,
        problem,
        tuple(reader.parsed("audit.jsonl", audit.parse) or ()),
        Observations(
            dict(trial.times),
            tuple(reader.parsed("client.jsonl", _seconds) or ()),
            reader.snapshots(),
            reader.parsed("host.jsonl", _host) or {},
            reader.parsed(probe_file.FILE, probe_file.parse) or (),
        ),
        reader.optional("diagnosis.json", RecordedDiagnosis),
        described.application if described else None,
        written=tuple(reader.parsed("ledger.jsonl", ledger.parse_ledger) or ()),
        found=tuple(reader.parsed("readback.jsonl", ledger.parse_found) or ()),
        watch=reader.parsed(watch.FILE, watch.parse),
        nodes=reader.parsed(node_state.FILE, node_state.parse) or {},
        recording=reader.optional("processes.json", Recording),
        processes=reader.parsed(process_file.FILE, process_file.parse) or (),
        forwards=reader.parsed(forward_file.FILE, forward_file.parse) or (),
        sentinels=reader.optional(SENTINELS, Sentinels),
    )
    if reader.complaints:
        raise DamagedRecord(reader.source, reader.complaints)
    return record


_NOT_AS_IT_SHOULD_BE: Final = (
    ModelError,
    TypeError,
    ValueError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
)
"""What reading a file raises that somebody else wrote: wrong types, infinity, deep nesting."""


class _Reader:
    """Parses file by file and keeps every complaint, so that a reader sees all of them."""

    def __init__(self, content: Mapping[str, bytes], source: str) -> None:
        self.content = content
        self.source = source
        self.complaints: list[str] = []

    def model(self, path: str, model: type[ModelT], known: tuple[int, ...] = (1,)) -> ModelT:
        """Parse a file without which nothing can be said at all."""
        try:
            data: Any = json.loads(self.content[path])
        except KeyError:
            raise DamagedRecord(self.source, [f"{path} is missing"]) from None
        except (ValueError, RecursionError) as error:
            raise DamagedRecord(self.source, [f"{path} is not JSON: {error}"]) from error
        if not isinstance(data, dict) or data.get("schema") not in known:
            listed = ", ".join(map(str, known))
            raise DamagedRecord(self.source, [f"{path} has an unknown schema (known: {listed})"])
        try:
            return model.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise DamagedRecord(self.source, [f"{path}: {place}: {first['msg']}"]) from error

    def optional(self, path: str, model: type[ModelT]) -> ModelT | None:
        """Parse a file that a record need not have."""
        return self.model(path, model) if path in self.content else None

    def parsed(self, path: str, parse: Callable[[bytes], PartT]) -> PartT | None:
        """Parse a file; None when it was never written, or is not as it should be."""
        if path not in self.content:
            return None
        try:
            return parse(self.content[path])
        except _NOT_AS_IT_SHOULD_BE as error:
            self.complaints.append(f"{path}: {error}")
            return None

    def snapshots(self) -> dict[str, snapshots.Snapshot]:
        """Parse the snapshots that are there."""
        found = {
            name: self.parsed(f"snapshots/{name}.json", partial(snapshots.parse, name=name))
            for name in snapshots.NAMES
        }
        return {name: shot for name, shot in found.items() if shot is not None}


def _seconds(content: bytes) -> list[Second]:
    return parse_seconds([line.decode() for line in lines.whole(content)])


def _host(content: bytes) -> dict[int, HostSecond]:
    return parse_host(content.decode().splitlines())
