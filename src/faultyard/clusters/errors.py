"""Errors of the environment: never the agent's failure, always with what to do next."""


class ClusterError(Exception):
    """The cluster, or the host under it, could not do what was asked.

    The message says what happened and what the user can do; the command line prints it without a
    traceback and exits with 3 (infrastructure).
    """

    what_to_do = ""
    """The end of the message, where that is advice."""


class NotReady(ClusterError):
    """A condition was awaited until its deadline.

    Args:
        what: the condition, as a noun phrase ("etcd to answer").
        waited_s: how long it was awaited, in seconds.
        last_seen: what was seen at the last look.
        hint: where to look next.
    """

    def __init__(self, what: str, waited_s: float, last_seen: str, hint: str = "") -> None:
        tail = f" {hint}" if hint else ""
        super().__init__(f"waited {waited_s:.0f} s for {what}; last seen: {last_seen}.{tail}")
        self.what = what
        self.what_to_do = hint
        self.last_seen = last_seen


class UnknownName(ClusterError):
    """The user named something that is not there; the message lists what is. Exit code 2."""


class WrongFolder(ClusterError):
    """The user named a folder that holds something else already. Exit code 2."""


class WrongSetting(ClusterError):
    """A variable of the environment has a value that means nothing. Exit code 2."""


class Refused(ClusterError):
    """The host lacks something that is needed, or the request does not fit its state."""
