"""Deferred effects that look at the stack find the one that they would have found in eager Python."""

from __future__ import annotations

import logging
import warnings
from typing import Any, Callable

import pytest
import torch

import graphmend.runtime as _gm

log = logging.getLogger("stack")
SITE = "m.py:1:0:GM303"


def note(x: Any, levels: int) -> Any:
    if _gm.on(SITE):

        def _gm_sink__note(levels):
            warnings.warn("from here", UserWarning, stacklevel=levels)
            log.warning("and here", stacklevel=levels)

        _gm.defer(SITE, _gm_sink__note, (levels,), levels=levels)
    else:
        warnings.warn("from here", UserWarning, stacklevel=levels)
        log.warning("and here", stacklevel=levels)
    return x + 1


def helper(x: Any, levels: int) -> Any:
    def side(x):
        return (note(x, levels),)

    if _gm.on("m.py:2:0:GM101"):

        def _gm_then(x):
            return (note(x, levels),)

        (y,) = _gm.branch("m.py:2:0:GM101", x.sum() > 0, _gm_then, lambda x: (x - 1,), (x,))
    else:
        y = note(x, levels) if x.sum() > 0 else x - 1
    return y


def program(x: Any, levels: int) -> Any:
    y = x * 2
    y = helper(y, levels)
    return y * 2


class Model(torch.nn.Module):
    def forward(self, x, levels):
        return program(x, levels)


def places(function: Callable[..., Any], levels: int) -> list[Any]:
    """File and line of the warning and of the log record of a call; lines of two statements around one call agree."""
    found: list[Any] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(("log", record.pathname, record.funcName, record.lineno))

    handler = Handler()
    log.addHandler(handler)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            function(torch.ones(2), levels)
        kept = [warning for warning in caught if str(warning.message) == "from here"]
        found += [("warning", warning.filename, warning.lineno) for warning in kept]
    finally:
        log.removeHandler(handler)
    return found


def neutral(found: list[Any], file: str) -> list[Any]:
    """Without the lines of the statements that stand twice, mended and as they are."""
    twice = {"note", "helper", "_gm_sink__note", "_gm_then"}
    result = []
    for kind, path, *rest in found:
        name = rest[0].replace("_gm_sink__", "") if kind == "log" else ""
        result.append((kind, path, name, None if name in twice else rest[-1]))
    return result


@pytest.mark.parametrize("levels", [2, 3, 4])
@pytest.mark.parametrize("make", [lambda: program, Model], ids=["function", "module"])
def test_places(make: Any, levels: int) -> None:
    target = make()
    compiled = torch.compile(target, backend="eager")
    for _ in range(2):
        eager, mended = places(target, levels), places(compiled, levels)
        assert len(eager) == len(mended) == 2
        assert neutral(eager, __file__)[0] == neutral(mended, __file__)[0]
        if levels > 2:  # the line in `helper` is another one
            assert eager[1] == mended[1]
    assert _gm.report()["sites"][SITE]["mended"]


def test_registry_of_the_caller() -> None:
    """The filter `default` shows a warning once for each place, which is remembered in the module of the place."""

    def shown(function: Callable[..., Any]) -> int:
        globals().pop("__warningregistry__", None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(5):
                function(torch.ones(2), 3)
        return sum(str(warning.message) == "from here" for warning in caught)

    assert shown(program) == shown(torch.compile(program, backend="eager")) == 1
