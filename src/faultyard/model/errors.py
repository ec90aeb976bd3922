"""Errors of the core, written for the person who has to act on them."""

from __future__ import annotations

from collections.abc import Sequence


class ModelError(Exception):
    """Base of every error that this package raises on purpose."""

    what_to_do = ""
    """The end of the message, where that is advice."""


class DescriptionError(ModelError):
    """A problem or an application is described wrongly.

    Args:
        source: the file, as the user would name it.
        message: what is wrong, one sentence.
        hint: what to do about it.
        line: 1-based line in the file, where it is known.
    """

    def __init__(self, source: str, message: str, hint: str, line: int | None = None) -> None:
        self.source = source
        self.message = message
        self.hint = hint
        self.line = line
        self.what_to_do = hint
        place = source if line is None else f"{source}:{line}"
        super().__init__(f"{place}: {message}\n  {hint}")


class NoRecord(ModelError):
    """A folder is not one of a record.

    Args:
        source: the folder.
    """

    def __init__(self, source: str) -> None:
        self.what_to_do = "A record is the folder that `faultyard run` names at its end."
        super().__init__(
            f"{source} is no record: it has neither manifest.json nor trial.json. {self.what_to_do}"
        )


class ClosedRecord(ModelError):
    """A record's files may not be read by this user.

    Args:
        source: the record's folder.
        path: what may not be read.
    """

    def __init__(self, source: str, path: str) -> None:
        self.what_to_do = (
            "Do it as its owner (with sudo if that is root), or let the owner open it: "
            f"chmod -R a+rX {source}"
        )
        super().__init__(f"{path} may not be read by this user. {self.what_to_do}")


class DamagedRecord(ModelError):
    """A record cannot be read, or is not what was once sealed.

    Args:
        source: the record's folder.
        reasons: every complaint, one sentence each; never empty.
        readable: only the seal is broken: what is there may still be understood.
    """

    def __init__(self, source: str, reasons: Sequence[str], *, readable: bool = False) -> None:
        self.source = source
        self.reasons = tuple(reasons)
        self.what_to_do = "Use the original" + (
            ", or --unsealed to recompute from what is there, where it can still be read."
            if readable
            else ", or the version that wrote it; with --unsealed it cannot be read either."
        )
        listed = "\n".join(f"  - {reason}" for reason in reasons)
        super().__init__(
            f"the record {source} is damaged:\n{listed}\n"
            f"  It was edited, cut off, or written by another version. {self.what_to_do}"
        )
