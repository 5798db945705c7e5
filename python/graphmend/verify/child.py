"""One run: the program in this process, recorded. `processes` starts the process."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import os
import random
import resource
import signal
import sys
from typing import Any, Optional

from graphmend import hook, launch, torch_watch

from .settings import MENDED, Settings
from .store import Writer

STACKS = "stacks.txt"


def seed(number: int) -> None:
    """Seed the generators that are there before torch is."""
    random.seed(number)
    try:
        import numpy
    except ImportError:
        return
    numpy.random.seed(number % (1 << 32))


def peak_memory() -> dict[str, Optional[int]]:
    """The peak memory of this process, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    torch = sys.modules.get("torch")
    on_device = None
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        on_device = torch.cuda.max_memory_allocated()
    return {"host": peak if sys.platform == "darwin" else peak * 1024, "device": on_device}


class Run:
    """The run in this process."""

    def __init__(self, folder: str) -> None:
        self.settings = Settings.load(folder)
        self.writer = Writer(folder)
        self.recorder: Any = None
        self.error: Optional[BaseException] = None
        # A stack for the parent: on a fatal signal, and when it asks because the program hangs.
        # A bare descriptor: a file object would be complained about where the program turns warnings on.
        stacks = os.open(os.path.join(folder, STACKS), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        faulthandler.enable(stacks)
        faulthandler.register(signal.SIGUSR2, stacks)

    def prepare(self) -> None:
        """Put everything in place."""
        seed(self.settings.seed)
        if self.settings.role == MENDED:
            hook.install()
            if not hook.state.active:
                raise SystemExit("graphmend: the hook is not in place")
        torch_watch.after_import(self.record)
        atexit.register(self.end)

    def record(self) -> None:
        from .install import install

        self.recorder = install(self.writer, self.settings)

    def execute(self, arguments: list[str]) -> None:
        """Run the program; exceptions of the program pass through."""
        try:
            if self.settings.kind == "callable":
                from .subject import SubjectError, call_subject

                try:
                    call_subject(self.settings)
                except SubjectError as error:
                    sys.exit(f"graphmend: {error}")
            else:
                launch.start([*(["-m"] if self.settings.kind == "module" else []), *arguments])
        except BaseException as error:
            self.error = error
            raise

    def end(self) -> None:
        """Note the end, after everything that the program does then."""
        if os.getpid() != self.writer.process:
            return
        found: dict[str, Any] = {"error": None, "report": None}
        if self.recorder is not None:
            from .calls import quietly
            from .install import report
            from .values import error_of

            if not self.settings.fullgraph:
                with contextlib.suppress(Exception):  # what cannot be looked at is not compared
                    quietly(self.recorder.finish)
            if not isinstance(self.error, SystemExit):
                found["error"] = error_of(self.error)
            found["report"] = report() if self.settings.role == MENDED else None
        elif self.error is not None and not isinstance(self.error, SystemExit):
            kind = type(self.error)
            found["error"] = {"type": f"{kind.__module__}.{kind.__qualname__}", "text": str(self.error), "cause": None}
        self.writer.write("end", memory=peak_memory(), **found)
        self.writer.close()


def main(folder: str, arguments: list[str]) -> None:
    """Run the program as the settings in a folder say."""
    run = Run(folder)
    run.prepare()
    run.execute(arguments)
