"""What a program in the sandbox reads and writes: files, by way of pipes."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path
from typing import IO, Protocol

OUTPUT_BYTES = 32 * 2**20
"""What is kept of each output of a program."""
NOTE = b"\n[what came after this was not kept]\n"

Descriptors = tuple[int, int, int]


class Streams(Protocol):
    """A program's standard input, output and error."""

    def open(self) -> Descriptors:
        """What the program gets as its three; they are closed here when it has them."""
        ...

    def begin(self, process: subprocess.Popen[bytes]) -> None:
        """It has started."""
        ...

    def finish(self) -> None:
        """It has ended, and all that it started."""
        ...

    def last_words(self) -> str:
        """The end of what it said of errors."""
        ...


class Kept:
    """A file that keeps of an output what fits, and notes that there was more.

    Args:
        path: is made anew.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._left = OUTPUT_BYTES

    def write(self, block: bytes) -> None:
        """Keep a block as far as it fits."""
        if self._left <= 0:
            return
        self._file.write(block[: self._left])
        self._left -= len(block)
        if self._left <= 0:
            self._file.write(NOTE)
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Pipes:
    """Input from memory, output to two files.

    The program gets pipes: a file's path could be read from /proc/self/fd, and a record's path
    names the problem.

    Args:
        stdin: what it reads.
        stdout: file for its standard output.
        stderr: file for its standard error.
    """

    def __init__(self, stdin: bytes, stdout: Path, stderr: Path) -> None:
        self._stdin = stdin
        self._outputs = (stdout, stderr)
        self._pumps: list[threading.Thread] = []
        self._readers: list[int] = []

    def open(self) -> Descriptors:
        """A memory file and two pipes."""
        ends = [os.pipe(), os.pipe()]
        self._readers = [reader for reader, _ in ends]
        return memory_file("input", self._stdin), ends[0][1], ends[1][1]

    def begin(self, _process: subprocess.Popen[bytes]) -> None:
        """Copy what comes."""
        for fd, path in zip(self._readers, self._outputs, strict=True):
            pump = threading.Thread(target=_pump, args=(os.fdopen(fd, "rb"), path))
            pump.start()
            self._pumps.append(pump)

    def finish(self) -> None:
        """Wait for the last of it."""
        for pump in self._pumps:
            pump.join()

    def last_words(self) -> str:
        """The end of its standard error."""
        return self._outputs[1].read_text(errors="replace")[-500:].strip()


def memory_file(name: str, content: bytes) -> int:
    """A descriptor of a file in memory, at its beginning."""
    fd = os.memfd_create(name)
    os.truncate(fd, len(content))
    os.pwrite(fd, content, 0)
    return fd


def _pump(stream: IO[bytes], path: Path) -> None:
    """Copy to the file what fits, and read on: a full pipe would stop the program."""
    kept = Kept(path)
    with stream:
        while block := stream.read1(65536):  # type: ignore[attr-defined]
            kept.write(block)
    kept.close()
