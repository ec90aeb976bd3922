"""The order of a trial: prepare, see it healthy, break it, see that, the turn, see again."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from faultyard.agents.agent import Agent
from faultyard.apps import deployment, templates
from faultyard.apps.deployment import Pipeline
from faultyard.checks import admissions, registry
from faultyard.checks.trying import Trying
from faultyard.clusters.embedded import cells, layout, room
from faultyard.clusters.embedded.artifacts import Artifacts
from faultyard.clusters.embedded.cell import Cell
from faultyard.clusters.errors import ClusterError
from faultyard.evidence import nodes, sentinels, snapshots
from faultyard.evidence.auditlog import AuditLog
from faultyard.evidence.host import HostWatch
from faultyard.evidence.pods import known
from faultyard.evidence.processes import ProcessWatch, Recorded
from faultyard.evidence.recorder import Recorder
from faultyard.evidence.sentinels import Sentinels
from faultyard.evidence.watch import Watcher
from faultyard.faults import decoys
from faultyard.load.generator import LoadGenerator, LoadSettings
from faultyard.load.readback import read_back
from faultyard.model import node_state, watch
from faultyard.model.errors import ModelError
from faultyard.model.known_good import DeclaredChange
from faultyard.model.ledger import Found, parse_ledger
from faultyard.model.problem import RenderedProblem
from faultyard.model.record import load_record
from faultyard.model.verdict import Verdict, judge
from faultyard.telemetry import site
from faultyard.trials import gates, hold_events, priority, verdicts, writing
from faultyard.trials.later_faults import LaterFaults
from faultyard.trials.noise import Noises
from faultyard.trials.problems import ProblemFolder
from faultyard.trials.timeline import Timeline
from faultyard.trials.turn import TakenTurn, take_turn

HARNESS_ERRORS = (ClusterError, ModelError, OSError)
"""What may go wrong around an agent: such a trial is a runtime_error, whatever the agent did."""

Report = Callable[[str], None]


@dataclass(frozen=True)
class TrialSettings:
    """What is tried."""

    problem: ProblemFolder
    agent: Agent
    seed: int
    folder: Path
    """Gets the record."""
    nodes: int = 2


@dataclass
class Trial:
    """One trial in a cell of its own.

    Args:
        settings: what is tried.
        artifacts: what set-up built.
        report: is told each phase.
    """

    settings: TrialSettings
    artifacts: Artifacts
    report: Report = lambda _: None
    timeline: Timeline = field(default_factory=Timeline)
    declared: list[DeclaredChange] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    """What was found at the end of what users wrote."""

    def run(self) -> Verdict:
        """Run it to its end, write and seal its record, throw its cell away.

        Returns:
            The verdict, computed from the record as it lies on disk.

        Raises:
            WrongFolder: the folder holds a record already, or something else.
        """
        recorder = Recorder(self.settings.folder)
        self.problem: RenderedProblem = self.settings.problem.problem.render(self.settings.seed)
        self.application = self.settings.problem.application
        self.cell = Cell(f"{layout.TRIAL}{secrets.token_hex(3)}")
        self.audit = AuditLog(self.cell.paths.audit)
        private = (self.settings.folder.resolve(), self.settings.problem.folder)
        self.turn = TakenTurn(self.cell.paths.folder / "agent", private)
        self.load: LoadGenerator | None = None
        self.noises = Noises(self.cell.paths.folder / "noise")
        self.pipeline = Pipeline(self.cell, self.application)
        faults = self.problem.later_faults
        self.later = LaterFaults(self.pipeline, faults, self.declared, self.timeline)
        self.watch: HostWatch | None = None
        self.watcher: Watcher | None = None
        self.trying: Trying | None = None
        self.processes: ProcessWatch | None = None
        self.recorded: Recorded | None = None
        self.sentinels: Sentinels | None = None
        self.timeline.mark("started")
        try:
            self._phases()
            if "prepared" in self.timeline.times and not self.cell.exists:
                said = "somebody removed the trial's cell while it ran"
                self.errors.insert(0, {"phase": "the cell", "message": said})
            with priority.first():
                self._end()
                writing.write(self, recorder)
                recorder.seal()
                verdict = judge(load_record(self.settings.folder))
                verdicts.write(self.settings.folder, verdict)
        finally:  # the longest part of what is left: nothing of the record waits for it
            cells.down(self.cell.name)
            self._settle_host()
        return verdict

    def _phases(self) -> None:
        for name, phase in (
            ("a cell of its own", self._prepare),
            (gates.UNTIL_SERVED, self._see_healthy),
            ("injection", self._inject),
            (gates.UNTIL_SHOWN, self._see_broken),
            (f"turn of {self.settings.agent.name}", self._turn),
            ("state after the turn", self._see_after),
            ("hold", self._hold),
            ("state at the end", lambda: self._snapshot("end")),
        ):
            # Once the agent has acted, all that can still be seen is: what it broke of the harness
            # must not hide what it broke of the application.
            if self.errors and "turn_start" not in self.timeline.times:
                return
            self.report(name)
            self._note(name, phase)

    def _end(self) -> None:
        for name, phase in (
            ("what users wrote", self._read_back),
            ("the cell's priority", lambda: priority.yields(self.cell)),
            ("the end of the load", self._stop_load),
            ("the end of what was tried", self._stop_trying),
            ("the end of the watch", self._stop_watcher),
            ("what was started", self._settle_processes),
        ):
            self._note(name, phase)
        self._settle_host()
        self.timeline.mark("ended")

    def _note(self, phase: str, act: Callable[[], None]) -> None:
        """Do it; an error of the harness ends the trial but not its record."""
        try:
            act()
        except HARNESS_ERRORS as error:
            told = room.told(error, self.cell.state)
            self.errors.append({"phase": phase, "message": told})
        except Exception as error:  # noqa: BLE001 - a mistake of ours must leave a record too
            self.errors.append({"phase": phase, "message": f"unexpected: {error!r}"})

    def _prepare(self) -> None:
        nodes, description = self.settings.nodes, self.application.description
        template = templates.ensure(self.artifacts, self.application, nodes, self.report)
        self.timeline.mark("cell_started")
        self.cell.up(self.artifacts, nodes, template=template)
        site.start(self.cell, self.artifacts, description)
        deployment.wake(self.cell, self.application, self.report)
        settings = LoadSettings(
            self.application.journeys_file,
            self.application.folder,
            self._edges,
            description.load.rate_per_s,
            self.settings.seed,
            layout.CLIENT_METRICS,
        )
        folder = self.cell.paths.folder / "load"
        enter = self.cell.namespaces.outside_the_cgroup
        self.load = LoadGenerator(self.artifacts.binary("loadgen"), settings, folder, enter)
        self.load.start()
        site.watch_users(self.cell)
        self.watch = HostWatch(self.cell.namespaces, self.timeline.host)
        self.timeline.mark("prepared")

    @property
    def _edges(self) -> tuple[str, ...]:
        """Where users reach the application: one address a node."""
        port = self.application.description.edge.node_port
        return tuple(f"{node.address}:{port}" for node in self.cell.node_layouts)

    def _see_healthy(self) -> None:
        admissions.ask_once(self.cell, self.application)
        plans = [registry.plan(self.cell, check) for check in self.problem.checks]
        self.trying = Trying([plan for plan in plans if plan], self.timeline.probes)
        self.trying.start()
        gates.wait_healthy(self.problem, self._running_load(), self.timeline)
        self.audit.begin()
        kubeconfig = self.cell.paths.pki / "admin.kubeconfig"
        self.watcher = Watcher(kubeconfig, self.cell.entered, self.cell.paths.folder / watch.FILE)
        self.watcher.start()
        self.processes = ProcessWatch.start(
            self.cell.namespaces,
            self.artifacts.binary("recorder"),
            self.cell.paths.folder / "processes",
        )
        self.sentinels = sentinels.watch(self.cell.cgroup, self.report)
        self._snapshot("before")
        self.turn.healthy = {node.place.name: node.quiet() for node in self.cell.nodes}
        gates.require_healthy(self.problem, self._running_load(), self.timeline)

    def _inject(self) -> None:
        first = self.problem.first_faults
        self.noises.start(self.problem.noise, self._running_load())
        self.declared += decoys.inject_among(self.pipeline, first, self.settings.seed)
        self.timeline.mark("injected")

    def _see_broken(self) -> None:
        gates.wait_broken(
            self.problem, self._running_load(), self.timeline, lambda: self._snapshot("injected")
        )

    def _turn(self) -> None:
        if self.trying is not None:
            self.trying.rest()
        agent, problem = self.settings.agent, self.problem
        with self.later.watching():
            seen = self.audit, self.timeline
            take_turn(self.turn, self.cell, self.artifacts, problem, agent, *seen)

    def _see_after(self) -> None:
        self._snapshot("after")
        self._settle_host()
        if self.processes is not None:
            self.processes.stop()

    def _hold(self) -> None:
        since = hold_events.happen(self.cell, self.problem.hold_events, self.timeline)
        if self.trying is not None:
            self.trying.resume()
        gates.hold(self.problem, self._running_load(), self.timeline, since)
        self._stop_trying()

    def _read_back(self) -> None:
        how = self.application.description.read_back
        if how is not None and self.load is not None and "turn_start" in self.timeline.times:
            self.report("what users wrote")
            self.load.finish()  # who still waits for an answer may do so meanwhile
            written = parse_ledger(self.load.acknowledged())
            with self.cell.entered():
                self.found = read_back(how, self.application.folder, self._edges, written)

    def _snapshot(self, name: str) -> None:
        with self.cell.entered(), self.cell.api() as api:
            self.timeline.raw_snapshots[name] = snapshots.take(api)
        if name in node_state.MOMENTS:
            self.timeline.node_states[name] = nodes.take(self.cell.nodes)
        self.timeline.step(f"snapshot {name}")

    def _running_load(self) -> LoadGenerator:
        if self.load is None:
            raise ClusterError("the load was not started")
        return self.load

    def _stop_load(self) -> None:
        if self.load is not None:
            self.load.stop()
        if self.watch is not None:
            self.watch.stop()
        self.noises.stop()

    def _stop_trying(self) -> None:
        if self.trying is not None:
            self.trying.stop()

    def _stop_watcher(self) -> None:
        if self.watcher is not None:
            self.watcher.stop(self.timeline.all_seen)
            self.timeline.step("watch ended")

    def _settle_host(self) -> None:
        """Find what a cell did to the host, and put it back; nothing that runs now may stay so."""
        if self.sentinels is not None:
            for change in self.sentinels.settle():
                self.timeline.step("a setting of the host changed", change.name)

    def _settle_processes(self) -> None:
        if self.processes is not None:
            self.processes.stop()
            names = [place.name for place in self.cell.node_layouts]
            pods = known(self.timeline.raw_snapshots.values(), self.audit.read())
            self.recorded = self.processes.result(names, pods, self.turn.username)
