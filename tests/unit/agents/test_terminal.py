"""A terminal on a program, without the sandbox."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from faultyard.agents.terminal import Terminal

# As the sandbox does: who runs the tests may ignore Control-C.
SHELL = ["env", "--default-signal", "setsid", "--ctty", "--wait", "bash", "--norc", "-i"]


@pytest.fixture
def ends() -> Iterator[tuple[int, int]]:
    """A pipe: its reading and its writing end."""
    reader, writer = os.pipe()
    yield reader, writer
    for fd in (reader, writer):
        try:
            os.close(fd)
        except OSError:
            continue


def converse(keys: int, screen: int, kept: Path, argv: list[str]) -> int:
    """Run a program on a terminal to its end; its exit code."""
    terminal = Terminal(keys, screen, kept)
    descriptors = terminal.open()
    try:
        process = subprocess.Popen(
            argv,
            stdin=descriptors[0],
            stdout=descriptors[1],
            stderr=descriptors[2],
            start_new_session=True,
            env={"PATH": os.environ["PATH"], "PS1": "> ", "TERM": "xterm"},
        )
    finally:
        for fd in descriptors:
            os.close(fd)
    terminal.begin(process)
    code = process.wait(30)
    terminal.finish()
    return code


def test_a_shell_works_from_a_pipe_to_its_end(ends: tuple[int, int], tmp_path: Path) -> None:
    reader, writer = ends
    os.write(writer, b"tty -s && echo has a $((40 + 2)) terminal\nexit 7\n")
    screen = os.open(tmp_path / "screen", os.O_CREAT | os.O_WRONLY)
    assert converse(reader, screen, tmp_path / "kept", SHELL) == 7
    os.close(screen)
    shown = (tmp_path / "screen").read_text()
    assert "has a 42 terminal" in shown
    assert (tmp_path / "kept").read_text() == shown
    assert "job control" not in shown


def test_the_end_of_the_input_ends_the_shell(ends: tuple[int, int], tmp_path: Path) -> None:
    reader, writer = ends
    os.write(writer, b"cat\nwords\n")  # cat takes the first end for its own
    os.close(writer)
    screen = os.open(os.devnull, os.O_WRONLY)
    assert converse(reader, screen, tmp_path / "kept", SHELL) == 0
    os.close(screen)


def test_a_users_terminal_is_raw_meanwhile_and_as_before_afterwards(tmp_path: Path) -> None:
    mine, users = pty.openpty()
    before = termios.tcgetattr(users)
    ended: list[int] = []
    kept = tmp_path / "kept"
    talk = threading.Thread(target=lambda: ended.append(converse(users, users, kept, SHELL)))
    termios.tcsetwinsize(users, (33, 99))
    talk.start()
    read_until(mine, b"> ")
    # Control-C reaches the program as a signal of its own terminal, not us.
    os.write(mine, b"bash -c 'echo begun; exec sleep 50'\n")
    read_until(mine, b"\rbegun\r\n")
    os.write(mine, b"\x03")
    read_until(mine, b"> ")
    os.write(mine, b"stty size; exit\n")
    read_until(mine, b"33 99")
    talk.join(30)
    assert ended == [0]
    assert termios.tcgetattr(users) == before
    for fd in (mine, users):
        os.close(fd)


def read_until(fd: int, wanted: bytes) -> None:
    seen = b""
    while wanted not in seen:
        assert select.select([fd], [], [], 30)[0], seen
        seen += os.read(fd, 4096)
