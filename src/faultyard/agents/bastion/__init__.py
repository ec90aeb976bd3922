"""Programs that lie on the agent's machine, beside kubectl.

They are copied there as they stand: they need Python's standard library alone, and name nothing
but the company.
"""

from pathlib import Path

FOLDER = Path(__file__).parent
COMMANDS = ("call-tool", "report-cause", "resolve")
"""The names of `oncall.py` on the agent's `PATH`."""
