"""Each rule complains where it must, and not where it nearly must."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from faultyard.campaigns.lint import linting, names
from faultyard.campaigns.lint.rule import Complaint
from faultyard.trials import problems

PROBLEM = "hotel/wrong-target-port"
Complaints = Callable[..., list[Complaint]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a problem that keeps all rules, with an application of its own."""
    made = tmp_path / PROBLEM
    shutil.copytree(problems.ROOT / PROBLEM, made)
    application = tmp_path / "apps/hotel"
    shutil.copytree(problems.ROOT.parent / "apps/hotel", application)
    change(made / "problem.yaml", "application: hotel", f"application: {application}")
    return made


@pytest.fixture
def application(folder: Path) -> Path:
    return folder.parents[1] / "apps/hotel"


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def complaints(folder: Path, *rules: str) -> list[Complaint]:
    return list(linting.check([folder], linting.chosen(rules), [], whole=False).complaints)


def messages(folder: Path, *rules: str) -> list[str]:
    return [complaint.message for complaint in complaints(folder, *rules)]


def test_a_problem_that_is_well_keeps_all_rules(folder: Path) -> None:
    assert complaints(folder) == []


def test_a_field_that_the_schema_does_not_know_is_told_with_its_line(folder: Path) -> None:
    change(folder / "problem.yaml", "limits:", "limit:")
    (told,) = complaints(folder, "schema")
    line = next(
        number
        for number, text in enumerate((folder / "problem.yaml").read_text().splitlines(), 1)
        if text.startswith("limit:")
    )
    assert told.place.endswith(f"problem.yaml:{line}")


def test_a_seed_that_gives_no_problem_is_told(folder: Path) -> None:
    change(folder / "problem.yaml", "profile: 8081, search: 8082", "search: 8082")
    assert messages(folder, "schema") == ["parameters.right: `in` has no entry 'profile'"]


def test_a_kind_of_fault_that_there_is_not_is_told(folder: Path) -> None:
    change(folder / "problem.yaml", "kind: service_target_port", "kind: service_port")
    assert messages(folder, "schema") == ["there is no kind of fault service_port"]


def test_a_check_that_lacks_something_is_told(folder: Path) -> None:
    change(
        folder / "problem.yaml", '{namespace: hotel, service: "${service}"}', "{namespace: hotel}"
    )
    assert any("service" in message for message in messages(folder, "schema"))


def test_a_comment_that_looks_like_a_field_is_no_matter(folder: Path) -> None:
    change(folder / "problem.yaml", "limits:", "# limit: {turn_s: 1}\nlimits:")
    assert messages(folder, "schema") == []


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("Calls of reservation fail.", "'reservation', an object of the ground truth"),
        ("Look at the Service's targetPort.", "'targetPort', of the ground truth's setting"),
        ("It is a service port mismatch.", "'service_port_mismatch', a mechanism"),
        ("It listens on 8084.", "'8084', of the ground truth's setting"),
        ("It listens on ${port}.", "a value of the ground truth"),
    ],
)
def test_an_alert_that_names_the_answer_on_any_seed_is_told(
    sentence: str, said: str, folder: Path
) -> None:
    change(folder / "problem.yaml", "Please find out why", f"{sentence} Please find out why")
    told = messages(folder, "alert-names-answer")
    assert any(said in message for message in told), told


@pytest.mark.parametrize(
    "sentence",
    [
        "Customers rated their stay; the accurate figure is 80840.",
        "The shop runs in the namespace hotel, behind a service at a port.",
        "Our reservations-team is on call.",
        "A mismatch of figures was reported.",
    ],
)
def test_an_alert_that_only_sounds_like_it_is_none(sentence: str, folder: Path) -> None:
    change(folder / "problem.yaml", "Please find out why", f"{sentence} Please find out why")
    assert messages(folder, "alert-names-answer") == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("manifests/40-geo.yaml", "name: geo", "name: geo-broken"),
        ("images.yaml", "repository: hotel/geo", "repository: chaosmesh/geo"),
        ("images.yaml", "target: /usr/local/bin/hotel", "target: /usr/local/bin/faultyard-hotel"),
        ("changes.yaml", "title: Release search", "title: Inject search"),
        ("changes.yaml", "id: frontend-2.4.1", "id: decoy-2.4.1"),
    ],
)
def test_a_name_that_tells_is_told_wherever_an_agent_may_look(
    file: str, old: str, new: str, folder: Path, application: Path
) -> None:
    change(application / file, old, new)
    told = complaints(folder, "telltale-name")
    assert told
    assert all(complaint.place.endswith(file) for complaint in told)


def test_a_value_that_the_fault_sets_is_seen_too(folder: Path) -> None:
    change(folder / "problem.yaml", 'port: "${port}"}', 'port: "wrong-port"}')
    assert any("'wrong-port'" in message for message in messages(folder, "telltale-name"))


def test_what_every_cell_has_is_looked_at_too(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifests = tmp_path / "manifests"
    shutil.copytree(names.addons.MANIFESTS, manifests)
    platform = tmp_path / "images.yaml"
    shutil.copy(names.PLATFORM, platform)
    monkeypatch.setattr(names.addons, "MANIFESTS", manifests)
    monkeypatch.setattr(names, "PLATFORM", platform)
    assert messages(folder, "telltale-name") == []
    change(manifests / "20-coredns.yaml", "name: coredns", "name: chaos-dns")
    change(platform, "repository: toolbox", "repository: bench-box")
    told = [complaint.place for complaint in complaints(folder, "telltale-name")]
    assert [Path(place).name for place in told] == ["20-coredns.yaml", "images.yaml"]


def test_a_comment_and_a_layer_that_no_image_shows_tell_nothing(
    folder: Path, application: Path
) -> None:
    change(application / "manifests/40-geo.yaml", "apiVersion", "# the broken one\napiVersion")
    change(application / "images.yaml", "hotel:\n    kind: go", "faulty:\n    kind: go")
    for file in (application / "images.yaml",):
        file.write_text(file.read_text().replace("tools, hotel]", "tools, faulty]"))
    assert messages(folder, "telltale-name") == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("faultyard-fault", "faultyard"),
        ("kubectlFaultInjection", "Fault"),
        ("CHAOS_LEVEL", "CHAOS"),
        ("my-chaosmesh", "chaos"),
        ("default", ""),
        ("breakfast-benches", ""),
        ("badge", ""),
        ("injective", ""),
    ],
)
def test_words_tell_as_words(text: str, word: str) -> None:
    assert names.telltale(text) == word


def without(folder: Path, agent: str) -> None:
    """Take a control agent away: its entry and its script."""
    file = folder / "problem.yaml"
    head, *entries = file.read_text().split("  - agent: ")
    kept = [entry for entry in entries if not entry.startswith(f"{agent}\n")]
    assert len(kept) == len(entries) - 1
    file.write_text("  - agent: ".join([head, *kept]))
    (folder / f"controls/{agent}.sh").unlink(missing_ok=True)


@pytest.mark.parametrize(
    ("agents", "said"),
    [
        (["noop"], ["no control agent does nothing"]),
        (["fix-named-port"], ["1 right repairs are tried, not 2"]),
        (["wrong", "wrong-restart"], ["1 wrong repairs are tried, not 2"]),
        (["wrong"], []),
    ],
)
def test_control_agents_that_are_missing_are_told(
    agents: list[str], said: list[str], folder: Path
) -> None:
    for agent in agents:
        without(folder, agent)
    assert messages(folder, "controls-missing") == said


def test_one_who_does_nothing_must_fail(folder: Path) -> None:
    change(folder / "problem.yaml", "title: does nothing\n    expect: fail", "expect: safe_pass")
    assert messages(folder, "controls-missing") == ["noop does nothing and is to be safe_pass"]


def test_where_nothing_is_broken_doing_nothing_is_right(folder: Path) -> None:
    file = folder / "problem.yaml"
    head, rest = file.read_text().split("faults:\n")
    truth = "ground_truth: {mechanism: no_fault}\n"
    file.write_text(f"{head}faults: []\n{truth}\n" + rest[rest.index("checks:") :])
    assert messages(folder, "controls-missing") == ["noop does nothing and is to be fail"]


def test_a_script_that_no_control_agent_runs_is_told(folder: Path) -> None:
    (folder / "controls/fix-too.sh").write_text("true\n")
    (told,) = complaints(folder, "controls-missing")
    assert told.place.endswith("controls/fix-too.sh")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  expert_minutes: 5\n", "", ["difficulty lacks expert_minutes"]),
        ("  level: easy\n", "", ["difficulty lacks level"]),
        (
            "reason: One object",
            "reason: TODO one object",
            ["difficulty lacks a reason that is one"],
        ),
        (
            "reason: One object",
            "reason: Todos of one object",
            [],
        ),
        ("reason: One object", "reason: An object", []),
    ],
)
def test_a_problem_without_its_difficulty_is_told_once(
    old: str, new: str, said: list[str], folder: Path
) -> None:
    change(folder / "problem.yaml", old, new)
    assert messages(folder, "schema", "difficulty-missing") == said
