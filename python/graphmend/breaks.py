"""Counts graph breaks of torch.compile while a block of code runs in this process.

    with Recorder() as recorder:
        torch.compile(model)(x)
    recorder.count          # places that break
    recorder.breaks         # each with its file, line, kind

Only Dynamo's log of graph breaks sees every break. `torch._dynamo.explain` and `counters` miss the breaks at which
Dynamo gives up a whole function, and an abandoned function has no graph at all. So the recorder reads the log, and the
warnings about functions that Dynamo no longer compiles. The recorder also counts graphs, because zero breaks may mean
that nothing was compiled. Entering the block imports torch and resets Dynamo: code compiled before is compiled again,
and shows its breaks.
"""

from __future__ import annotations

import dataclasses
import logging
import re
from typing import Any, Optional

BREAK_LOGGERS = ".__graph_breaks"  # the end of the names of Dynamo's loggers for breaks
WARNING_LOGGER = "torch._dynamo.convert_frame"  # reports functions that Dynamo no longer compiles
MANY = 1 << 20

_PLACES = (
    re.compile(r"in user code at (.+):(\d+)$", re.MULTILINE),
    re.compile(r"skip tracing the frame .* \((.+) line (\d+)\)"),
    re.compile(r"function: '.*' \((.+):(\d+)\)"),
    re.compile(r"WON'T CONVERT .* (\S+) line (\d+)"),
)
_KIND = re.compile(r"^(?:Graph Break Reason: )?(.+)\n\s*Explanation:", re.MULTILINE)
_BREAK_ID = re.compile(r"/(gb\d{4})\b")
_GIVEN_UP = ("Skipping the function", "skip tracing the frame", "torch._dynamo hit config.", "WON'T CONVERT")
_STOPPED = re.compile(r"torch\._dynamo hit config\.(\w+)|(WON'T CONVERT)")


class CountError(Exception):
    """The breaks of the block are unknown: the log was switched off during the block."""


@dataclasses.dataclass(frozen=True)
class Break:
    """A place where a graph ends."""

    path: str
    line: int
    reason: str  # the kind of break, in torch's words
    break_id: Optional[str]  # "GB0170", if torch names the kind
    given_up: bool = dataclasses.field(compare=False)  # Python runs the whole function

    def __str__(self) -> str:
        page = f", see `graphmend rule {self.break_id}`" if self.break_id else ""
        return f"{self.path}:{self.line}: {self.reason}{page}"


def read_break(message: str) -> Break:
    """The break in a log record."""
    place = next((found for found in (pattern.search(message) for pattern in _PLACES) if found), None)
    kind, page, stopped = _KIND.search(message), _BREAK_ID.search(message), _STOPPED.search(message)
    if stopped:
        reason = f"{stopped.group(1)} is reached" if stopped.group(1) else "torch.compile fails"
    else:
        reason = kind.group(1) if kind else message.strip().partition("\n")[0]
    return Break(
        path=place.group(1) if place else "<unknown>",
        line=int(place.group(2)) if place else 0,
        reason=reason.strip(),
        break_id=page.group(1).upper() if page else None,
        given_up=any(words in message for words in _GIVEN_UP),
    )


class _Collector(logging.Handler):
    """Keeps the log messages of all threads."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


class _Tap:
    """Sends all records of a level to one collector; further handlers get the same records as before."""

    def __init__(self, logger: logging.Logger, collector: _Collector, level: int) -> None:
        self.logger, self.collector, self.level = logger, collector, level
        self.before = (logger.level, logger.propagate, list(logger.handlers))
        if not logger.isEnabledFor(level):
            logger.handlers, logger.propagate = [], False
            logger.setLevel(level)
        logger.addHandler(collector)

    def is_open(self) -> bool:
        return self.logger.isEnabledFor(self.level) and self.collector in self.logger.handlers

    def close(self) -> None:
        level, propagate, handlers = self.before
        self.logger.setLevel(level)
        self.logger.propagate, self.logger.handlers = propagate, handlers


class Recorder:
    """Counts breaks, graphs and recompiles between enter and exit; the figures are also available in between."""

    def __init__(self) -> None:
        self._collector = _Collector()
        self._taps: list[_Tap] = []
        self._lost = False
        self._limit: Optional[int] = None
        self._passed = 0
        self._kept: Optional[list[Any]] = None

    def __enter__(self) -> Recorder:
        from graphmend.runtime.base import torch_names

        torch_names.dynamo.reset()
        utils = torch_names.dynamo_utils
        self._limit = utils._compilation_metrics.maxlen
        utils.set_compilation_metrics_limit(MANY)
        self._passed = len(utils.get_compilation_metrics())
        names = sorted(name for name in logging.root.manager.loggerDict if name.endswith(BREAK_LOGGERS))
        self._taps = [_Tap(logging.getLogger(name), self._collector, logging.DEBUG) for name in names]
        self._taps.append(_Tap(logging.getLogger(WARNING_LOGGER), self._collector, logging.WARNING))
        return self

    def __exit__(self, *error: object) -> None:
        from graphmend.runtime.base.torch_names import dynamo_utils as utils

        self._lost = self._is_lost()
        self._kept = self._compilations()
        for tap in reversed(self._taps):
            tap.close()
        self._taps = []
        utils.set_compilation_metrics_limit(self._limit)

    def _is_lost(self) -> bool:
        return self._lost or not all(tap.is_open() for tap in self._taps)

    def _compilations(self) -> list[Any]:
        """Dynamo's own records of the frames that it compiled, forward graphs only."""
        if self._kept is not None:
            return self._kept
        from graphmend.runtime.base.torch_names import dynamo_utils as utils

        found = utils.get_compilation_metrics()
        fresh = found[self._passed :] if len(found) >= self._passed else found
        return [one for one in fresh if getattr(one, "is_forward", True) is not False]

    @property
    def breaks(self) -> list[Break]:
        """The places that break, in the order of the first break.

        A place is a line and a kind of break. A place counts once, however often Dynamo traces the line: in code that
        is inlined twice, in a function that is given up after a break, after a recompile.
        """
        if self._is_lost():
            raise CountError("the log of graph breaks was switched off while they were counted")
        found: dict[Break, Break] = {}
        for one in map(read_break, filter(self._is_break, list(self._collector.messages))):
            found[one] = dataclasses.replace(one, given_up=one.given_up or (one in found and found[one].given_up))
        return list(found.values())

    @staticmethod
    def _is_break(message: str) -> bool:
        return "raph break" in message or _STOPPED.search(message) is not None

    @property
    def count(self) -> int:
        """How many places break."""
        return len(self.breaks)

    @property
    def graphs(self) -> int:
        """Graphs with at least one operation."""
        return sum(1 for one in self._compilations() if one.graph_op_count)

    @property
    def operations(self) -> int:
        """Operations in all graphs."""
        return sum(one.graph_op_count or 0 for one in self._compilations())

    @property
    def recompiles(self) -> int:
        """Graphs that were made anew because a guard failed."""
        return sum(1 for one in self._compilations() if one.recompile_reason and not one.fail_type)
