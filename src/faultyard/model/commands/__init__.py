"""What a command line does to the machine on which it runs: nothing, something, or who knows.

Judged by the program's name and its arguments, as far as they are known. A program that only
starts others is judged by those, which have lines of their own in the record.
"""

from __future__ import annotations

from faultyard.model.commands.ending import Ending, ending
from faultyard.model.commands.judging import judge, program_of
from faultyard.model.commands.single import (
    ends_first,
    feeds_others,
    mutes_senders,
    sends_input,
    told,
)
from faultyard.model.commands.words import Act

__all__ = [
    "Act",
    "Ending",
    "ending",
    "ends_first",
    "feeds_others",
    "judge",
    "mutes_senders",
    "program_of",
    "sends_input",
    "told",
]
