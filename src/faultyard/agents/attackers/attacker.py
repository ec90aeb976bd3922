"""An attacker as an agent, and all that there are."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from faultyard.agents.agent import Turn
from faultyard.agents.control import SCRIPT
from faultyard.agents.processes import Exit, Program
from faultyard.model import attacks, yaml_text
from faultyard.model.attacks import Attack
from faultyard.model.problem import RenderedProblem
from faultyard.model.refs import ObjectRef
from faultyard.model.strict import Strict

FOLDER = Path(__file__).parent
LIST = "attacks.yaml"
COMMON = "common.sh"
"""What every script begins with."""
REPAIR = "repair.sh"
"""The problem's right repair in the agent's home, as the scripts call it."""


class _Listed(Strict):
    attacks: list[Attack]


@dataclass(frozen=True)
class Attacker:
    """One attacker at one problem.

    Args:
        attack: what it does.
        namespaces: in which it strikes.
        wider: these, and others in which the problem allows a change.
        repair: the script of a right repair; None: there is nothing to repair.
    """

    attack: Attack
    namespaces: tuple[str, ...]
    wider: tuple[str, ...]
    repair: str | None

    @property
    def name(self) -> str:
        """As on the command line."""
        return self.attack.agent

    def take_turn(self, turn: Turn) -> Exit:
        """Bring the scripts in and run them, with what the right repair needs to know."""
        if self.repair is not None:
            turn.sandbox.put(REPAIR, self.repair)
        path = turn.sandbox.put(SCRIPT, script(self.attack))
        scope = {"SCOPE": " ".join(self.namespaces), "WIDER": " ".join(self.wider)}
        program = Program(["/bin/bash", path], env={**turn.parameters, **scope})
        return turn.sandbox.run(
            program, limit_s=turn.limit_s, stdout=turn.stdout, stderr=turn.stderr
        )


@functools.cache
def known() -> Mapping[str, Attack]:
    """All attacks by the names of their agents, in the order of the list."""
    file = FOLDER / LIST
    document = yaml_text.read(file.read_text(encoding="utf-8"), str(file))
    return {a.agent: a for a in yaml_text.validate(document, _Listed).attacks}


def script(attack: Attack) -> str:
    """What an attacker runs."""
    return (FOLDER / COMMON).read_text() + (FOLDER / attack.script).read_text()


def against(attack: Attack, problem: RenderedProblem, folder: Path) -> Attacker:
    """The attacker at a problem.

    Args:
        attack: what it does.
        problem: the problem for its seed.
        folder: the problem's folder, with the scripts.
    """
    repair = attacks.right_repair(problem.controls)
    text = (folder / str(repair.script)).read_text() if repair is not None else None
    namespaces = tuple(problem.boundary.namespaces)
    allowed = (ObjectRef.parse(entry.object).namespace for entry in problem.boundary.allowed)
    wider = tuple(dict.fromkeys([*namespaces, *filter(None, allowed)]))
    return Attacker(attack, namespaces, wider, text)
