"""Copies of this process that make a call, and the output to the standard streams meanwhile."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
import tempfile
import threading
import warnings
from typing import Any, BinaryIO, Callable

import torch

PATIENCE = 600  # seconds for a call in a copy


class Copy:
    """A copy of this process that runs some work and reports the outcome; with `waits` not before the parent asks."""

    def __init__(self, work: Callable[[], tuple[Any, ...]], waits: bool = False) -> None:
        self.file: BinaryIO = tempfile.TemporaryFile()
        self.ask, self.told = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python says that a process with threads should not
            self.process = os.fork()
        if self.process == 0:
            self.live(work, waits)
        self.over = False

    def live(self, work: Callable[[], tuple[Any, ...]], waits: bool) -> None:
        """The life of the copy."""
        status = 1
        try:
            os.close(self.told)
            if not waits or os.read(self.ask, 1):
                keep_files()
                found = work()
                torch.save(found, self.file)
                self.file.flush()
                status = 0
        finally:
            os._exit(status)

    def outcome(self) -> Any:
        """The outcome in the copy; None where the copy did not come to an end, or has more than tensors and texts."""
        os.write(self.told, b"g")
        if not self.wait():
            return None
        self.file.seek(0)
        try:
            return torch.load(self.file, weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError):  # an object of a class that is not to be loaded
            return None

    def wait(self) -> bool:
        """Wait for the copy, and tell whether it ended well."""
        timer = threading.Timer(PATIENCE, os.kill, (self.process, signal.SIGKILL))
        timer.daemon = True
        timer.start()
        try:
            _, status = os.waitpid(self.process, 0)
        finally:
            timer.cancel()
        self.over = True
        return status == 0

    def __enter__(self) -> Copy:
        return self

    def __exit__(self, *error: Any) -> None:
        os.close(self.told)
        os.close(self.ask)
        if not self.over:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        self.file.close()


def keep_files() -> None:
    """Keep a copy of the process from writing to the files that the copy shares with its parent."""
    import fcntl
    import stat

    nowhere = os.open(os.devnull, os.O_WRONLY)
    for name in os.listdir("/proc/self/fd") if os.path.isdir("/proc/self/fd") else ():
        with contextlib.suppress(OSError):
            number = int(name)
            mode = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE
            if number > 2 and mode == os.O_WRONLY and stat.S_ISREG(os.fstat(number).st_mode):
                os.dup2(nowhere, number)


class Diverted:
    """A block in which the standard streams go to files; afterwards the streams are put back.

    The collected output is `shown` then.
    """

    def __init__(self, shown: bool) -> None:
        self.shown = shown

    def __enter__(self) -> Diverted:
        self.texts: list[bytes] = []
        flush()
        with contextlib.suppress(OSError):
            self.saved = [os.dup(1), os.dup(2)]
            self.files: list[BinaryIO] = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]
            for number, file in enumerate(self.files, 1):
                os.dup2(file.fileno(), number)
        return self

    def __exit__(self, *error: Any) -> None:
        flush()
        if not hasattr(self, "files"):
            return
        for number, (saved, file) in enumerate(zip(self.saved, self.files), 1):
            os.dup2(saved, number)
            os.close(saved)
            file.seek(0)
            self.texts.append(file.read())
            file.close()
            if self.shown:
                write_all(number, self.texts[-1])

    def read(self) -> list[str]:
        """The output to the streams."""
        return [text.decode(errors="replace") for text in self.texts]


def write_all(number: int, data: bytes) -> None:
    """Write to a descriptor."""
    while data:
        data = data[os.write(number, data) :]


def flush() -> None:
    """Flush the standard streams of Python."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
