"""Tools that answer what real ones answered in a trial; see tests/golden/runbook/README.md."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from faultyard.agents.runbook.tools import Answer

FOLDER = Path(__file__).parents[3] / "golden" / "runbook"


class Recorded:
    """See `faultyard.agents.runbook.tools.Tools`.

    A call that was made several times gets its answers in their order, and the last for ever.

    Args:
        name: of the recording.
    """

    def __init__(self, name: str) -> None:
        content = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
        self.alert = str(content["alert"])
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._answers: dict[str, list[Answer]] = {}
        for call in content["calls"]:
            answer = Answer(call["answer"], failed=call["outcome"] != "ok")
            self._answers.setdefault(_key(call["tool"], call["arguments"]), []).append(answer)
        offered = {str(call["tool"]) for call in content["calls"]}
        self.names = frozenset({"kubectl", "node_exec", "report_cause", "resolve", *offered})

    def call(self, tool: str, /, **arguments: Any) -> Answer:
        """The recorded answer; what was never asked gets a failure."""
        self.calls.append((tool, arguments))
        answers = self._answers.get(_key(tool, arguments))
        if not answers:
            return Answer("this was not recorded", failed=True)
        return answers.pop(0) if len(answers) > 1 else answers[0]


def _key(tool: str, arguments: dict[str, Any]) -> str:
    return json.dumps([tool, arguments], sort_keys=True)
