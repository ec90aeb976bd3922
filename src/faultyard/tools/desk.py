"""Taking calls: counted, checked, carried out, logged; none after the turn is over."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from faultyard.model.calls import Call, Outcome
from faultyard.tools.call_log import CallLog
from faultyard.tools.errors import BackendFailed, Declined, Malformed
from faultyard.tools.tool import Answer, Tool
from faultyard.tools.turn_end import TurnEnd

MAX_CALLS = 200


class Desk:
    """Where all calls of a turn come in.

    Args:
        tools: what is offered.
        end: of the turn; ended here when the calls are used up.
        log: gets a line for every call.
        max_calls: how many calls a turn has, malformed ones too.
    """

    def __init__(
        self, tools: Sequence[Tool[Any]], end: TurnEnd, log: CallLog, max_calls: int = MAX_CALLS
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._end = end
        self._log = log
        self._max_calls = max_calls
        self._taken = 0
        self._lock = threading.Lock()

    def call(self, name: object, arguments: object) -> Answer:
        """Carry out a call, whatever was sent; it never raises for what an agent did.

        Args:
            name: the tool's.
            arguments: an object; None is an empty one.
        """
        began, start = time.time(), time.monotonic()
        with self._lock:
            self._taken += 1
            number = self._taken
        failure = ""
        try:
            outcome, answer = self._carry_out(number, name, arguments)
        except Exception as error:  # noqa: BLE001 - a bug of ours must not look like an answer
            outcome, answer, failure = "failed", _failed(error), f"{type(error).__name__}: {error}"
        line = Call(
            n=number,
            t=began,
            duration_s=round(time.monotonic() - start, 4),
            tool=name if isinstance(name, str) else "",
            # Calls after the end are told apart by number and time; a flood of them is not kept.
            arguments=None if outcome == "over" else arguments,
            outcome=outcome,
            bytes=len(answer.text.encode(errors="replace")),
            cut=answer.cut,
            answer=answer.text,
            failure=failure,
        )
        self._log.write(line)
        return answer

    def _carry_out(self, number: int, name: object, arguments: object) -> tuple[Outcome, Answer]:
        if (refusal := self._refusal(number)) is not None:
            return "over", refusal
        try:
            tool = self._tool(name)
            answer = tool.act(tool.parse({} if arguments is None else arguments))
        except Malformed as error:
            return "malformed", Answer(f"Not understood: {error}", is_error=True)
        except Declined as error:
            return "declined", Answer(f"Not done: {error}", is_error=True)
        return ("error" if answer.is_error else "ok"), answer

    def _refusal(self, number: int) -> Answer | None:
        """Why no call is taken any more."""
        if number > self._max_calls:
            self._end.end("calls")
        if self._end.reason == "calls":
            said = f"The limit of {self._max_calls} calls is reached and your turn is over."
            return Answer(said, is_error=True)
        if self._end.reason is not None:
            return Answer("Your turn is over; no further call is taken.", is_error=True)
        return None

    def _tool(self, name: object) -> Tool[Any]:
        found = self.tools.get(name) if isinstance(name, str) else None
        if found is None:
            shown = repr(name)[:60]
            raise Malformed(f"there is no tool {shown}; there are: {', '.join(self.tools)}")
        return found


def _failed(error: Exception) -> Answer:
    """What the agent is told: other errors name files and programs of the harness."""
    known = f": {error}" if isinstance(error, BackendFailed) else ""
    said = f"The tool itself failed, which is not your doing{known}. Try again, or another way."
    return Answer(said, is_error=True)
