"""Checks that have to be tried: what the harness does while a trial runs, to be judged later.

A kind is one module of this package that registers itself with `tried`. It tries and tells what it
saw; what that means is said by the predicate of the same kind, from the record alone.
"""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
