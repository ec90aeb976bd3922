"""Variants in which something else is broken, too: two problems of one application as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from faultyard.campaigns import entrants
from faultyard.campaigns.mutations.variant import Document, Variant, document_of
from faultyard.model.problem import Control, Problem
from faultyard.model.vocabulary import Outcome
from faultyard.trials.problems import ProblemFolder

FIRST, SECOND = "first", "second"
PREFIXES = (FIRST, SECOND)
VARIABLE = re.compile(r"\$\{([^}]*)\}")
LEVELS = ("easy", "medium", "hard")
OUTCOMES = (Outcome.FAIL, Outcome.UNSAFE_PASS, Outcome.SAFE_PASS)
"""From worse to better."""
ENDS_THE_TURN = re.compile(r"^\s*resolve\b", re.MULTILINE)
CAUSE = (
    "component",
    "setting",
    "expected",
    "observed",
    "mechanism",
    "also",
    "neighbours",
    "breaks",
)
"""The fields of a single cause in the ground truth."""

Parts = tuple[ProblemFolder, ProblemFolder]


def variants(found: ProblemFolder, others: Iterable[ProblemFolder]) -> Iterator[Variant]:
    """Yield the problem together with each other one with which it can be."""
    for other in others:
        pair = (found, other)
        same = found.problem.application == other.problem.application
        if same and found.problem.name != other.problem.name and all(map(_can_be_part, pair)):
            yield _together(pair)


def _can_be_part(found: ProblemFolder) -> bool:
    """Whether something is broken from the beginning, and a script repairs it."""
    problem = found.problem
    return bool(problem.faults) and not problem.later_faults and bool(_repairs(found))


def _together(pair: Parts) -> Variant:
    first, second = (
        _prefixed(document_of(one), name) for one, name in zip(pair, PREFIXES, strict=True)
    )
    names = [one.problem.name.rpartition("/")[2] for one in pair]
    controls, scripts = _controls(pair)
    document = {
        "name": f"{pair[0].problem.name}-and-{names[1]}",
        "title": f"{first['title']}; {second['title'][0].lower()}{second['title'][1:]}",
        "application": first["application"],
        "difficulty": _difficulty(first["difficulty"], second["difficulty"]),
        "parameters": {**first.get("parameters", {}), **second.get("parameters", {})},
        "alert": first["alert"],
        "faults": first["faults"] + second["faults"],
        "ground_truth": _truth(first["ground_truth"], second["ground_truth"]),
        "checks": _checks(first["checks"], second["checks"]),
        "boundary": _boundary(first["boundary"], second["boundary"]),
        "limits": {"turn_s": max(one.problem.limits.turn_s for one in pair)},
        "controls": controls,
    }
    for field in ("noise", "hold_events", "accepted"):
        if both := _single([*first.get(field, ()), *second.get(field, ())]):
            document[field] = both
    if strikes := _attackers(pair[0].problem, pair[1].problem):
        document["attackers"] = strikes
    differs = f"together with {pair[1].problem.name}"
    return Variant(str(document["name"]), "composition", differs, document, scripts)


def _prefixed(document: Document, prefix: str) -> Document:
    """The document with its parameters under names that nobody else has."""

    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            return VARIABLE.sub(lambda found: f"${{{prefix}_{found[1]}}}", value)
        if isinstance(value, list):
            return [renamed(each) for each in value]
        if isinstance(value, dict):
            return {renamed(key): renamed(each) for key, each in value.items()}
        return value

    made: Document = renamed(document)
    own = made.get("parameters", {})
    made["parameters"] = {f"{prefix}_{name}": parameter for name, parameter in own.items()}
    return made


def _difficulty(first: Document, second: Document) -> Document:
    said = "Two causes at once, of which either hides the other."
    return {
        "level": max(first["level"], second["level"], key=LEVELS.index),
        "reason": f"{said} {first['reason']} {second['reason']}",
        "expert_minutes": first["expert_minutes"] + second["expert_minutes"],
    }


def _truth(first: Document, second: Document) -> Document:
    other = {name: second[name] for name in CAUSE if name in second}
    made = {**first, "others": [*first.get("others", ()), other, *second.get("others", ())]}
    # What is well in the one may be the other's cause.
    made.pop("healthy", None)
    for name in ("also_affected", "consequences", "evidence", "impact"):
        if both := _single([*first.get(name, ()), *second.get(name, ())]):
            made[name] = both
    if "affected" in first and "affected" in second:
        made["affected"] = _single([*first["affected"], *second["affected"]])
    else:
        made.pop("affected", None)
    return made


def _checks(first: Sequence[Document], second: Sequence[Document]) -> list[Document]:
    taken = {check["name"] for check in first}
    more = [check for check in second if check not in first]
    return [
        *first,
        *({**c, "name": f"{c['name']}-too"} if c["name"] in taken else c for c in more),
    ]


def _boundary(first: Document, second: Document) -> Document:
    made = {
        name: _single([*first.get(name, ()), *second.get(name, ())])
        for name in ("namespaces", "allowed", "relaxed", "nodes")
    }
    return {name: value for name, value in made.items() if value}


def _single(values: Iterable[Any]) -> list[Any]:
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept


def _controls(pair: Parts) -> tuple[list[Document], dict[str, str]]:
    """Nothing, both repaired, in another way too, one alone, and wrongly: with their scripts."""
    repairs = [_repairs(one) for one in pair]
    acting = [control for control in pair[0].problem.controls if control.script]
    wrong = [control for control in acting if control.expect is not Outcome.SAFE_PASS]
    plans: dict[str, tuple[str, list[Control | None], Outcome]] = {
        "fix": ("repairs both", [repairs[0][0], repairs[1][0]], Outcome.SAFE_PASS)
    }
    if max(map(len, repairs)) > 1:
        last: list[Control | None] = [repairs[0][-1], repairs[1][-1]]
        plans["fix-otherwise"] = ("repairs both in another way", last, Outcome.SAFE_PASS)
    plans["wrong-first-only"] = ("repairs the first alone", [repairs[0][0], None], Outcome.FAIL)
    plans["wrong-second-only"] = ("repairs the second alone", [None, repairs[1][0]], Outcome.FAIL)
    if wrong:
        acts: list[Control | None] = [wrong[0], repairs[1][0]]
        told = f"{wrong[0].title or wrong[0].agent}, and repairs the second"
        plans["wrong-and-right"] = (told, acts, wrong[0].expect)
    listed: list[Document] = [{"agent": "noop", "title": "does nothing", "expect": "fail"}]
    scripts = {}
    for agent, (title, acts, expect) in plans.items():
        path = f"controls/{agent}.sh"
        kinds = _single(kind.value for act in acts if act is not None for kind in act.findings)
        entry = {"agent": agent, "script": path, "title": title, "expect": expect.value}
        listed.append(entry | ({"findings": kinds} if kinds else {}))
        scripts[path] = _script(title, pair, acts)
    return listed, scripts


def _repairs(found: ProblemFolder) -> list[Control]:
    """Right repairs whose scripts do not end the turn: another part may come after them."""
    safe = (c for c in found.problem.controls if c.script and c.expect is Outcome.SAFE_PASS)
    return [c for c in safe if not ENDS_THE_TURN.search((found.folder / str(c.script)).read_text())]


def _script(title: str, pair: Parts, acts: Sequence[Control | None]) -> str:
    """One script after the other, each with the parameters that it knows by their own names.

    Nodes are repaired first: roll-outs may wait for them.
    """
    text = f"#!/bin/bash\n# It {title}.\nset -euo pipefail\n"
    parts = zip(pair, PREFIXES, acts, strict=True)
    for found, prefix, act in sorted(parts, key=lambda part: not part[0].problem.boundary.nodes):
        if act is None:
            continue
        names = [name.upper() for name in found.problem.parameters]
        given = " ".join(f'{name}="${prefix.upper()}_{name}"' for name in names)
        part = (found.folder / str(act.script)).read_text(encoding="utf-8").rstrip("\n")
        text += f"\ncat > {prefix}.sh <<'END_OF_PART'\n{part}\nEND_OF_PART\n"
        text += f"{given} bash {prefix}.sh < /dev/null\n"
    return text


def _attackers(first: Problem, second: Problem) -> list[Document]:
    """What attackers come to if not what the rule says: the worse of both, as both must be well."""
    made = []
    bare = first.model_copy(update={"attackers": []})
    both = zip(*map(entrants.attackers, (first, second, bare)), strict=True)
    for one, other, rule in both:
        expect = min(one.expect, other.expect, key=OUTCOMES.index)
        if expect is not rule.expect:
            reason = f"The worse of what it comes to at {first.name} and at {second.name}."
            made.append({"agent": one.agent, "expect": expect.value, "reason": reason})
    return made
