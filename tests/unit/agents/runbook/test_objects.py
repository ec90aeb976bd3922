"""Reading objects in answers of a bounded size."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from faultyard.agents.runbook import objects
from faultyard.agents.runbook.tools import Answer
from unit.agents.runbook import played
from unit.agents.runbook.played import Manifest, Played


@dataclass
class Narrow(Played):
    """Answers are cut beyond so many rows, as the server cuts them by size."""

    most: int = 2

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        answer = super().call(tool, **arguments)
        lines = answer.text.splitlines()
        if len(lines) <= self.most or "creationTimestamp" not in str(arguments["args"][-1]):
            return answer
        note = "[9 of 10 bytes, 1 of 2 lines, were cut here; ask for less]"
        return Answer("\n".join([lines[0], note, lines[-1]]))


def test_what_is_too_much_for_an_answer_is_read_in_parts() -> None:
    names = [f"pod-{number}" for number in range(9)]
    manifests: list[Manifest] = [
        played.pod(name, {}, {"name": "c"}, on=f"node-{name}") for name in names
    ]
    manifests[-1]["metadata"]["namespace"] = "parcels"
    found = objects.read(Narrow(manifests), "pods")
    assert sorted(each.name for each in found) == [f"{name}-0" for name in names]
    assert {each.fields["spec.nodeName"] for each in found} == {f"node-{name}" for name in names}


def test_a_refusal_is_told_with_kubectls_words() -> None:
    class Refusing(Played):
        def call(self, tool: str, /, **arguments: Any) -> Answer:
            return Answer("error: forbidden", failed=True)

    with pytest.raises(objects.Unreadable, match="forbidden"):
        objects.read(Refusing([]), "pods")


def test_values_are_read_as_kubectl_prints_them() -> None:
    tools = Played([played.service("cart"), *played.deployment("cart")])
    (service,) = objects.read(tools, "services", "-n", "shop")
    assert service.ref == "Service/shop/cart"
    assert service.at("spec", "ports", 0, "port") == 8080
    assert service.at("spec", "nothing", 0) is None
    (pod,) = objects.read(tools, "pods", "-n", "shop", "-l", "app=cart")
    assert json.dumps(pod.labels) == '{"app": "cart"}'
