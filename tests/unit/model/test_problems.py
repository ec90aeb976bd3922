"""What holds for every problem on every seed."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from faultyard.apps import applications
from faultyard.faults import registry
from faultyard.model.boundary import compile_boundary
from faultyard.model.diagnosis.impacts import Impact
from faultyard.model.predicates import check_parameters
from faultyard.model.problem import Problem, RenderedProblem, load_problem
from faultyard.model.refs import ObjectRef, ref_of
from faultyard.model.vocabulary import Outcome
from unit.model.builders import ROOT

FOLDERS = sorted(path.parent for path in (ROOT / "problems").glob("*/*/problem.yaml"))
SEEDS = range(60)
each_problem = pytest.mark.parametrize(
    "folder", FOLDERS, ids=[str(folder.relative_to(ROOT / "problems")) for folder in FOLDERS]
)
# Words that would tell what is wrong, or where.
TELLING = frozenset(
    "port ports endpoint endpoints selector deploy deployment change database databases login "
    "password secret account cpu limit throttled resources node nodes worker kubelet heartbeat "
    "pod pods container containers cache memcached mongodb frontend search geo rate user "
    "profile recommendation reservation".split()
)


ALARMS = ("false-alarm", "wrong-target-port", "cpu-throttled")


@cache
def problem_of(folder: Path) -> Problem:
    return load_problem(folder)[0]


@cache
def rendered_of(folder: Path) -> list[RenderedProblem]:
    return [problem_of(folder).render(seed) for seed in SEEDS]


@cache
def objects_of(application: str) -> frozenset[ObjectRef]:
    return frozenset(map(ref_of, applications.find(application).objects()))


@each_problem
def test_every_seed_gives_a_problem_that_can_be_used(folder: Path) -> None:
    for rendered in rendered_of(folder):
        assert "${" not in json.dumps(rendered.to_json())
        check_parameters(rendered)
        compile_boundary(rendered)
        assert {fault.kind for fault in rendered.faults} <= registry.kinds()


@each_problem
def test_seeds_draw_different_problems(folder: Path) -> None:
    assert len({json.dumps(rendered.parameters) for rendered in rendered_of(folder)}) > 1


@each_problem
def test_an_alert_tells_neither_cause_nor_place(folder: Path) -> None:
    words = set(re.findall(r"[a-z]+", problem_of(folder).render(1).alert.lower()))
    assert words & TELLING == set()


@each_problem
def test_objects_that_a_problem_names_are_in_its_application(folder: Path) -> None:
    problem = problem_of(folder)
    known = objects_of(problem.application)
    for rendered in rendered_of(folder):
        truth = rendered.ground_truth
        named = [entry.object for entry in rendered.boundary.allowed]
        named += [*truth.components, *truth.healthy, *truth.consequences]
        refs = {ObjectRef.parse(text) for text in named}
        assert {ref for ref in refs if ref.namespace} <= known


@each_problem
def test_controls_do_nothing_repair_and_go_wrong(folder: Path) -> None:
    restraint = problem_of(folder).restraint
    controls = {control.agent: control for control in problem_of(folder).controls}
    assert controls["noop"].expect is (Outcome.SAFE_PASS if restraint else Outcome.FAIL)
    fixes = [c for name, c in controls.items() if name.startswith("fix")]
    wrong = [c for name, c in controls.items() if name.startswith("wrong")]
    assert {control.expect for control in fixes} == {Outcome.SAFE_PASS}
    assert len(fixes) >= (1 if restraint else 2)
    assert len(wrong) >= 2
    assert {control.expect for control in wrong} <= {Outcome.FAIL, Outcome.UNSAFE_PASS}
    assert Outcome.UNSAFE_PASS in {control.expect for control in wrong}
    assert all(control.title for control in controls.values())


@each_problem
def test_control_scripts_run_and_name_no_tool_of_ours(folder: Path) -> None:
    controls = problem_of(folder).controls
    scripts = {folder / control.script for control in controls if control.script}
    assert scripts == set((folder / "controls").iterdir())
    for script in scripts:
        text = script.read_text()
        assert script.stat().st_mode & 0o111, script
        assert not [w for w in ("faultyard", "chaos", "bench", "sleep") if w in text], script


@each_problem
def test_control_scripts_are_given_every_variable_that_they_use(folder: Path) -> None:
    problem = problem_of(folder)
    given = set(problem.render(1).environment())
    for script in (folder / "controls").iterdir():
        assert set(re.findall(r"\$\{?([A-Z]+)\b", script.read_text())) <= given, script


@each_problem
def test_every_signal_has_its_evidence(folder: Path) -> None:
    truth = problem_of(folder).render(1).ground_truth
    assert {entry.signal for entry in truth.evidence} == {"metrics", "logs", "traces", "objects"}
    # What nobody feels yet shows in no figure, log or trace of who is served.
    least = 1 if Impact.AT_RISK in truth.impact else 3
    telling = sum(not entry.silent for entry in truth.evidence)
    assert telling == 0 if truth.no_fault else telling >= least


def test_a_false_alert_says_what_true_ones_say() -> None:
    false, *true = (problem_of(ROOT / "problems/hotel" / name) for name in ALARMS)
    said = {false.render(seed).alert for seed in SEEDS}
    assert said == {problem.render(1).alert for problem in true}
