"""The command group, and how errors reach people.

Commands are imported when they are called: `--help` must not pay for what it does not use.
"""

from __future__ import annotations

import importlib
import signal
import sys

import click

from faultyard.cli import errors

COMMANDS = {
    "setup": ("faultyard.cli.setup", "Build and fetch everything that cells need."),
    "doctor": ("faultyard.cli.doctor", "Try what cells need of this machine."),
    "up": ("faultyard.cli.cells", "Bring up a cell; with --app, an application in it."),
    "down": ("faultyard.cli.cells", "Remove cells and all that they left."),
    "status": ("faultyard.cli.cells", "Show the cells of this machine."),
    "kubectl": ("faultyard.cli.cells", "Run kubectl in a cell, as its administrator."),
    "ssh": ("faultyard.cli.cells", "Open a shell on a node, as its on-call user."),
    "list": ("faultyard.cli.problems", "List problems, or agents."),
    "show": (
        "faultyard.cli.problems",
        "Show a problem: its alert, its contract, or with --answer all of it.",
    ),
    "lint": ("faultyard.cli.lint", "Look for what is wrong with problems, without running them."),
    "new": ("faultyard.cli.authoring", "Begin a problem of your own."),
    "mutate": ("faultyard.cli.authoring", "Propose variants of a problem."),
    "run": ("faultyard.cli.trials", "Run one trial of an agent at a problem."),
    "report-cause": ("faultyard.cli.turns", "Report the cause in the turn of the agent `human`."),
    "resolve": ("faultyard.cli.turns", "End the turn of the agent `human`."),
    "validate": ("faultyard.cli.validation", "Run the control agents of a problem, or of all."),
    "validity": ("faultyard.cli.validity", "Say what control trials have shown."),
    "verify": ("faultyard.cli.trials", "Recompute the verdict of a record."),
    "regrade": ("faultyard.cli.regrade", "Judge old records by today's rules; say what changed."),
    "report": ("faultyard.cli.reports", "Write a record as one HTML page."),
}


class Lazy(click.Group):
    """A group whose commands are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command = getattr(module, f"{cmd_name.replace('-', '_')}_command")
        if not isinstance(command, click.Command):
            raise TypeError(f"{cmd_name} is no command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name=None, version="0.1.0", prog_name="faultyard")
def cli() -> None:
    """A proving ground for AI SRE agents on live Kubernetes clusters.

    Exit codes: 0 done, 1 a gate failed, 2 wrong usage, 3 infrastructure. With --json an error is
    an object on standard output too: {"error": …, "what_to_do": …}.
    """


def main() -> None:
    """Run the command line; errors that are meant for people are printed without a traceback."""
    # Asked to end, by a key or by another program, a trial throws its cell away first. The first is
    # ignored in programs that a shell starts in the background.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:  # the terminal has gone; nohup ignores it
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    try:
        cli.main(prog_name="faultyard", standalone_mode=False)
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except click.ClickException as error:
        errors.leave(errors.of_click(error))
    except (click.Abort, KeyboardInterrupt):
        errors.leave(errors.Told("stopped", "", errors.STOPPED))
    except Exception as error:
        told = errors.of_exception(error)
        if told is None:
            raise
        errors.leave(told)
