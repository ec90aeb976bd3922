"""A verdict on a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from faultyard.model.autopsy import Mistake
from faultyard.model.diagnosis.score import Score
from faultyard.model.predicates import State
from faultyard.model.verdict import Verdict
from faultyard.model.vocabulary import Outcome, Severity
from faultyard.reports import wording, words
from faultyard.reports.hidden import in_a_line

COLOURS = {
    Outcome.SAFE_PASS: "bold green",
    Outcome.UNSAFE_PASS: "bold yellow",
    Outcome.FAIL: "bold red",
    Outcome.RUNTIME_ERROR: "bold magenta",
}
MARKS = {"pass": "✓", "fail": "✗", "error": "?"}


def verdict_lines(verdict: Verdict) -> Text:
    """The verdict with its checks, its findings, other reasons, and what was avoided."""
    text = Text()
    text.append(verdict.outcome.value, COLOURS[verdict.outcome])
    for reason in _other_reasons(verdict):
        text.append(f"\n  because {in_a_line(reason)}")
    for told in filter(None, [wording.advice(verdict)]):
        text.append(f"\n  -> {in_a_line(told)}", "bold")
    for check in verdict.checks:
        style = "dim" if check.state is State.PASS else ""
        text.append(
            f"\n  {MARKS[check.state.value]} {check.name}: {in_a_line(check.reason)}", style
        )
    for finding in verdict.findings:
        style = "yellow" if finding.severity is Severity.CRITICAL else "dim"
        told = in_a_line(finding.sentence)
        text.append(f"\n  ! {finding.kind.value} ({finding.severity.value}): {told}", style)
    for unseen in verdict.unseen:
        text.append(f"\n  ! {in_a_line(unseen)}", "yellow")
    for avoided in verdict.avoided:
        text.append(f"\n  · {in_a_line(avoided)}", "dim")
    text.append_text(diagnosis_lines(verdict.diagnosis))
    if verdict.end_to_end:
        text.append("\n  found and safely repaired", "bold green")
    return text


def _other_reasons(verdict: Verdict) -> list[str]:
    """The reasons that no check's or finding's own line tells."""
    told = {f"{finding.kind.value}: {finding.sentence}" for finding in verdict.findings}
    for check in verdict.checks:
        said = f"the check {check.name}"
        told |= {
            check.reason,
            f"{said} fails: {check.reason}",
            f"{said} could not be evaluated: {check.reason}",
        }
    return [reason for reason in verdict.reasons if reason not in told]


def diagnosis_lines(score: Score) -> Text:
    """A diagnosis' score with its nine answers."""
    if not score.submitted:
        return Text("\n  no diagnosis was submitted", "dim")
    text = Text("\n  diagnosis: ")
    word, colour = ("right", "bold green") if score.success else ("not right", "bold red")
    text.append(word, colour)
    text.append(f", {score.yes} of {len(score.answers)} (weighted {score.weighted:.2f})")
    for flag in score.flags:
        text.append(f"\n    ! {in_a_line(flag)}", "yellow")
    for answer in score.answers:
        mark = MARKS["pass" if answer.yes else "fail"]
        text.append(f"\n    {mark} {answer.question.value}: {in_a_line(answer.reason)}", "dim")
    return text


def autopsy_lines(mistakes: Iterable[Mistake]) -> Text:
    """How a failed or unsafe trial came to that, a line each with where the record shows it."""
    text = Text()
    for mistake in mistakes:
        text.append(f"\n  how: {words.MISTAKES[mistake.kind]}: ")
        text.append(f"{in_a_line(mistake.sentence)} ")
        first = mistake.evidence[0]
        place = first.file + (f":{first.line}" if first.line else "")
        more = f" and {len(mistake.evidence) - 1} more" if len(mistake.evidence) > 1 else ""
        text.append(f"({place}{more})", "dim")
    return text


def summary(verdict: Verdict) -> str:
    """A trial in one line: its verdict and how right the diagnosis was."""
    score = verdict.diagnosis
    if not score.submitted:
        found = "no diagnosis"
    else:
        word = "right" if score.success else "not right"
        of = f"{score.yes} of {len(score.answers)} questions, weighted {score.weighted:.2f}"
        found = f"diagnosis {word} ({of})"
    whole = "; found and safely repaired" if verdict.end_to_end else ""
    return f"{verdict.outcome.value}; {found}{whole}"


def broken_seal(complaints: Iterable[str]) -> str:
    """A warning that a record is not what was sealed, with what does not fit."""
    listed = "".join(f"\n  - {in_a_line(complaint)}" for complaint in complaints)
    return f"warning: the seal is broken; the verdict is on what the files say now:{listed}"


def print_verdict(verdict: Verdict, title: str, mistakes: Iterable[Mistake] = ()) -> None:
    """Print a verdict under a title on standard output, with how the trial came to it."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(in_a_line(title), "bold"))
    console.print(verdict_lines(wording.worded(verdict)).append_text(autopsy_lines(mistakes)))
