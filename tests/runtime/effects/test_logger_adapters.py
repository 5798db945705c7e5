"""Records by adapters of loggers, of Python's class and of classes of the program."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, -1)]

PROGRAM = """
    import logging

    kept = []

    class List(logging.Handler):
        def emit(self, record):
            kept.append((record.levelname, record.getMessage()))

    logger = logging.getLogger("adapted")
    logger.propagate, logger.handlers = False, [List()]
    CLASS
    log = Own(logger, {"run": "seven", "count": 0})

    def f(x):
        if x.sum() > 0:
            x = x + 1
        log.warning("mean %.2f of %s", x.mean(), len(x))
        return x * 2, BEHIND
    """
PLAIN = "Own = logging.LoggerAdapter"
PREFIX = """
    class Own(logging.LoggerAdapter):
        def process(self, msg, kwargs):
            return f"[{self.extra['run']}] {msg}", kwargs
"""
DEEPER = PREFIX.replace("Own", "Base") + "    class Own(Base):\n        pass\n"
NESTED = PREFIX + "    logger = logging.LoggerAdapter(logger, {})\n"
COUNTING = """
    class Own(logging.LoggerAdapter):
        def process(self, msg, kwargs):
            self.extra["count"] += 1
            return f"{self.extra['count']} {msg}", kwargs
"""
KEEPING = """
    class Own(logging.LoggerAdapter):
        def log(self, level, msg, *args, **kwargs):
            kept.append(args)
            super().log(level, msg, *args, **kwargs)
"""


@pytest.fixture(autouse=True)
def no_handlers_stay() -> Iterator[None]:
    yield
    logging.getLogger("adapted").handlers.clear()


def program(kind: str, behind: str = "0") -> str:
    return PROGRAM.replace("    CLASS\n", kind if kind[0] == "\n" else f"    {kind}\n").replace("BEHIND", behind)


@pytest.mark.parametrize("kind", [PLAIN, PREFIX, DEEPER, NESTED], ids=["plain", "prefix", "deeper", "nested"])
def test_records_by_adapters_are_deferred(tmp_path: Any, kind: str) -> None:
    outcome = compare(load(tmp_path, program(kind)), CALLS, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole" and outcome.mended("GM302")


@pytest.mark.parametrize("kind", [PREFIX, COUNTING, KEEPING], ids=["prefix", "counting", "keeping"])
@pytest.mark.parametrize("behind", ["log.extra['count']", "list(kept)", "kept[-1][-1] is x"])
def test_what_the_call_can_notice_is_as_in_python(tmp_path: Any, kind: str, behind: str) -> None:
    compare(load(tmp_path, program(kind, behind)), CALLS, grad=False)
