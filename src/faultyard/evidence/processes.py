"""Recording what is started in a cell: a program of the host, out of the nodes' reach.

The recorder tells what the kernel sees; whose it is, is worked out when the record is written.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from faultyard.clusters.embedded.namespaces import Namespaces
from faultyard.clusters.errors import ClusterError
from faultyard.clusters.patience import stretched
from faultyard.clusters.waiting import wait_for
from faultyard.evidence.lineage import Lineage
from faultyard.evidence.pods import Pods
from faultyard.model.forwards import Forward
from faultyard.model.processes import Loss, Process, Recording, Taking

START_S = 20
STOP_S = 20


@dataclass
class Recorded:
    """What was recorded, and how well."""

    recording: Recording
    processes: Sequence[Process] = ()
    forwards: Sequence[Forward] = ()


@dataclass
class ProcessWatch:
    """The recording of one cell. Make one with `ProcessWatch.start`.

    Args:
        namespaces: the cell's.
        folder: of the harness alone; gets the recorder's output.
    """

    namespaces: Namespaces
    folder: Path
    started: float = 0.0
    ended: float | None = None
    unavailable: str = ""
    """Why this host cannot record; empty: it can."""
    _recorder: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @classmethod
    def start(cls, namespaces: Namespaces, binary: Path, folder: Path) -> ProcessWatch:
        """Begin to record; when this returns, nothing that is started is missed.

        On a kernel that has no way to record it begins all the same, and says so in the end.

        Args:
            namespaces: the cell's.
            binary: the recorder.
            folder: is made; of the harness alone.

        Raises:
            NotReady: the recorder neither began nor said why it cannot.
        """
        folder.mkdir(parents=True, exist_ok=True)
        watch = cls(namespaces, folder)
        # In the cell's PID namespace it ends with the cell, whatever becomes of this process; not
        # in its cgroup, so that a busy cell does not make it late. It sees the host's /proc.
        enter = ["nsenter", f"--pid=/proc/{namespaces.pid}/ns/pid", "--"]
        argv = [str(binary), f"-pid={namespaces.pid}", f"-cgroup={namespaces.cgroup}"]
        with watch.lines.open("wb") as out, watch.complaints.open("wb") as said:
            watch._recorder = subprocess.Popen(
                [*enter, *argv], stdin=subprocess.PIPE, stdout=out, stderr=said
            )
        wait_for("the recorder of processes", watch._look, timeout_s=START_S, every_s=0.02)
        watch.started = time.time()
        return watch

    @property
    def lines(self) -> Path:
        """What the recorder tells."""
        return self.folder / "events.jsonl"

    @property
    def complaints(self) -> Path:
        """What it says when it cannot."""
        return self.folder / "recorder.log"

    def stop(self) -> None:
        """End the recording; doing it twice is no error.

        Raises:
            ClusterError: the recorder does not end.
        """
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        if recorder.stdin is not None:
            recorder.stdin.close()  # its sign to tell the rest and end
        try:
            recorder.wait(stretched(STOP_S))
        except subprocess.TimeoutExpired as error:
            recorder.kill()
            recorder.wait()
            raise ClusterError(f"the recorder did not end within {STOP_S} s") from error
        finally:
            self.ended = time.time()

    def result(self, nodes: Iterable[str], pods: Pods, agent: str) -> Recorded:
        """Return what was recorded, after `stop`.

        Args:
            nodes: names of the cell's nodes.
            pods: what is known of them.
            agent: the user name of the agent's credentials.
        """
        if self.unavailable:
            return Recorded(Recording(state="unavailable", message=self.unavailable))
        told = _Told()
        lineage = Lineage(self.namespaces.cgroup, frozenset(nodes))
        with self.lines.open("rb") as lines:
            lineage.follow(told.whole(lines))
        processes = [_named(process, pods, agent) for process in lineage.processes]
        forwards = [_forward(forward, pods) for forward in lineage.connections]
        return Recorded(self._recording(told), processes, forwards)

    def _recording(self, told: _Told) -> Recording:
        said = self.complaints.read_text(errors="replace").strip()[-500:]
        message = "" if told.ended else f"the recorder ended early: {said or 'no word'}"
        return Recording(
            state="recorded" if told.ended else "broken",
            message=message,
            from_=self.started,
            until=self.ended,
            lost=tuple(told.lost),
            taken=tuple(told.taken),
        )

    def _look(self) -> tuple[bool | None, str]:
        if self.lines.read_bytes().rfind(b'{"ready":true}') >= 0:
            return True, ""
        if self._recorder is not None and self._recorder.poll() is not None:
            said = self.complaints.read_text(errors="replace").strip()
            self.unavailable = said or f"the recorder exited with {self._recorder.returncode}"
            self.stop()
            return True, ""
        return None, "not begun"


@dataclass
class _Told:
    """What the recorder says of itself, taken from its lines on the way."""

    lost: list[Loss] = field(default_factory=list)
    taken: list[Taking] = field(default_factory=list)
    ended: bool = False

    def whole(self, lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
        for line in lines:
            if not line.endswith(b"\n"):
                return  # it was killed while it wrote
            raw: Mapping[str, Any] = json.loads(line)
            if "lost" in raw:
                self.lost.append(Loss.model_validate(raw["lost"]))
            if "taken" in raw:
                self.taken.append(Taking.model_validate(raw["taken"]))
            self.ended = self.ended or "end" in raw
            yield raw


def _named(process: Process, pods: Pods, agent: str) -> Process:
    uid = process.pod_uid or pods.owners.get(process.container_id, "")
    added = process.container_id in pods.added or pods.made_by.get(uid) == agent
    debugs = process.session == "service" and process.where == "pod" and added
    return replace(
        process,
        pod_uid=uid,
        pod=pods.names.get(uid, ""),
        container=pods.containers.get(process.container_id, ""),
        session="debug" if debugs else process.session,
    )


def _forward(forward: Forward, pods: Pods) -> Forward:
    uid = forward.pod_uid or pods.addresses.get(forward.address, "")
    return replace(forward, pod_uid=uid, pod=pods.names.get(uid, ""))
