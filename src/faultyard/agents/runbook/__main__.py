"""Takes an incident: python3 -m runbook, with $MCP_URL and $MCP_TOKEN set."""

from __future__ import annotations

import os
import sys
import time

from .investigation import Investigation
from .objects import Unreadable
from .tools import Connection


def main() -> int:
    """Investigate; the exit code."""
    start = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - start:6.1f} s  {text}", flush=True)

    with Connection(os.environ["MCP_URL"], os.environ["MCP_TOKEN"]) as tools:
        try:
            Investigation(tools, say).run()
        except Unreadable as error:
            say(f"the cluster cannot be read: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
