"""What streams, handlers, formatters and filters of the program come by, and what they may not do."""

from __future__ import annotations

import io
import logging
import types
from typing import Any

import pytest

from graphmend.runtime.analysis.reachability import NOTHING
from graphmend.runtime.analysis.receiver_reach import CELLS, reach_of_receivers

HOME = """
import gc, importlib, inspect, io, json, logging, math, random, sys
import numpy
import torch
from torch.nn.functional import gelu

class Held:
    shared = []
    def __init__(self):
        self.rows = []
def member_of(given):
    return given.member
def shared_of(given):
    return given.shared
held, COUNT, NAMES = Held(), 0, ["a"]
own_module = type(sys)("own_module")
own_module.member, own_module.number, own_module.other = [1], 3, 4
sys.modules["own_module_of_receivers"] = own_module
"""


def made(base: str, method: str, body: str) -> tuple[Any, dict[str, Any]]:
    """A receiver with one method, and the names of its file."""
    space: dict[str, Any] = {"__name__": "own_program"}
    exec(compile(HOME, "/own/program.py", "exec"), space)
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    text = f"class Own({base}):\n    def {method}(self, record, *rest):\n{lines}"
    exec(compile(text, "/own/program.py", "exec"), space)
    return space["Own"](), space


MEMBERS = ["own_module", "own_module.member"]
REACHED: dict[str, tuple[str, str, str, list[str]]] = {
    "a filter": ("logging.Filter", "filter", "held.rows.append(1)", ["held", "held.rows"]),
    "a filter that only looks": ("logging.Filter", "filter", "return True", []),
    "a handler": ("logging.Handler", "emit", "held.rows.append(record.msg)", ["held", "held.rows"]),
    "a method that Python calls": ("logging.Handler", "acquire", "return held", ["held"]),
    "a formatter": ("logging.Formatter", "format", "return str(held)", ["held"]),
    "a method of the formatter": ("logging.Formatter", "formatTime", "return str(held)", ["held"]),
    "a method that nobody calls": ("logging.Handler", "other", "return held", []),
    "a stream": ("io.StringIO", "write", "return held", ["held"]),
    "what is no receiver": ("object", "emit", "return held", ["held"]),
    "what is called": ("object", "__call__", "return held", ["held"]),
    "an attribute of a class": ("logging.Filter", "filter", "Held.shared.append(1)", ["Held", "Held.shared"]),
    "a class that is named": ("logging.Filter", "filter", "return torch.Tensor", []),
    "a module": ("logging.Filter", "filter", "own_module.member.append(1)", ["own_module", "own_module.member"]),
    "a module that is imported": (
        "logging.Filter",
        "filter",
        "import own_module_of_receivers\nreturn own_module_of_receivers.member",
        ["own_module", "own_module.member"],
    ),
    "a member that another function names": ("logging.Filter", "filter", "return member_of(own_module)", MEMBERS),
    "a member that another function names, behind": (
        "logging.Filter",
        "filter",
        "one = own_module\nreturn member_of(one)",
        MEMBERS,
    ),
    "a member of a class that another function names": (
        "logging.Filter",
        "filter",
        "return shared_of(Held)",
        ["Held", "Held.shared"],
    ),
    "a function of Python": ("logging.Filter", "filter", "return json.dumps(math.sqrt(2))", []),
    "a package of functions": ("logging.Filter", "filter", "return torch.nn", []),
}
EXPRESSIONS = ["held", "held.rows", "Held", "Held.shared", "own_module", "own_module.member"]


@pytest.mark.parametrize("name", REACHED)
def test_what_is_reached(name: str) -> None:
    base, method, body, expected = REACHED[name]
    own, space = made(base, method, body)
    reason, reach = reach_of_receivers([own])
    assert reason is None and id(own) in reach.ids and id(type(own)) in reach.ids
    found = {text for text in EXPRESSIONS if id(eval(text, space)) in reach.ids}
    # An object brings its class and its attributes.
    assert found == set(expected) | ({"Held", "held.rows"} if "held" in expected else set())


REFUSED = {
    "return torch.relu(record)": "it may use `torch.relu`",
    "return gelu(record)": "it may call `gelu`",
    "return torch.nn.functional.silu(record)": "it may use `torch.silu`",
    "return numpy.linalg.norm(record)": "it may use `numpy.norm`",
    "return numpy.ones(3)": "it may use `numpy.ones`",
    "return gc": "it may look around by `gc`",
    "return importlib": "it may look around by `importlib`",
    "return inspect": "it may look around by `inspect`",
    "return sys.modules": "it may look around by `sys`",
    "import gone_module": "it imports `gone_module`",
    "return __import__('a')": "it may change what it is shown, or look around",
    "return record.__dict__": "it may change what it is shown, or look around",
    "return record.args": "it may change what it is shown, or look around",
    "return sys._getframe()": "it may use `_getframe`",
    "return random": "it may use `random`",
}


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_refused(body: str) -> None:
    assert reach_of_receivers([made("logging.Filter", "filter", body)[0]]) == (REFUSED[body], NOTHING)


def test_code_of_packages_may_look_around() -> None:
    """Code that is installed is known to leave what it is shown as it is."""
    space: dict[str, Any] = {"__name__": "own_program"}
    text = "class Own:\n    def filter(self, record):\n        import gone_module\n        return record.args"
    exec(compile(text, "/own/site-packages/a.py", "exec"), space)
    assert reach_of_receivers([space["Own"]()])[0] is None


def test_names_of_numbers() -> None:
    own = made("logging.Filter", "filter", "return COUNT + own_module.number + len(NAMES)")[0]
    assert reach_of_receivers([own])[1].names == {"COUNT", "number"}


@pytest.mark.parametrize(("content", "told"), [(3, True), ("a", True), (None, True), ([], False), (logging, False)])
def test_values_in_closures(content: Any, told: bool) -> None:
    """A number in a closure has no identity: Dynamo's name for it stands for all."""

    def outer() -> Any:
        return lambda record: content

    reason, reach = reach_of_receivers([made("object", "emit", "pass")[0], types.SimpleNamespace(f=rehomed(outer()))])
    assert reason is None and (CELLS in reach.names) is told


def rehomed(function: Any) -> Any:
    function.__module__ = "own_program"
    return function


def test_loggers() -> None:
    """A logger brings its handlers, filters and parents, and nothing else."""
    logger, handler = logging.Logger("own"), made("logging.Handler", "emit", "return held")
    parent = logging.Logger("above")
    logger.addHandler(handler[0])
    logger.parent, logger.other = parent, ["other"]  # type: ignore[attr-defined]
    reason, reach = reach_of_receivers([logger])
    assert reason is None
    assert {id(logger), id(parent), id(handler[0]), id(handler[1]["held"])} <= reach.ids
    assert id(logger.other) not in reach.ids  # type: ignore[attr-defined]


def test_streams_around_streams() -> None:
    class Raw(io.RawIOBase):
        def writable(self) -> bool:
            return True

    raw = Raw()
    buffer = io.BufferedWriter(raw)
    text = io.TextIOWrapper(buffer)
    reach = reach_of_receivers([text])[1]
    assert {id(text), id(buffer), id(raw)} <= reach.ids
    text.detach()


def test_records_are_not_looked_through() -> None:
    """Of a record only the arguments can be objects of the program."""
    held = ["held"]
    record = logging.LogRecord("own", 20, "a.py", 1, "%s", (held,), None)
    assert id(held) not in reach_of_receivers([types.SimpleNamespace(record=record)])[1].ids


def test_no_receivers() -> None:
    assert reach_of_receivers([]) == (None, NOTHING)
