"""Faults: typed causes, generic over their targets, and the decoys beside them.

A kind of fault is a function marked `@fault` in a module of this package.
"""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
