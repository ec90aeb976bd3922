"""Reports of small records made by hand, and a reader that sees them as a browser would."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from faultyard.model import manifests
from faultyard.reports.incident import report
from unit.model.builders import Trial
from unit.model.world import T0


def record_of(
    trial: Trial, more: Mapping[str, bytes] | None = None, **outputs: bytes
) -> dict[str, bytes]:
    """A sealed record; `stdout=` and `stderr=` are what the agent printed, `more` other files."""
    content = trial.files(sealed=False) | dict(more or {})
    content |= {f"agent/{name}.txt": text for name, text in outputs.items()}
    return content | {manifests.NAME: manifests.seal(content)}


def page_of(trial: Trial, more: Mapping[str, bytes] | None = None, **outputs: bytes) -> str:
    """The report of a trial."""
    return report(record_of(trial, more, **outputs), "records/fix-s1")


def as_problems_do(trial: Trial) -> Trial:
    """Let the ground truth say only what cannot be worked out, as real problems do."""
    trial.problem = trial.problem.replace(", affected: [search, frontend]", "")
    return trial


def diagnosis(at: float = 36, **said: Any) -> dict[str, bytes]:
    """The file with a diagnosis, the right one unless told otherwise."""
    cause = {
        "component": "Service/hotel/rate",
        "setting": "spec.ports[0].targetPort",
        "observed": 8091,
        "expected": 8084,
        "mechanism": "service_port_mismatch",
    }
    submitted = {
        "causes": [cause | said.pop("cause", {})],
        "affected": ["search", "frontend"],
        "impact": ["requests_fail"],
        "evidence": ["traces: search cannot reach rate"],
        "explanation": "rate is asked at a port on which it does not listen.",
        **said,
    }
    recorded = {"schema": 1, "submitted_at": T0 + at, "diagnosis": submitted}
    return {"diagnosis.json": json.dumps(recorded).encode()}


def a_call(at: float, tool: str, arguments: Any = None, **parts: Any) -> dict[str, Any]:
    """A line of the calls' log; `n` is given to it by `calls`."""
    answer = parts.pop("answer", "ok")
    line = {
        "t": T0 + at,
        "duration_s": 0.2,
        "tool": tool,
        "arguments": arguments,
        "outcome": "ok",
        "bytes": len(answer.encode()),
        "cut": False,
        "answer": answer,
        "failure": "",
    }
    return line | parts


def calls(*lines: dict[str, Any]) -> dict[str, bytes]:
    """The file with calls of tools."""
    numbered = [{"n": number} | line for number, line in enumerate(lines, 1)]
    text = "".join(json.dumps(line) + "\n" for line in numbered)
    return {"agent/calls.jsonl": text.encode()}


def resolution(at: float = 58, summary: str = "The port is right again.") -> dict[str, bytes]:
    """The file with the agent's word that it is done."""
    said = {"schema": 1, "resolved_at": T0 + at, "summary": summary}
    return {"agent/resolution.json": json.dumps(said).encode()}


def told() -> dict[str, bytes]:
    """Everything that an agent can say: calls of every outcome, a diagnosis, a resolution."""
    query = 'sum by (service) (rate(grpc_server_handled_total{grpc_code!="OK"}[1m]))'
    lines = [
        a_call(33, "metrics_query", {"query": query}, answer="search 10\n" * 50, cut=True),
        a_call(34.9, "kubectl", {"args": "get service rate -n hotel -o yaml"}),
        a_call(37, "kubectl", {"args": ["get"]}, outcome="malformed", answer="Not understood"),
        a_call(38, "node_exec", {"node": "worker-1", "command": "x" * 500}, outcome="error"),
        a_call(39, "report_cause", {"causes": []}, outcome="declined"),
        a_call(39.9, "kubectl", {"args": "patch service rate"}),
        a_call(50, "trace", {"id": "f" * 400}, outcome="failed", failure="RuntimeError: gone"),
        a_call(58, "resolve", {"summary": "done"}),
        a_call(59, "kubectl", outcome="over"),
    ]
    return calls(*lines) | diagnosis() | resolution()


def secret(page: str) -> str:
    """What a page hides until it is asked for."""
    return page.partition('<details class="secret">')[2].partition("</section>")[0]


def answered(trial: Trial) -> Trial:
    """Let the log have the repair's body and answer, as a real one does."""
    before = trial.injected.get("Service/hotel/rate")
    after = trial.end.get("Service/hotel/rate")
    assert before != after
    trial.repair["requestObject"] = [
        {"op": "replace", "path": "/spec/ports/0/targetPort", "value": 8084}
    ]
    trial.repair["responseObject"] = after
    return trial


class Page(HTMLParser):
    """What a page consists of.

    Args:
        text: the page.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.words.append("" if tag == "wbr" else " ")

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] not in ("script", "style"):
            self.words.append(data)

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}
