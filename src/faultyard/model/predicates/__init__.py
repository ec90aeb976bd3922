"""Checks as pure predicates over observations, with three answers: pass, fail, error.

A kind of check is one module of this package with one function marked `@predicate`. What
could not be observed is an error, never a failure of the agent and never a pass.
"""

from __future__ import annotations

import importlib
import pkgutil

from faultyard.model.predicates.checking import (
    Answer,
    CheckResult,
    Phase,
    State,
    check_parameters,
    defined_in,
    evaluate,
    predicate,
)

__all__ = [
    "Answer",
    "CheckResult",
    "Phase",
    "State",
    "check_parameters",
    "defined_in",
    "evaluate",
    "predicate",
]

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
