"""Which receivers of log records may keep a record after the call: small ones, each for one way to keep."""

from __future__ import annotations

import logging
import logging.handlers
import queue
from typing import Any, Callable

import pytest

from graphmend.runtime.analysis.record_keepers import keeps_records, known_methods

KEPT: list[Any] = []


def made(base: str, body: str) -> Any:
    """A receiver with the methods of a class body."""
    space: dict[str, Any] = {"logging": logging, "KEPT": KEPT}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    exec(f"class Own({base}):\n{lines}", space)
    return space["Own"]() if base != "logging.LoggerAdapter" else space["Own"](logging.Logger("a"), {})


HANDLERS: dict[str, tuple[str, str, bool]] = {
    "nothing": ("logging.Handler", "def emit(self, record): pass", False),
    "reads": ("logging.Handler", "def emit(self, record): print(record.msg, record.levelno)", False),
    "formats": ("logging.Handler", "def emit(self, record): text = self.format(record)", False),
    "sets an attribute": ("logging.Filter", "def filter(self, record): record.seen = 1; return True", False),
    "gives it back": ("logging.Filter", "def filter(self, record): return record", False),
    "gives a pair": ("logging.Filter", "def filter(self, record): return 1, record", False),
    "gives a pair, with it in front": ("logging.Filter", "def filter(self, record): return record, 1", True),
    "a text": ("logging.Filter", "def filter(self, record): return f'{record}'", False),
    "appends": ("logging.Handler", "def emit(self, record): KEPT.append(record)", True),
    "an attribute": ("logging.Handler", "def emit(self, record): self.last = record", True),
    "another name": ("logging.Handler", "def emit(self, record):\n    one = record\n    self.last = one", True),
    "a closure": ("logging.Handler", "def emit(self, record): self.last = lambda: record", True),
    "a global function": ("logging.Handler", "def emit(self, record): keep(record)", True),
    "its own method": (
        "logging.Handler",
        "def emit(self, record): self.own(record)\ndef own(self, record): return record.msg",
        False,
    ),
    "its own method, which keeps": (
        "logging.Handler",
        "def emit(self, record): self.own(record)\ndef own(self, record): self.last = record",
        True,
    ),
    "a method of it that nobody calls": (
        "logging.Handler",
        "def emit(self, record): pass\ndef own(self, record): self.last = record",
        False,
    ),
    "methods that call each other": (
        "logging.Handler",
        "def emit(self, record): self.own(record)\ndef own(self, record): self.emit(record)",
        False,
    ),
    "compares": ("logging.Filter", "def filter(self, record): return record == 1", True),
    "the base": ("logging.Handler", "def emit(self, record): super().emit(record)", False),
    "a static method": ("logging.Handler", "@staticmethod\ndef emit(record): KEPT.append(record)", True),
    "a static method that reads": ("logging.Handler", "@staticmethod\ndef emit(record): print(record.msg)", False),
    "a static method behind another": (
        "logging.Handler",
        "def emit(self, record): self.own(record)\n@staticmethod\ndef own(record): KEPT.append(record)",
        True,
    ),
    "a class method": ("logging.Handler", "@classmethod\ndef emit(cls, record): KEPT.append(record)", True),
    "a class method that reads": ("logging.Handler", "@classmethod\ndef emit(cls, record): print(record.msg)", False),
    "a filter without a base that reads": ("object", "def filter(self, record): return record.levelno > 20", False),
    "a filter without a base": ("object", "def filter(self, record): KEPT.append(record)", True),
    "a factory without a base": ("object", "def __call__(self, *args): KEPT.append(args)", True),
    "further arguments": ("logging.Handler", "def emit(self, *records): KEPT.append(records)", True),
    "further arguments without a receiver": ("logging.Handler", "def emit(*records): KEPT.append(records)", True),
    "one of further arguments": ("logging.Handler", "def emit(self, *records): KEPT.append(records[0])", True),
    "a list of further arguments": ("logging.Handler", "def emit(self, *records): KEPT.append([*records])", True),
    "a pair with further arguments": ("logging.Handler", "def emit(self, *records): KEPT.append((records, {}))", True),
    "an argument with a name": ("logging.Handler", "def emit(self, *, record): KEPT.append(record)", True),
    "further arguments with names": ("logging.Handler", "def emit(self, **records): KEPT.append(records)", True),
    "further arguments for the base": ("logging.Handler", "def emit(self, *records): super().emit(*records)", False),
    "a factory that calls another": (
        "object",
        "def __call__(self, *args, **options):\n    made = LogRecord(*args, **options)\n    return made",
        False,
    ),
    "itself": ("logging.Handler", "def emit(self, record): KEPT.append(self)", False),
    "a handler in it": ("logging.Handler", "def emit(self, record): self.other.handle(record)", False),
    "an adapter": ("logging.LoggerAdapter", "def process(self, msg, kwargs): return f'[a] {msg}', kwargs", False),
    "an adapter that keeps": ("logging.LoggerAdapter", "def process(self, msg, kwargs): KEPT.append(msg)", True),
    "an adapter with its own beginning": (
        "logging.LoggerAdapter",
        "def __init__(self, *args): super().__init__(*args)\ndef process(self, msg, kwargs): return f'{msg}', kwargs",
        False,
    ),
    "an adapter with nothing but its own beginning": (
        "logging.LoggerAdapter",
        "def __init__(self, *args): super().__init__(*args)",
        False,
    ),
    "an adapter with its own beginning and a method": (
        "logging.LoggerAdapter",
        "def __init__(self, *args): super().__init__(*args)\ndef debug(self, msg): pass",
        True,
    ),
    "an adapter with a method": ("logging.LoggerAdapter", "def info(self, msg): pass", True),
}


@pytest.mark.parametrize("name", HANDLERS)
def test_receivers(name: str) -> None:
    base, body, expected = HANDLERS[name]
    assert keeps_records(made(base, body)) is expected


def reading(record: Any) -> Any:
    return record.msg


def keeping(record: Any) -> None:
    KEPT.append(record)


def handing(record: Any) -> None:
    logging.getLogger().handle(record)


PYTHONS: dict[str, tuple[Callable[[], Any], bool]] = {
    "nothing": (lambda: None, False),
    "a logger": (lambda: logging.Logger("a"), False),
    "the class of records": (lambda: logging.LogRecord, False),
    "a stream": (lambda: logging.StreamHandler(), False),
    "a formatter": (lambda: logging.Formatter("%(message)s"), False),
    "a filter": (lambda: logging.Filter("a"), False),
    "a queue": (lambda: logging.handlers.QueueHandler(queue.Queue()), False),
    "a buffer": (lambda: logging.handlers.MemoryHandler(3), True),
    "a function that reads": (lambda: reading, False),
    "a function that keeps": (lambda: keeping, True),
    "a function that hands it on": (lambda: handing, False),
}


@pytest.mark.parametrize("name", PYTHONS)
def test_receivers_of_python(name: str) -> None:
    make, expected = PYTHONS[name]
    assert keeps_records(make()) is expected


def passing(names: list[str]) -> tuple[Any, Any]:
    """A function and a handler that pass records on by these methods."""
    body = "; ".join(f"KEPT.{name}(record)" for name in names)
    space: dict[str, Any] = {"KEPT": KEPT}
    exec(f"def passes(record): {body}", space)
    return space["passes"], made("logging.Handler", f"def emit(self, record): {body}")


def test_methods_that_pass_a_record_on() -> None:
    """Each of them, all of them, and all of them with another one."""
    names = sorted(known_methods())
    for some in ([names[0]], [names[-1]], names):
        assert [keeps_records(one) for one in passing(some)] == [False, False]
        assert [keeps_records(one) for one in passing([*some, "append"])] == [True, True]
