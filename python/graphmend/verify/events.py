"""Log records and warnings, and how far the output had come when they were made."""

from __future__ import annotations

import logging
import os
import sys
import warnings
from typing import Any, Callable, Optional

from .values import TORCH_FOLDER, without_addresses


def printed() -> Optional[int]:
    """How many bytes the process has printed; its standard output is a file."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        return os.fstat(1).st_size
    except (OSError, ValueError, AttributeError):
        return None


def is_foreign(name: str) -> bool:
    """Whether a logger belongs to torch, whose records depend on the graphs."""
    return name.partition(".")[0] in ("torch", "graphmend")


def record_logs(write: Callable[..., None], quietly: Callable[..., Any]) -> None:
    """Record all log records except records of torch."""
    make = logging.getLogRecordFactory()

    def noted(record: logging.LogRecord) -> None:
        try:
            text = without_addresses(record.getMessage())
        except Exception as error:
            text = f"{record.msg} ({error})"
        write("log", text=f"{record.levelname}:{record.name}:{text}", printed=printed())

    def make_noted(*args: Any, **kwargs: Any) -> logging.LogRecord:
        record = make(*args, **kwargs)
        if not is_foreign(record.name):
            quietly(noted, record)
        return record

    logging.setLogRecordFactory(make_noted)


def record_warnings(write: Callable[..., None], quietly: Callable[..., Any]) -> None:
    """Record all shown warnings except warnings of torch."""
    show = warnings.showwarning

    def showwarning(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        if not is_of_torch(sys._getframe(1)) and "Triggered internally" not in str(message):
            text = without_addresses(f"{category.__name__}: {message}")
            quietly(write, "warning", text=text, printed=printed())
        show(message, category, filename, lineno, file, line)

    warnings.showwarning = showwarning


def is_of_torch(frame: Any) -> bool:
    """Whether torch itself warns; the place in a warning is the choice of the caller and proves no origin."""
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(TORCH_FOLDER)
