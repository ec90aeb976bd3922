"""A record whose agent means harm: everything that it can write holds markup."""

from __future__ import annotations

import json
from typing import Any

from unit.model.builders import Trial
from unit.model.world import T0, an_object
from unit.reports.pages import a_call, answered, calls, diagnosis, record_of, resolution

SCRIPT = '<script>document.title="taken"</script>'
IMAGE = '"\'><img src=x onerror=document.title="taken">'
BREAK_OUT = "</pre></script></style></title><svg onload=document.title='taken'>"


def hostile() -> dict[str, bytes]:
    """A record in which everything that an agent can write holds markup."""
    trial = answered(Trial())
    named = an_object("ConfigMap", IMAGE, data={IMAGE: BREAK_OUT, "text": f"a\n{SCRIPT}\n"})
    trial.end.objects.append(named)
    trial.acts(
        "create",
        f"ConfigMap/hotel/{IMAGE}",
        requestObject=named,
        responseObject=named,
        userAgent=SCRIPT,
        requestURI=f"/x?{IMAGE}",
    )
    trial.acts("get", f"ConfigMap/hotel/{IMAGE}", at=46)
    trial.acts("patch", f"Secret/finance/{IMAGE}", at=47, code=403, requestObject={"x": SCRIPT})
    trial.acts(
        "create", f"Pod/hotel/{IMAGE}/exec", at=48, requestURI="/exec?command=%3Cscript%3Ealert()"
    )
    trial.meta["agent"] = SCRIPT
    trial.meta["errors"] = [{"phase": SCRIPT, "message": BREAK_OUT}]
    trial.problem = trial.problem.replace("Customers' requests", "<b>Customers'</b> requests")
    for second in trial.seconds.values():
        figures = second["journeys"]["search"]
        if figures["failed"]:
            figures["errors"] = {f"{BREAK_OUT}{SCRIPT}": figures["failed"]}
        second["journeys"] = {IMAGE: figures}
    _bend_nodes(trial)
    trial.more |= _started()
    return record_of(
        trial, _said(), stdout=f"{SCRIPT}\n{BREAK_OUT}".encode(), stderr=IMAGE.encode()
    )


def _bend_nodes(trial: Trial) -> None:
    """Let files and settings of a node, and the harness' words on it, hold markup."""
    bent = {"etc": {SCRIPT: {"kind": "-", "text": BREAK_OUT}}, "sysctls": {IMAGE: SCRIPT}}
    empty: dict[str, Any] = {"etc": {}, "sysctls": {}}
    trial.nodes = {
        "before": {IMAGE: empty},
        "injected": {IMAGE: empty},
        "after": {IMAGE: bent | {"errors": [{"part": SCRIPT, "message": IMAGE}]}},
    }
    trial.meta["protocol"] = [{"t": T0 + 60, "what": SCRIPT, "detail": IMAGE}]


def _started() -> dict[str, bytes]:
    """What it started on a node."""
    started = {
        "t": T0 + 46,
        "where": "node",
        "node": IMAGE,
        "session": "ssh",
        "sid": 7,
        "pid": 100,
        "ppid": 1,
        "uid": 0,
        "exe": SCRIPT,
        "argv": [SCRIPT, BREAK_OUT, SCRIPT * 20],
        "cut": False,
    }
    recording = {"schema": 1, "state": "unavailable", "message": SCRIPT}
    return {
        "processes.json": json.dumps(recording).encode(),
        "processes.jsonl": json.dumps(started).encode() + b"\n",
    }


def _said() -> dict[str, bytes]:
    """What it told its tools."""
    said = diagnosis(
        cause={"setting": SCRIPT, "observed": IMAGE},
        affected=[IMAGE],
        evidence=[SCRIPT],
        explanation=f"{BREAK_OUT}\n{SCRIPT}",
    )
    said |= resolution(summary=SCRIPT) | calls(
        a_call(33, SCRIPT, {IMAGE: BREAK_OUT}, answer=f"{SCRIPT}\n{BREAK_OUT}", failure=SCRIPT),
        a_call(34, IMAGE, {"args": SCRIPT * 20}, outcome="failed", answer=IMAGE),
    )
    return said
