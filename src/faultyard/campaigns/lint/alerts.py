"""alert-names-answer: what an agent is told names nothing of what it is to find out."""

from __future__ import annotations

from collections.abc import Iterable

from faultyard.campaigns.lint.rule import Complaint, Subject, rule
from faultyard.model import answers


@rule("alert-names-answer")
def alert(subject: Subject) -> Iterable[Complaint]:
    """An alert names no object, setting, value or mechanism of the ground truth, on any seed."""
    told: dict[str, str] = {}
    for seed, rendered in subject.rendered.items():
        for what, word in answers.words(rendered):
            if answers.says(rendered.alert, word):
                told.setdefault(word, f"the alert of seed {seed} says {word!r}, {what}")
    for message in told.values():
        hint = "Say what users or a monitor would say, without the cause."
        yield Complaint("alert-names-answer", subject.file, message, hint)
