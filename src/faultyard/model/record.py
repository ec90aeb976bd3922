"""Records: everything a trial observed, as it lies in its folder, typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from faultyard.model import audit, files, ledger, manifests, node_state, snapshots, watch
from faultyard.model import forwards as forward_file
from faultyard.model import processes as process_file
from faultyard.model.application import Application
from faultyard.model.client import DamagedClientFile, Second, parse_seconds
from faultyard.model.diagnosis.submission import RecordedDiagnosis
from faultyard.model.errors import ClosedRecord, DamagedRecord, NoRecord
from faultyard.model.forwards import Forward
from faultyard.model.host import HostFileError, HostSecond, parse_host
from faultyard.model.observations import Observations
from faultyard.model.problem import RenderedProblem
from faultyard.model.processes import Process, Recording
from faultyard.model.trial import RecordedApplication, Trial

ModelT = TypeVar("ModelT", bound=BaseModel)
LineT = TypeVar("LineT")


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
        raise DamagedRecord(source, complaints)
    reader = _Reader(content, source)
    trial = reader.model("trial.json", Trial, known=(1, 2))
    problem = reader.model("problem.json", RenderedProblem)
    if trial.problem != problem.name:
        reader.complaints.append("trial.json and problem.json are of different problems")
    events = reader.events()
    diagnosis = reader.optional("diagnosis.json", RecordedDiagnosis)
    described = reader.optional("application.json", RecordedApplication)
    recording = reader.optional("processes.json", Recording)
    started = reader.lines(process_file.FILE, process_file.parse)
    tunnels = reader.lines(forward_file.FILE, forward_file.parse)
    observations = Observations(
        dict(trial.times), reader.seconds(), reader.snapshots(), reader.host()
    )
    written, found = reader.written(), reader.found()
    watched, nodes = reader.watch(), reader.nodes()
    if reader.complaints:
        raise DamagedRecord(source, reader.complaints)
    application = described.application if described else None
    return Record(
        source,
        trial,
        problem,
        events,
        observations,
        diagnosis,
        application,
        written=written,
        found=found,
        watch=watched,
        nodes=nodes,
        recording=recording,
        processes=started,
        forwards=tunnels,
    )


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

    def lines(self, path: str, parse: Callable[[bytes], tuple[LineT, ...]]) -> tuple[LineT, ...]:
        """Parse a file of lines; one that was never written is empty."""
        try:
            return parse(self.content.get(path, b""))
        except ValueError as error:
            self.complaints.append(f"{path}: {error}")
            return ()

    def events(self) -> tuple[audit.Event, ...]:
        """Parse the audit log; one that was never written is empty."""
        try:
            return tuple(audit.parse(self.content.get("audit.jsonl", b"")))
        except audit.AuditError as error:
            self.complaints.append(f"audit.jsonl: {error}")
            return ()

    def seconds(self) -> tuple[Second, ...]:
        """Parse the users' figures; a file that was never written is empty."""
        content = self.content.get("client.jsonl", b"")
        if content and not content.endswith(b"\n"):
            self.complaints.append("client.jsonl: the last line is cut off")
            return ()
        try:
            return tuple(parse_seconds(content.decode().splitlines()))
        except (DamagedClientFile, UnicodeDecodeError) as error:
            self.complaints.append(f"client.jsonl: {error}")
            return ()

    def written(self) -> tuple[ledger.Acknowledged, ...]:
        """Parse what users wrote; a file that was never written is empty."""
        try:
            return tuple(ledger.parse_ledger(self.content.get("ledger.jsonl", b"")))
        except (ledger.DamagedLedger, TypeError, ValueError) as error:
            self.complaints.append(f"ledger.jsonl: {error}")
            return ()

    def found(self) -> tuple[ledger.Found, ...]:
        """Parse what was read back; a file that was never written is empty."""
        try:
            return tuple(ledger.parse_found(self.content.get("readback.jsonl", b"")))
        except (ledger.DamagedLedger, TypeError, ValueError) as error:
            self.complaints.append(f"readback.jsonl: {error}")
            return ()

    def host(self) -> dict[int, HostSecond]:
        """Parse what else the host did; a file that was never written is empty."""
        try:
            return parse_host(self.content.get("host.jsonl", b"").decode().splitlines())
        except (HostFileError, UnicodeDecodeError) as error:
            self.complaints.append(f"host.jsonl: {error}")
            return {}

    def watch(self) -> watch.Watch | None:
        """Parse what was seen by watching, if it is there."""
        if watch.FILE not in self.content:
            return None
        try:
            return watch.parse(self.content[watch.FILE])
        except watch.WatchError as error:
            self.complaints.append(f"{watch.FILE}: {error}")
            return None

    def nodes(self) -> dict[str, dict[str, node_state.NodeState]]:
        """Parse the states of nodes; a file that was never written is empty."""
        try:
            return node_state.parse(self.content.get(node_state.FILE, b"{}"))
        except node_state.NodeStateError as error:
            self.complaints.append(f"{node_state.FILE}: {error}")
            return {}

    def snapshots(self) -> dict[str, snapshots.Snapshot]:
        """Parse the snapshots that are there."""
        found = {}
        for name in snapshots.NAMES:
            path = f"snapshots/{name}.json"
            if path not in self.content:
                continue
            try:
                found[name] = snapshots.parse(self.content[path], name)
            except snapshots.SnapshotError as error:
                self.complaints.append(f"{path}: {error}")
        return found
