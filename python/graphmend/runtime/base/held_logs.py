"""Attempts to trace leave no trace of their own: log records are kept back until it is known which attempt counts."""

from __future__ import annotations

import contextlib
import logging
import threading
from typing import Any, Iterator, Optional

from . import torch_names


class Holder(threading.local):
    """Records kept back in this thread; None when nothing is being held."""

    def __init__(self) -> None:
        self.records: Optional[list[tuple[logging.Logger, logging.LogRecord]]] = None


holder = Holder()


class KeepBack(logging.Filter):
    """Keeps the records of one logger back while an attempt runs in this thread."""

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__()
        self.logger = logger

    def filter(self, record: logging.LogRecord) -> bool:
        """Drop the record for now and remember it."""
        if holder.records is None:
            return True
        holder.records.append((self.logger, record))
        return False


def dynamo_loggers() -> list[logging.Logger]:
    """All loggers of Dynamo and of the symbolic shapes it uses, with their artifact loggers."""
    found = []
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if isinstance(logger, logging.Logger) and name.startswith(("torch._dynamo", "torch.fx.experimental")):
            found.append(logger)
    return found


@contextlib.contextmanager
def held() -> Iterator[list[Any]]:
    """Keep all records of this thread back; what is left in the list at the end is lost unless released."""
    filters = [(logger, KeepBack(logger)) for logger in dynamo_loggers()]
    before, holder.records = holder.records, []
    for logger, keep in filters:
        logger.addFilter(keep)
    try:
        yield holder.records
    finally:
        holder.records = before
        for logger, keep in filters:
            logger.removeFilter(keep)


def release(records: list[tuple[logging.Logger, logging.LogRecord]]) -> None:
    """Log the records of an attempt that counts."""
    for logger, record in records:
        logger.handle(record)


@contextlib.contextmanager
def forgotten_breaks() -> Iterator[Any]:
    """Yields a function that makes Dynamo forget the break locations that it has logged inside the block."""
    checker = getattr(torch_names.dynamo_utils, "graph_break_dup_warning_checker", None)
    seen = checker.set.copy() if checker is not None and hasattr(checker, "set") else None

    def forget() -> None:
        if seen is not None:
            checker.set = seen.copy()

    yield forget
