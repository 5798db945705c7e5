"""Warnings and log records of wrappers: `stacklevel` in a variable, in `*args` or in `**options`."""

from __future__ import annotations

import io
import logging
import warnings
from typing import Any

import pytest
import torch
from harness import CountingBackend, load

import graphmend.runtime as runtime

HEAD = """
    import functools, logging, warnings

    log = logging.getLogger("levels")

    def handed_on(*args, stacklevel=3, **options):
        warnings.warn(*args, stacklevel=stacklevel, **options)

    def by_position(message, category, level):
        warnings.warn(message, category, level)

    def in_row(*args):
        warnings.warn(*args)

    def only_first(function):
        @functools.wraps(function)
        def wrapped(*args, **options):
            if getattr(only_first, "rank", 0) == 0:
                return function(*args, **options)
        return wrapped

    @only_first
    def wrapped(message, stacklevel=3, category=UserWarning, **options):
        warnings.warn(message, stacklevel=stacklevel, category=category, **options)

    deprecated = functools.partial(wrapped, category=DeprecationWarning)

    @only_first
    def told(*args, stacklevel=3, **options):
        log.warning(*args, stacklevel=stacklevel, **options)
"""

CALLS = {
    "variable": "handed_on('text')",
    "options": "handed_on('text', RuntimeWarning, stacklevel=2)",
    "more_options": "handed_on('text', category=FutureWarning)",
    "position": "by_position('text', UserWarning, 2)",
    "negative": "by_position('text', UserWarning, -1)",
    "row": "in_row('text', UserWarning, 2)",
    "short_row": "in_row('text')",
    "decorated": "wrapped('text')",
    "partial": "deprecated('text')",
    "of_data": "handed_on('text') if x.sum() > 0 else in_row('other')",
    "logged": "told('text %d', 3, stacklevel=2)",
    "logged_options": "told('text', extra={'a': 1})",
}


def recorded(run: Any, x: torch.Tensor) -> tuple[Any, list[Any]]:
    """What a call gives, and each warning and log record with the place that it names."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(filename)s %(lineno)d %(funcName)s %(message)s"))
    logger = logging.getLogger("levels")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            result = run(x)
    finally:
        logger.removeHandler(handler)
    told = [(str(one.message), one.category, one.filename, one.lineno) for one in found]
    return result, [*told, *stream.getvalue().splitlines()]


@pytest.mark.parametrize("name", CALLS)
def test_wrappers_are_part_of_the_graph_and_name_their_callers(tmp_path: Any, name: str) -> None:
    text = f"{HEAD}\n    def f(x):\n        y = x.sin()\n        {CALLS[name]}\n        return y + 1\n"
    program = load(tmp_path, text)()
    counting = CountingBackend()
    torch._dynamo.reset()
    runtime.registry.reset()
    compiled = torch.compile(program, backend=counting)

    def caller(run: Any, x: torch.Tensor) -> Any:
        return run(x)

    for x in (torch.ones(3), -torch.ones(3), torch.ones(3)):
        expected, found = recorded(lambda x: caller(program, x), x), recorded(lambda x: caller(compiled, x), x)
        assert torch.equal(expected[0], found[0])
        assert expected[1] == found[1]
        assert expected[1]
    callables = runtime.report()["callables"]
    assert callables[0]["mode"] == "whole", callables
    assert counting.graphs


def test_what_names_another_place_is_not_deferred(tmp_path: Any) -> None:
    text = f"{HEAD}\n    def f(x):\n        y = x.sin()\n        told('text', exc_info=True)\n        return y + 1\n"
    program = load(tmp_path, text)()
    runtime.registry.reset()
    compiled = torch.compile(program, backend="eager")
    expected, found = recorded(program, torch.ones(3)), recorded(compiled, torch.ones(3))
    assert expected[1] == found[1]
    assert runtime.report()["callables"][0]["mode"] != "whole"
