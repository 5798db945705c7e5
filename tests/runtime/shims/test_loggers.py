"""Loggers that a call looks up, and questions to a logger."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.base import torch_names

PROGRAM = """
    import logging
    log = logging.getLogger("gm.sub")

    class Derived(logging.Logger):
        def isEnabledFor(self, level):
            print("asked")
            return True

    derived = Derived("gm.derived")

    def f(x):
        {body}
    """

# Looked up and asked; whole from torch 2.10 on.
WHOLE = {
    "look_up": "lg = logging.getLogger('gm.sub'); lg.info('sum %.2f', x.sum().item()); lg.warning('w'); return x * 2",
    "enabled": """
        lg = logging.getLogger(__name__)
        if lg.isEnabledFor(logging.WARNING):
            lg.warning("positive %d", int((x > 0).sum()))
        return x * 2""",
    "number": "return x * log.getEffectiveLevel() + logging.getLogger('gm').level, log.isEnabledFor(x.shape[0] * 5)",
    "attributes": "return x + 1, log.name, log.propagate, log.disabled, log.level, log.parent.name, log.parent.level",
    "handlers": "return x + 1, len(log.handlers), bool(log.filters), log.hasHandlers(), len(log.parent.handlers)",
    "identity": """
        child, root = logging.getLogger('gm').getChild('sub'), logging.getLogger()
        same = child is log, logging.getLogger('gm') is log.parent, log != root, root == logging.getLogger('root')
        return x + 1, same, logging.getLogger().getChild('gm') is log.parent""",
    "same_level": """
        lg = logging.getLogger("gm.other")
        lg.setLevel(logging.INFO)
        lg.setLevel("INFO")
        lg.info("sum %.2f", x.sum().item())
        return x * 2""",
    "branch": """
        lg = logging.getLogger("gm.sub")
        if x.sum() > 0:
            lg.info("positive")
        else:
            lg.error("least %.2f", x.min().item())
        return x * 2""",
}

OTHER = {
    "own_class": "return x * (2 if derived.isEnabledFor(10) else 3)",
    "toggled": """
        before = log.level
        log.setLevel(logging.ERROR)
        print(log.isEnabledFor(logging.INFO))
        log.setLevel(before)
        print(log.isEnabledFor(logging.INFO))
        return x * 2""",
    "no_text": """
        try:
            return logging.getLogger(3)
        except TypeError as error:
            return x, str(error)""",
    "no_level": """
        try:
            log.setLevel("LOUD")
        except ValueError as error:
            return x, str(error)""",
    "no_argument": """
        try:
            return log.isEnabledFor()
        except TypeError:
            return x""",
    "by_keyword": "return x, logging.getLogger(name='gm.sub').name, log.isEnabledFor(level=30)",
}


def call(value: float, sub: int = 0, above: int = logging.INFO, off: int = 0) -> Any:
    """A call after the levels of the loggers have been set."""
    handlers = [logging.NullHandler()] if value > 1 else []

    def arguments() -> tuple[torch.Tensor]:
        logging.getLogger("gm.sub").setLevel(sub)
        logging.getLogger("gm").setLevel(above)
        logging.getLogger("gm").handlers = handlers
        logging.disable(off)
        return (torch.full((3,), value),)

    return arguments


CALLS = [
    call(1.0),
    call(-1.0),
    call(2.0),
    call(1.0, sub=logging.ERROR),
    call(-1.0, above=logging.DEBUG),
    call(1.0, off=logging.WARNING),
    call(1.0),
]


@pytest.fixture(autouse=True)
def loggers() -> Any:
    yield
    logging.disable(0)
    logging.getLogger("gm").handlers = []
    for name in ("gm", "gm.sub", "gm.other"):
        logging.getLogger(name).setLevel(0)


def mode(folder: Any, body: str) -> str:
    outcome = compare(load(folder, PROGRAM.format(body=body)), CALLS, rounds=14)
    return str(outcome.report["callables"][0]["mode"])


@pytest.mark.parametrize("body", WHOLE.values(), ids=list(WHOLE))
def test_answers_are_those_of_python(tmp_path: Any, body: str) -> None:
    found = mode(tmp_path, body)
    assert found == "whole" or torch_names.release().version < (2, 10)  # torch 2.9 does not know the type of a logger


@pytest.mark.parametrize("body", OTHER.values(), ids=list(OTHER))
def test_other_questions_are_left_to_python(tmp_path: Any, body: str) -> None:
    mode(tmp_path, body)


def test_answer_that_the_logger_keeps_too_long(tmp_path: Any) -> None:
    """A level that a program writes past `setLevel` leaves an answer in the cache of the logger."""

    def stale() -> tuple[torch.Tensor]:
        logger = logging.getLogger("gm.sub")
        logger.setLevel(logging.INFO)
        assert logger.isEnabledFor(logging.INFO)
        logger.level = logging.ERROR
        return (torch.ones(3),)

    body = "return x * (2 if log.isEnabledFor(logging.INFO) else 3)"
    compare(load(tmp_path, PROGRAM.format(body=body)), [call(1.0), stale, call(1.0, sub=logging.ERROR), stale])
