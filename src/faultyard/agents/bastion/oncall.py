#!/usr/bin/python3 -I
"""The on-call tools from a shell: call-tool NAME [JSON], report-cause, resolve.

They are called over MCP, at $MCP_URL with $MCP_TOKEN. Exit codes: 0 done, 1 the tool said no,
2 wrong usage, 3 the tools cannot be reached.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TIMEOUT_S = 300
"""Longer than any tool takes."""
EXAMPLE = """\
example: report-cause --component ConfigMap/shop/cart-settings --setting data.STOCK_ADDRESS \\
  --observed stock:9090 --expected stock:9091 --mechanism configuration_value_wrong \\
  --affected cart --affected web --impact requests_fail \\
  --evidence "cart logs 'connection refused' to stock:9090 since 10:02"
"""


class Unreachable(Exception):
    """The tools do not answer; the message says why."""


def call(url: str, token: str, tool: str, arguments: Any) -> tuple[bool, str]:
    """Call a tool by a single request.

    Args:
        url: where the tools are.
        token: what they ask for.
        tool: its name.
        arguments: an object.

    Returns:
        Whether the answer is an error, and its text.

    Raises:
        Unreachable: there is no answer that can be read.
    """
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            message = _message(answer.read().decode())
    except urllib.error.HTTPError as error:
        raise Unreachable(f"{error.code}: {error.read().decode(errors='replace')}") from error
    except OSError as error:
        raise Unreachable(f"no answer from {url}: {error}") from error
    if "result" not in message:
        return True, json.dumps(message.get("error", message))
    result = message["result"]
    text = "".join(str(part.get("text", "")) for part in result.get("content", ()))
    return bool(result.get("isError")), text


def _message(text: str) -> dict[str, Any]:
    """The answer in a body: alone, or as an event of a stream."""
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    for line in [*lines, text]:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and "id" in found:
            return found
    raise Unreachable(f"an answer that is none: {text[:200]!r}")


def main(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Carry out a command line; its first word is the command's name.

    Returns:
        The exit code.
    """
    command = Path(words[0]).name
    tool, arguments = _READERS[command](words[1:])
    url, token = environment.get("MCP_URL"), environment.get("MCP_TOKEN")
    if not url or not token:
        print(f"{command}: MCP_URL and MCP_TOKEN are not set", file=sys.stderr)
        return 3
    try:
        failed, said = call(url, token, tool, arguments)
    except Unreachable as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 3
    print(said.rstrip("\n"), file=sys.stderr if failed and command != "call-tool" else sys.stdout)
    return 1 if failed else 0


def _call_tool(words: Sequence[str]) -> tuple[str, Any]:
    parser = argparse.ArgumentParser("call-tool", description="Call one of the on-call tools.")
    parser.add_argument("name", help="kubectl, node_exec, alerts, report_cause, …")
    parser.add_argument("arguments", nargs="?", default="{}", help="a JSON object; -: from stdin")
    given = parser.parse_args(words)
    return given.name, _json(parser, given.arguments)


def _report_cause(words: Sequence[str]) -> tuple[str, Any]:
    parser = argparse.ArgumentParser(
        "report-cause",
        description="Report the cause of the incident, once, before it is repaired.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--file", help="the whole report as JSON; -: from stdin")
    parser.add_argument("--component", help="Kind/namespace/name of the object with the cause")
    parser.add_argument("--setting", help="the field or resource in it that is wrong")
    parser.add_argument("--observed", help="the value that is there")
    parser.add_argument("--expected", help="the value that should be there")
    parser.add_argument("--mechanism", help="a term of the published list")
    parser.add_argument("--affected", action="append", help="what else suffers; repeatable")
    parser.add_argument("--impact", action="append", help="requests_fail, requests_slow, …")
    parser.add_argument("--evidence", action="append", help="one observation; repeatable")
    parser.add_argument("--explanation", help="the chain from cause to impact")
    given = {key: value for key, value in vars(parser.parse_args(words)).items() if value}
    if not given:
        parser.error("nothing is reported; see --help")
    if file := given.pop("file", None):
        if given:
            parser.error("--file holds the whole report; leave the other options out")
        return "report_cause", _json(parser, _read(parser, file))
    names = ("component", "setting", "observed", "expected", "mechanism")
    cause = {name: given.pop(name) for name in names if name in given}
    return "report_cause", {"causes": [cause], **given}


def _resolve(words: Sequence[str]) -> tuple[str, Any]:
    parser = argparse.ArgumentParser("resolve", description="Say that you are done: it ends all.")
    parser.add_argument("summary", nargs="*", help="what you did, for the others")
    return "resolve", {"summary": " ".join(parser.parse_args(words).summary)}


_READERS = {"call-tool": _call_tool, "report-cause": _report_cause, "resolve": _resolve}


def _read(parser: argparse.ArgumentParser, file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text()
    except (OSError, UnicodeDecodeError) as error:
        parser.error(f"{file}: {error}")


def _json(parser: argparse.ArgumentParser, text: str) -> Any:
    try:
        return json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        parser.error(f"that is not JSON: {error}")


if __name__ == "__main__":
    sys.exit(main(sys.argv, os.environ))
