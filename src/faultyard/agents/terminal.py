"""A user's terminal, or a pipe in its place, on a program in the sandbox.

The program gets a pseudo-terminal of its own: nothing of it can reach the user's, and shells,
editors and ssh in it work as everywhere.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import struct
import subprocess
import termios
import threading
import time
import tty
from collections.abc import Iterator
from pathlib import Path

from faultyard.agents.streams import Descriptors, Kept

LOOK_S = 0.5
BLOCK = 65536
END_OF_INPUT = b"\x04"
USUAL_SIZE = (24, 80)
SIZE = "HHHH"


class Terminal:
    """See `faultyard.agents.streams.Streams`.

    Args:
        keys: descriptor of what the user types; a terminal or not.
        screen: descriptor of what the user sees; a terminal or not.
        kept: file for all that was shown.
    """

    def __init__(self, keys: int, screen: int, kept: Path) -> None:
        self._keys = keys
        self._screen = screen
        self._kept_path = kept
        self._master = -1
        self._over = threading.Event()
        self._pump = threading.Thread(target=self._run, name="terminal", daemon=True)
        self._last = b""

    def open(self) -> Descriptors:
        """The program's end, three times."""
        self._master, program = os.openpty()
        self._fit()
        return program, os.dup(program), os.dup(program)

    def begin(self, _process: subprocess.Popen[bytes]) -> None:
        """Let keys and screen through."""
        self._pump.start()

    def finish(self) -> None:
        """Show the last of it, and leave the user's terminal as it was."""
        self._over.set()
        self._pump.join()
        os.close(self._master)

    def last_words(self) -> str:
        """The end of what was shown."""
        return self._last.decode(errors="replace").strip()

    def _run(self) -> None:
        kept = Kept(self._kept_path)
        with _raw(self._keys):
            typing, asked = True, 0.0
            while True:
                sources = [self._master, self._keys] if typing else [self._master]
                ready = select.select(sources, [], [], LOOK_S)[0]
                if self._keys in ready:
                    typing = self._type()
                if not typing and time.monotonic() > asked + LOOK_S:
                    # Again and again: what reads in between takes it for its own.
                    asked = time.monotonic()
                    self._send(END_OF_INPUT)
                if self._master in ready and not self._show(kept):
                    break
                if not ready and self._over.is_set():
                    break
                self._fit()
        kept.close()

    def _type(self) -> bool:
        """Pass on what was typed; False at the end of it."""
        try:
            typed = os.read(self._keys, BLOCK)
        except OSError:  # the terminal is gone
            return False
        self._send(typed)
        return bool(typed)

    def _send(self, typed: bytes) -> None:
        with contextlib.suppress(OSError):  # nobody is there any more
            while typed:
                typed = typed[os.write(self._master, typed) :]

    def _show(self, kept: Kept) -> bool:
        """Pass on what the program shows; False when there is nobody who could show anything."""
        try:
            shown = os.read(self._master, BLOCK)
        except OSError as error:
            if error.errno != errno.EIO:  # so Linux tells that the last program closed it
                raise
            return False
        kept.write(shown)
        self._last = (self._last + shown)[-500:]
        with contextlib.suppress(OSError):  # a screen that is gone does not end the turn
            while shown:
                shown = shown[os.write(self._screen, shown) :]
        return True

    def _fit(self) -> None:
        """Give the program's terminal the size of the user's; the kernel tells the program."""
        size = size_of(self._screen) if os.isatty(self._screen) else USUAL_SIZE
        if not all(size):  # one that nobody told its size
            size = USUAL_SIZE
        if size != size_of(self._master):
            fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack(SIZE, *size, 0, 0))


def size_of(terminal: int) -> tuple[int, int]:
    """Lines and columns of a terminal."""
    packed = fcntl.ioctl(terminal, termios.TIOCGWINSZ, bytes(struct.calcsize(SIZE)))
    lines, columns, *_ = struct.unpack(SIZE, packed)
    return lines, columns


@contextlib.contextmanager
def _raw(keys: int) -> Iterator[None]:
    """Have every key passed on as it is; the program's own terminal makes signals of some."""
    if not os.isatty(keys):
        yield
        return
    before = termios.tcgetattr(keys)
    tty.setraw(keys, termios.TCSADRAIN)  # what was typed before is kept
    try:
        yield
    finally:
        termios.tcsetattr(keys, termios.TCSADRAIN, before)
