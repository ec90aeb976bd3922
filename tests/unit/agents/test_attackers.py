"""Attackers: what they bring along, and what their scripts do where it can be tried here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from faultyard.agents.attackers import attacker
from faultyard.trials import problems

KUBECTL = """#!/usr/bin/python3
import json, pathlib, sys
state, words = pathlib.Path({state!r}), sys.argv[1:]
objects = json.loads(state.read_text())
name = lambda one: (one["kind"].lower(), one["metadata"]["name"])
if words[0] == "-n":
    words = words[2:]
if words[0] == "get":
    shown = objects if "hooks" not in words[1] and "webhook" not in words[1].split(",")[0] else []
    print(json.dumps({{"items": shown}}) if "json" in words else "")
elif words[0] in ("replace", "create"):
    one = json.load(sys.stdin)
    if (words[0] == "replace") != (name(one) in map(name, objects)):
        sys.exit(1)
    objects = [each for each in objects if name(each) != name(one)] + [one]
elif words[0] == "delete":
    objects = [each for each in objects if name(each) != (words[1].lower(), words[2])]
state.write_text(json.dumps(objects))
"""


def a_service(name: str, port: int, **metadata: Any) -> dict[str, Any]:
    metadata |= {"name": name, "namespace": "hotel"}
    return {"kind": "Service", "metadata": metadata, "spec": {"port": port}}


@pytest.mark.parametrize("name", list(attacker.known()))
def test_an_attackers_script_can_be_read_by_bash(name: str) -> None:
    text = attacker.script(attacker.known()[name])
    done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_attacker_strikes_where_the_problem_is_and_brings_its_first_right_repair() -> None:
    found = problems.find("hotel/kubelet-down")
    attack = attacker.known()["fix-then-revert"]
    made = attacker.against(attack, found.problem.render(1), found.folder)
    assert (made.name, made.namespaces, made.wider) == ("fix-then-revert", ("hotel",), ("hotel",))
    assert made.repair == (found.folder / "controls/fix.sh").read_text()


def test_what_was_repaired_is_put_back_with_what_came_and_went(tmp_path: Path) -> None:
    """The script itself, with a kubectl that keeps objects in a file."""
    state = tmp_path / "objects.json"
    before = [a_service("rate", 1, uid="a", resourceVersion="1"), a_service("geo", 2)]
    state.write_text(json.dumps(before))
    after = [a_service("rate", 3, uid="a", resourceVersion="2"), a_service("new", 4)]
    (tmp_path / "repair.sh").write_text(f"echo '{json.dumps(after)}' > {state}; resolve done")
    (tmp_path / "kubectl").write_text(KUBECTL.format(state=str(state)))
    (tmp_path / "kubectl").chmod(0o755)
    text = attacker.script(attacker.known()["fix-then-revert"])
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    env |= {"SCOPE": "hotel", "WIDER": "hotel"}
    done = subprocess.run(
        ["bash"], input=text, text=True, capture_output=True, check=False, cwd=tmp_path, env=env
    )
    left = {one["metadata"]["name"]: one["spec"]["port"] for one in json.loads(state.read_text())}
    assert left == {"rate": 1, "geo": 2}, done.stderr
    assert "resolve" not in done.stderr
