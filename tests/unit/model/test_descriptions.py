"""Problems and applications as people write them, mistakes included."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from faultyard.model import schemas
from faultyard.model.application import journeys_needing, parse_application, parse_journeys
from faultyard.model.boundary import compile_boundary
from faultyard.model.errors import DescriptionError
from faultyard.model.problem import load_problem, parse_problem, problem_hash
from faultyard.model.templates import substitute
from unit.model.builders import PROBLEM, ROOT

FOLDER = ROOT / "problems/hotel/wrong-target-port"
APPLICATION = """
name: shop
version: "1"
namespace: shop
title: A shop
manifests: manifests
images: images.yaml
journeys: journeys.yaml
edge: {service: web, port: 80, node_port: 30500}
ready_timeout_s: 60
services:
  - {name: web, workload: Deployment/web, port: 80, protocol: http, role: service}
  - {name: cart, workload: Deployment/cart, port: 81, protocol: grpc, role: service}
  - {name: stock, workload: Deployment/stock, port: 82, protocol: grpc, role: service}
  - {name: cache, workload: Deployment/cache, port: 83, protocol: memcached, role: cache}
dependencies:
  - {from: web, to: cart, hard: true}
  - {from: cart, to: stock, hard: true}
  - {from: stock, to: cache, hard: false}
journeys_enter: web
slos: {success_rate: 0.99, p99_ms: 1000}
load: {rate_per_s: 12}
"""
JOURNEYS = """
journeys:
  - {name: buy, calls: [cart], weight: 3}
  - {name: look, calls: [stock]}
  - {name: home, calls: []}
"""


def test_a_variable_alone_keeps_its_type_and_in_a_text_becomes_text() -> None:
    given: dict[str, Any] = {"a": "${port}", "b": ["x-${port}"], "${name}": 1}
    assert substitute(given, {"port": 80, "name": "n"}) == {"a": 80, "b": ["x-80"], "n": 1}


def test_the_same_seed_gives_the_same_problem() -> None:
    problem, _ = load_problem(FOLDER)
    assert problem.render(5).to_json() == problem.render(5).to_json()


def test_seeds_give_different_targets_and_ports() -> None:
    problem, _ = load_problem(FOLDER)
    drawn = [problem.render(seed).parameters for seed in range(60)]
    assert {d["service"] for d in drawn} == {
        "search", "geo", "rate", "recommendation", "user", "reservation", "profile"
    }  # fmt: skip
    assert all(d["port"] != d["right"] for d in drawn)


def test_what_a_seed_draws_never_changes_from_version_to_version() -> None:
    problem, _ = load_problem(FOLDER)
    drawn = [tuple(problem.render(seed).parameters.values()) for seed in (1, 2, 3)]
    assert drawn == [
        ("reservation", 8087, 8082, "frontend"),
        ("recommendation", 8085, 8097, "frontend"),
        ("user", 8086, 8080, "frontend"),
    ]


def test_the_boundary_names_the_nodes_that_the_seed_has_drawn() -> None:
    text = PROBLEM.replace("boundary:\n  {", 'boundary:\n  {nodes: ["${node}"], ')
    text = text.replace("parameters: {", "parameters: {node: {choose: [worker-2]}, ")
    boundary = compile_boundary(parse_problem(text, "problem.yaml").render(1))
    assert boundary.nodes == {"worker-2"}


def test_without_nodes_the_boundary_has_none() -> None:
    assert compile_boundary(parse_problem(PROBLEM, "problem.yaml").render(1)).nodes == frozenset()


def test_the_target_port_is_a_number_where_the_fault_takes_it() -> None:
    problem, _ = load_problem(FOLDER)
    rendered = problem.render(1)
    assert isinstance(rendered.faults[0].with_["port"], int)
    assert rendered.environment()["PORT"] == str(rendered.parameters["port"])


def test_the_problems_hash_covers_paths_and_contents() -> None:
    one = problem_hash({"a": b"1", "b": b"2"})
    assert one == problem_hash({"b": b"2", "a": b"1"})
    assert (
        len({one, problem_hash({"a": b"1", "b": b"3"}), problem_hash({"a": b"1", "c": b"2"})}) == 3
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('port: "${port}"', 'port: "${prot}"', r"problem.yaml:8: .*prot"),
        ("mechanism: service_port_mismatch", "mechanism: port", r"problem.yaml:11: .*no_fault"),
        ("affected: [search", "cause: x, affected: [search", r"problem.yaml:11: .*cause"),
        ("mode: hold", "mode: always", r"problem.yaml:13: .*mode"),
        ("difficulty:", "title: again\ndifficulty:", r"problem.yaml:5: .*twice"),
        ("expect: fail", "expect: maybe", r"problem.yaml:20: .*expect"),
        ("application: hotel", "application: [", "problem.yaml"),
        ("{choose: [rate]}", "{choose: [rate], range: [1, 2]}", "exactly one"),
        ("{range: [8091, 8091]}", "{range: [8091, 8091], exclude: [8091]}", "nothing is left"),
        ("{range: [8091, 8091]}", '{lookup: "${service}", in: {geo: 1}}', "no entry"),
        ("name: clients-served", "name: endpoints", "twice"),
        ('object: "Service/hotel/${service}"', 'object: "${service}"', "object"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_a_remedy(old: str, new: str, said: str) -> None:
    with pytest.raises(DescriptionError, match=said) as caught:
        parse_problem(PROBLEM.replace(old, new, 1), "problem.yaml")
    assert caught.value.hint


def test_a_missing_script_is_told(tmp_path: Path) -> None:
    text = PROBLEM.replace("{agent: fix,", "{agent: fix, script: controls/fix.sh,")
    (tmp_path / "problem.yaml").write_text(text)
    with pytest.raises(DescriptionError, match=r"no script controls/fix\.sh"):
        load_problem(tmp_path)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("problem", "problems/schema.json"),
        ("application", "apps/schema.json"),
        ("diagnosis", "docs/diagnosis.schema.json"),
    ],
)
def test_the_published_schema_is_current(name: str, path: str) -> None:
    stored = (ROOT / path).read_text()
    assert stored == schemas.text(name), f"run: python -m faultyard.model.schemas {name} > {path}"


def test_the_schema_accepts_what_the_code_accepts() -> None:
    text = (FOLDER / "problem.yaml").read_text()
    jsonschema.validate(yaml.safe_load(text), json.loads(schemas.text("problem")))
    jsonschema.validate(yaml.safe_load(APPLICATION), json.loads(schemas.text("application")))


@pytest.mark.parametrize(
    ("component", "journeys"),
    [
        ("web", {"buy", "look", "home"}),
        ("cart", {"buy"}),
        ("stock", {"buy", "look"}),
        ("cache", set()),
    ],
)
def test_a_journey_needs_what_its_calls_reach_over_hard_edges(
    component: str, journeys: set[str]
) -> None:
    application = parse_application(APPLICATION, "app.yaml")
    parsed = parse_journeys(JOURNEYS, "journeys.yaml", application)
    assert journeys_needing(application, parsed, component) == journeys


def test_an_unknown_component_is_refused() -> None:
    application = parse_application(APPLICATION, "app.yaml")
    with pytest.raises(KeyError):
        journeys_needing(
            application, parse_journeys(JOURNEYS, "journeys.yaml", application), "ghost"
        )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("to: stock, hard", "to: ghost, hard", "ghost"),
        ("name: cart,", "name: web,", "twice"),
        ("node_port: 30500", "node_port: 80", "node_port"),
        ("title: A shop", "title: A shop\ncolour: red", "colour"),
    ],
)
def test_a_wrong_application_is_told(old: str, new: str, said: str) -> None:
    with pytest.raises(DescriptionError, match=said):
        parse_application(APPLICATION.replace(old, new, 1), "app.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tables: {}\n", "no `journeys:`"),
        ("journeys:\n  - {name: buy, calls: [ghost]}\n", r"journeys.yaml:2: .*ghost"),
        (
            "journeys:\n  - {name: a, calls: []}\n  - {name: a, calls: []}\n",
            r"journeys.yaml:3: .*twice",
        ),
        ("journeys:\n  - {name: a}\n", r"journeys.yaml:2: .*calls"),
    ],
)
def test_wrong_journeys_are_told(text: str, said: str) -> None:
    with pytest.raises(DescriptionError, match=said):
        parse_journeys(text, "journeys.yaml", parse_application(APPLICATION, "app.yaml"))
