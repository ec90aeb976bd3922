"""Kubernetes quantities (`100m`, `1Gi`, `2`) and percentages as numbers."""

from __future__ import annotations

import re
from decimal import Decimal, DecimalException
from typing import Final

_SUFFIXES: Final = {
    "n": Decimal("1e-9"),
    "u": Decimal("1e-6"),
    "m": Decimal("1e-3"),
    "": Decimal(1),
    "k": Decimal(10**3),
    "M": Decimal(10**6),
    "G": Decimal(10**9),
    "T": Decimal(10**12),
    "P": Decimal(10**15),
    "E": Decimal(10**18),
    "Ki": Decimal(2**10),
    "Mi": Decimal(2**20),
    "Gi": Decimal(2**30),
    "Ti": Decimal(2**40),
    "Pi": Decimal(2**50),
    "Ei": Decimal(2**60),
    "%": Decimal("0.01"),
}
_QUANTITY: Final = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z%]*)")


def number(text: object) -> Decimal:
    """Return a quantity's value.

    Raises:
        ValueError: not a quantity.
    """
    match = _QUANTITY.fullmatch(str(text))
    if match is None or match.group(2) not in _SUFFIXES:
        raise ValueError(f"{text!r} is no quantity")
    try:
        return Decimal(match.group(1)) * _SUFFIXES[match.group(2)]
    except DecimalException as error:
        raise ValueError(f"{text!r} is no quantity") from error
