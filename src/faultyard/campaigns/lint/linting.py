"""Looking at problems with some rules, or with all."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faultyard.campaigns import lint
from faultyard.campaigns.lint import ignores
from faultyard.campaigns.lint.ignores import Ignore
from faultyard.campaigns.lint.rule import Complaint, Rule, Subject, rules
from faultyard.clusters.errors import UnknownName

for _module in pkgutil.iter_modules(lint.__path__):
    if _module.name != "linting":
        importlib.import_module(f"{lint.__name__}.{_module.name}")


@dataclass(frozen=True)
class Result:
    """What the rules say."""

    complaints: tuple[Complaint, ...]
    ignored: tuple[tuple[Complaint, Ignore], ...]


def chosen(names: Collection[str]) -> list[Rule]:
    """The rules of these ids; none named: all.

    Raises:
        UnknownName: there is no rule of an id.
    """
    unknown = sorted(set(names) - rules().keys())
    if unknown:
        raise UnknownName(f"no rule {', '.join(unknown)}; there are: {', '.join(sorted(rules()))}")
    return [rule for name, rule in sorted(rules().items()) if not names or name in names]


def check(
    folders: Iterable[Path], selected: Sequence[Rule], let_be: Sequence[Ignore], whole: bool
) -> Result:
    """Look at problems.

    Args:
        folders: theirs.
        selected: the rules.
        let_be: what is ignored.
        whole: these are all problems and all rules: an entry that ignores nothing is too old.
    """
    subjects = [Subject(folder) for folder in folders]
    told = [complaint for rule in selected for one in subjects for complaint in rule.look(one)]
    found = list(dict.fromkeys(told))  # two problems may have one application
    ignored = [(c, ignore) for c in found for ignore in let_be if ignore.fits(c)]
    known = {complaint for complaint, _ in ignored}
    left = [complaint for complaint in found if complaint not in known]
    if whole:
        left += ignores.unused(let_be, found)
    return Result(tuple(left), tuple(ignored))
