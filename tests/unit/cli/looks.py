"""What the doctor finds of some requirements, as JSON; a program by itself, too."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from dataclasses import asdict

from faultyard.cli import doctor


def tell(names: Collection[str]) -> None:
    """Print what is found of these requirements."""
    chosen = [each for each in doctor.REQUIREMENTS if each.name in names]
    sys.stdout.write(json.dumps({each.name: asdict(doctor.look(each)) for each in chosen}))


if __name__ == "__main__":
    tell(sys.argv[1:])
