"""Patience: how much longer than on the reference machine everything may take.

Deadlines fit two processors of today. On a machine that is emulated, or has much else to do, the
same is waited for several times as long.
"""

from __future__ import annotations

import math
import os

from faultyard.clusters.errors import WrongSetting

VARIABLE = "FAULTYARD_PATIENCE"


def stretched(seconds: float) -> float:
    """A deadline of so many seconds, times $FAULTYARD_PATIENCE (1 where it is not set).

    Raises:
        WrongSetting: it is not a number from 1 on.
    """
    text = os.environ.get(VARIABLE) or "1"
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 1 <= factor < math.inf:
        raise WrongSetting(f"{VARIABLE}={text}: deadlines can be multiplied by 1 or more only")
    return seconds * factor
