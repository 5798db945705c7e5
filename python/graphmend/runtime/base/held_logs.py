"""Log records and warnings of attempts, kept back until an attempt counts.

    attempt 1: "Graph break: ..."     # the next attempt succeeds: the record is dropped
    attempt 2: "Recompiling ..."      # the attempt counts: the record is shown

A filter on Dynamo's loggers keeps the records of the thread in a list. Dynamo also keeps sets of warnings and graph
breaks already shown in the process; entries of a dropped attempt are taken out.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
import threading
import warnings
from typing import Any, Callable, Iterator, Optional

from . import torch_names


class Holder(threading.local):
    """The records kept back in this thread; None where records pass."""

    def __init__(self) -> None:
        self.records: Optional[list[Callable[[], Any]]] = None  # a function for each record, which shows the record


holder = Holder()


class KeepBack(logging.Filter):
    """A filter that keeps the records of a logger back while an attempt runs in the present thread."""

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__()
        self.logger = logger

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop the record for now, and keep a function that handles the record later."""
        if holder.records is None:
            return True
        holder.records.append(functools.partial(self.logger.handle, record))
        return False


def dynamo_loggers() -> list[logging.Logger]:
    """All loggers of Dynamo, of symbolic shapes and of fake tensors, with the loggers of artifacts."""
    loggers = []
    names = ("torch._dynamo", "torch.fx.experimental", "torch._subclasses")
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.startswith(names):
            loggers.append(logger)
    return loggers


@contextlib.contextmanager
def records_held() -> Iterator[list[Any]]:
    """Keep all records of this thread back; records are lost unless the caller releases the list."""
    filters = [(logger, KeepBack(logger)) for logger in dynamo_loggers()]
    before, holder.records = holder.records, []
    for logger, keep in filters:
        logger.addFilter(keep)
    try:
        with warnings_held():
            yield holder.records
    finally:
        holder.records = before
        for logger, keep in filters:
            logger.removeFilter(keep)


@contextlib.contextmanager
def warnings_held() -> Iterator[None]:
    """Keep back the warnings that Dynamo shows once in a process, before Dynamo counts a warning as shown."""
    utils = torch_names.dynamo_utils
    original = getattr(utils, "warn_once", None)
    if original is None:
        yield
        return

    def hold(message: str, stacklevel: int = 1) -> None:
        if holder.records is None:
            original(message, stacklevel + 1)
            return
        frame = sys._getframe(stacklevel)
        place = frame.f_code.co_filename, frame.f_lineno
        holder.records.append(lambda: warn_at(message, *place))

    utils.warn_once = hold
    try:
        yield
    finally:
        utils.warn_once = original


def warn_at(message: str, file: str, line: int) -> None:
    """Show a warning as Dynamo does: once in a process."""
    shown: set[str] = getattr(torch_names.dynamo_utils, "warn_once_cache", set())
    if message not in shown:
        shown.add(message)
        warnings.warn_explicit(message, UserWarning, file, line)


def release(records: list[Callable[[], Any]]) -> None:
    """Show the records and warnings of an attempt that counts."""
    for show in records:
        show()


@contextlib.contextmanager
def forgotten_breaks() -> Iterator[Any]:
    """Yield a function that makes Dynamo forget the graph breaks logged inside the block."""
    checker: Any = getattr(torch_names.dynamo_utils, "graph_break_dup_warning_checker", None)
    seen = checker.set.copy() if checker is not None and hasattr(checker, "set") else None

    def forget() -> None:
        if seen is not None:
            checker.set = seen.copy()

    yield forget
