"""The program as it runs on the agent's machine, with kubectl answering from a file."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from faultyard.agents.excavation import NAME, PYTHON, install
from unit.agents.archaeologist.test_ranking import an_object, old

KUBECTL = """#!/bin/sh
case "$1 $2" in
  "api-resources --verbs=list") echo services; echo events; echo componentstatuses ;;
  "auth whoami") echo '{{"status": {{"userInfo": {{"username": "oncall"}}}}}}' ;;
  "get services") cat {services} ;;
  "get componentstatuses") echo '{{"items": [{{"metadata": {{"name": "etcd"}}}}]}}' ;;
  *) exit 1 ;;
esac
"""


def run(tmp_path: Path, objects: list[dict[str, Any]]) -> tuple[str, list[str]]:
    """What it prints, and the words with which it calls report-cause."""
    install(tmp_path)
    services, said = tmp_path / "services.json", tmp_path / "said"
    services.write_text(json.dumps({"items": objects}))
    programs = {
        "kubectl": KUBECTL.format(services=services),
        "report-cause": f'#!/bin/sh\nfor word in "$@"; do echo "$word" >> {said}; done\n',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(tmp_path)}
    argv = [PYTHON, "-m", NAME]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
    return done.stdout, said.read_text().splitlines() if said.exists() else []


def test_it_names_one_object_by_the_submission_tool(tmp_path: Path) -> None:
    printed, said = run(tmp_path, [*old(), an_object("Service", "cart", -5)])
    assert said[:2] == ["--component", "Service/shop/cart"]
    assert said[-1] == "Service/shop/cart is the odd one among 1 that were changed in the last hour"
    assert printed.split()[-1] == "Service/shop/cart"


def test_it_does_not_name_what_lets_it_in(tmp_path: Path) -> None:
    own = an_object("ClusterRoleBinding", "oncall-test", -1)
    own["subjects"] = [{"kind": "User", "name": "oncall"}]
    printed, said = run(tmp_path, [*old(), an_object("Service", "cart", -5), own])
    assert said[:2] == ["--component", "Service/shop/cart"]
    assert "oncall-test" not in printed


def test_it_names_none_where_nothing_was_changed(tmp_path: Path) -> None:
    printed, said = run(tmp_path, old())
    assert (printed, said) == ("nothing was changed in the last hour\n", [])
