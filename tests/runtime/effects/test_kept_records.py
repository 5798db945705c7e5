"""Log records that a receiver keeps: their arguments are the program's objects, not copies made for later."""

from __future__ import annotations

import logging
import logging.handlers
import sys
from typing import Any

import pytest
import torch
from _pytest.logging import LogCaptureHandler
from harness import CountingBackend, load, start

from graphmend.runtime.analysis.record_keepers import keeps_records

HEAD = """
    import logging, logging.handlers
    import torch

    class Keep(logging.Handler):
        def __init__(self):
            super().__init__()
            self.records = []
        def emit(self, record):
            self.records.append(record)

    log = logging.getLogger(__name__)
    log.propagate = False
    log.setLevel(logging.INFO)
    keeper = Keep()
    log.addHandler(keeper)
    adapter = logging.LoggerAdapter(log, {})

    def shown():
        parts = [(*(record.args or ()), getattr(record, "x", None)) for record in keeper.records]
        shown = zip(keeper.records, parts)
        return [(record.getMessage(), [value is given for value in part]) for record, part in shown]

    def f(x):
        global given
        LINE
        x.add_(1)
        return x * 2
"""
KEPT = {
    "a tensor": 'log.info("x %s", x)',
    "a list": 'log.info("x %s", [x, 1])',
    "a tuple": 'pair = (x, 1); log.info("x %s", pair)',
    "by an adapter": 'adapter.info("x %s", x)',
    "by a logger that is looked up": 'logging.getLogger(__name__).info("x %(x)s", {"x": x})',
    "items of a list": 'pair = [x, x]; log.info("x %s", [value for value in pair])',
    "items of a list, and their parts": 'pair = [x]; log.info("x %s", [(value.shape, value) for value in pair])',
    "what a comprehension uses": 'log.info("x %s", [x for _ in range(2)])',
    "a part of the record": 'log.info("x", extra={"x": x})',
}
FORMATTED = {
    "a number": 'log.info("sum %s", x.sum().item())',
    "a list of numbers": 'log.info("all %s", x.tolist())',
    "numbers of items": 'pair = [x, x + 1]; log.info("sums %s", [round(value.sum().item(), 2) for value in pair])',
    "numbers of rows": 'log.info("rows %s", [row.item() for row in x])',
    "a text": 'log.info(f"x {x}")',
}


class First(logging.Handler):
    def emit(self, record: Any) -> None:
        self.first = record


class Later(logging.Handler):
    def emit(self, record: Any) -> None:
        self.note(record)

    def note(self, found: Any) -> None:
        self.later = lambda: found.getMessage()


class Message(logging.Handler):
    def emit(self, record: Any) -> None:
        try:
            self.message = self.format(record)
        except ValueError:
            self.handleError(record)


class Count(logging.Filter):
    def filter(self, record: Any) -> bool:
        self.count = getattr(self, "count", 0) + 1
        record.count = self.count
        return record.levelno > logging.INFO


class Brackets(logging.Formatter):
    def format(self, record: Any) -> str:
        return f"<{record.levelname}> {super().format(record)}"


def run(make: Any, backend: Any) -> tuple[list, list, int]:
    program, function = start(make, backend)
    module = sys.modules[program.__module__]
    found = []
    for number in range(3):
        module.given = torch.arange(3.0) + number
        found.append(function(module.given).tolist())
    return found, module.shown(), len(getattr(backend, "graphs", ()))


@pytest.mark.parametrize("name", KEPT)
def test_arguments_are_those_of_the_program(tmp_path, name):
    make = load(tmp_path, HEAD.replace("LINE", KEPT[name]))
    assert run(make, CountingBackend())[:2] == run(make, None)[:2]


@pytest.mark.parametrize("name", FORMATTED)
def test_texts_are_kept(tmp_path, name):
    make = load(tmp_path, HEAD.replace("LINE", FORMATTED[name]))
    found, shown, graphs = run(make, CountingBackend())
    assert (found, shown) == run(make, None)[:2]
    assert graphs == 1


def test_who_keeps_records(tmp_path):
    path = str(tmp_path / "log")
    keep = [
        *[logging.handlers.MemoryHandler(3), LogCaptureHandler(), First(), Later()],
        lambda record: [].append(record),
    ]
    show = [
        *[logging.StreamHandler(), logging.NullHandler(), logging.FileHandler(path), logging.lastResort, Message()],
        *[logging.handlers.RotatingFileHandler(path), logging.handlers.QueueHandler(None), logging.Formatter()],
        *[Count(), Brackets(), lambda record: record.levelno > 10, logging.LogRecord, logging.getLogger(), None],
    ]
    assert [keeps_records(item) for item in keep] == [True] * len(keep)
    assert [keeps_records(item) for item in show] == [False] * len(show)
