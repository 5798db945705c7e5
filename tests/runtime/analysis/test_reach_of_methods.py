"""What a method of the program may come by, and why nobody can tell: small classes, each for one way to an object."""

from __future__ import annotations

import collections
import csv
import io
import random
import sys
import types
from typing import Any, Callable

import numpy
import pytest
import torch

from graphmend.runtime.analysis.reachability import (
    NOTHING,
    Search,
    Unknown,
    is_trusted,
    looks_at_exception,
    reach_of_method,
    reach_of_search,
)

HOME = """
import collections, contextlib, functools, random, sys, traceback, types
import random as dice
import numpy
import torch

TOTAL, NAMES, TABLE = 0, "names", {"a": []}
class Held:
    def __init__(self):
        self.deep = [1]
    def inner(self):
        return TABLE
class Slots:
    __slots__ = ("first", "unset")
    def __init__(self):
        self.first = [2]
held, behind, slots = Held(), Held(), Slots()
module = types.ModuleType("own_module")
module.member, module.other = [3], [4]
"""


def made(body: str, start: str = "") -> tuple[Any, dict[str, Any]]:
    """An object with the method `m`, and the names of its file."""
    space: dict[str, Any] = {"__name__": "own_program"}
    exec(HOME, space)
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    first = "".join(f"        {line}\n" for line in (start or "pass").splitlines())
    exec(f"class Own:\n    def __init__(self):\n{first}    def m(self, value):\n{lines}", space)
    return space["Own"](), space


# The body of a method, what is put into the object in front, and the expressions whose objects are reached.
REACHED: dict[str, tuple[str, str, list[str]]] = {
    "nothing": ("pass", "", []),
    "an attribute": ("self.rows.append(value)", "self.rows = []", ["own.rows"]),
    "what no name leads to": ("pass", "self.rows = []", ["own.rows"]),
    "an item of a list": ("pass", "self.rows = [held]", ["held", "held.deep"]),
    "an item of a tuple": ("pass", "self.rows = (held,)", ["held"]),
    "a value of a dictionary": ("pass", "self.rows = {1: held}", ["held"]),
    "a key of a dictionary": ("pass", "self.rows = {held: 1}", ["held"]),
    "an item of a set": ("pass", "self.rows = {held}", ["held"]),
    "an item of a frozen set": ("pass", "self.rows = frozenset([held])", ["held"]),
    "an item of a queue": ("pass", "self.rows = collections.deque([held])", ["held"]),
    "an attribute in a slot": ("pass", "self.rows = slots", ["slots", "slots.first"]),
    "a global": ("TABLE['a'].append(value)", "", ["TABLE", "TABLE['a']"]),
    "a global of a function that is called": ("held.inner()", "", ["held", "TABLE"]),
    "a method that no name leads to": ("return held", "", ["held"]),
    "a member of a module": ("return module.member", "", ["module", "module.member"]),
    "a default": ("def g(x=1): return held\nreturn g()", "", ["held"]),
    "a function in an attribute": ("self.f()", "self.f = lambda x=held: x", ["held"]),
    "a default by keyword": ("self.f()", "self.f = lambda *, x=held: x", ["held"]),
    "a closure": ("self.f()", "one = held\nself.f = lambda: one", ["held"]),
    "a bound method": ("self.f()", "self.f = held.inner", ["held", "TABLE"]),
    "a function of torch": ("return torch.relu(value)", "", []),
    "a function of Python": ("return sorted(value)", "", []),
    "a class": ("return Held()", "", []),
}
EXPRESSIONS = ["own.rows", "held", "held.deep", "behind", "slots", "slots.first", "TABLE", "TABLE['a']", "module"]
EXPRESSIONS += ["module.member", "module.other"]


@pytest.mark.parametrize("name", REACHED)
def test_what_is_reached(name: str) -> None:
    body, start, expected = REACHED[name]
    own, space = made(body, start)
    reason, reach = reach_of_method(own, "m")
    assert reason is None and id(own) in reach.ids
    space["own"] = own
    asked = [text for text in EXPRESSIONS if text != "own.rows" or hasattr(own, "rows")]
    found = [text for text in asked if id(eval(text, space)) in reach.ids]
    wanted = {part for text in expected for part in (text, *([f"{text}.deep"] if text == "held" else []))}
    wanted |= {"own.rows"} if "self.rows" in start else set()
    wanted |= {"TABLE['a']"} if "TABLE" in wanted else set()
    assert set(found) == wanted


NAMES: dict[str, tuple[str, set[str]]] = {
    "none": ("return value", set()),
    "a number": ("return TOTAL", {"TOTAL"}),
    "a text": ("return NAMES + str(value)", {"NAMES"}),
    "an object": ("return TABLE", set()),
    "in a function inside": ("return [TOTAL for _ in value]", {"TOTAL"}),
    "a name of an attribute": ("return self.TOTAL", {"TOTAL"}),
    "a name that is nowhere": ("return MISSING", set()),
}


@pytest.mark.parametrize("name", NAMES)
def test_numbers_and_texts_by_name(name: str) -> None:
    body, expected = NAMES[name]
    reason, reach = reach_of_method(made(body)[0], "m")
    assert reason is None and reach.names == expected


UNKNOWN: dict[str, tuple[str, str, str]] = {
    "a write to a global": ("global TOTAL\nTOTAL = 1", "", "it writes to `TOTAL`, a variable outside of it"),
    "a global that is deleted": ("global TOTAL\ndel TOTAL", "", "it writes to `TOTAL`, a variable outside of it"),
    "the stack": ("return sys._getframe()", "", "it may use `_getframe`"),
    "a text as code": ("return eval('held')", "", "it may use `eval`"),
    "two names": ("return globals(), exec('1')", "", "it may use `exec`"),
    "a seed": ("torch.manual_seed(1)", "", "it may use `manual_seed`"),
    "a draw by another name": ("return self.f()", "self.f = random.random", "it may draw random numbers"),
    "a draw of NumPy": ("return self.f()", "self.f = numpy.random.rand", "it may draw random numbers"),
    "a generator": ("return self.rows", "self.rows = random.Random(1)", "it may draw random numbers"),
    "a generator of NumPy": ("pass", "self.rows = numpy.random.RandomState(1)", "it may draw random numbers"),
    "the module of draws": ("return dice", "", "it may draw random numbers"),
    "a tensor": ("pass", "self.rows = torch.ones(1)", "it may come by a Tensor"),
    "a parameter": ("pass", "self.rows = [torch.nn.Parameter(torch.ones(1))]", "it may come by a Parameter"),
    "a layer": ("pass", "self.rows = torch.nn.Linear(1, 1)", "it may come by a Linear"),
    "an optimizer": (
        "pass",
        "self.rows = torch.optim.SGD([torch.ones(1)])",
        "it may come by a SGD",
    ),
    "a generator of torch": ("pass", "self.rows = torch.Generator()", "it may come by a Generator"),
    "a level of the stack": ("value(1, stacklevel=2)", "", "it names a place on the stack"),
    "the stack in a record": ("value(1, stack_info=True)", "", "it names a place on the stack"),
    "the level of a function inside": ("return lambda: value(1, stacklevel=2)", "", "it names a place on the stack"),
    "many objects": ("pass", "self.rows = [[] for _ in range(5000)]", "it may come by too many objects"),
    "a property that fails": (
        "return self.held",
        "self.held = type('Bad', (), {'__slots__': (), '__getattr__': lambda s, n: 1 / 0, '__module__': 'own'})()",
        "it cannot be looked through (ZeroDivisionError)",
    ),
    "a write to a variable around": (
        "self.f()",
        "count = 0\ndef f():\n    nonlocal count\n    count += 1\nself.f = f",
        "it writes to `count`, a variable outside of it",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_why_it_is_not_known(name: str) -> None:
    body, start, reason = UNKNOWN[name]
    assert reach_of_method(made(body, start)[0], "m") == (reason, NOTHING)


KNOWN = {
    "many objects, not too many": ("pass", "self.rows = [[] for _ in range(3000)]"),
    "one object many times": ("pass", "one = []\nself.rows = [one for _ in range(9000)]"),
    "a variable of its own": ("count = 0\ndef f():\n    nonlocal count\n    count += 1\nf()", ""),
    "an exception": ("raise ValueError(value)", ""),
    "plain values": ("pass", "self.rows = [None, True, 1, 1.5, 1j, 'a', b'a', range(3), ..., NotImplemented] * 5000"),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_is_known_all_the_same(name: str) -> None:
    assert reach_of_method(made(*KNOWN[name])[0], "m")[0] is None


HANDLED = {
    "return value": False,
    "return sys.exc_info()": True,
    "value.exception('x')": True,
    "return traceback.format_exc()": True,
    "value('x', exc_info=True)": True,
    "value('x', other=True)": False,
    "return [traceback.print_exc() for _ in value]": True,
}


@pytest.mark.parametrize("body", HANDLED)
def test_whether_the_handled_exception_is_seen(body: str) -> None:
    own, space = made(body)
    reason, reach = reach_of_method(own, "m")
    assert reason is None and reach.handles is HANDLED[body]
    if "for" not in body:
        assert looks_at_exception(space["Own"].m.__code__) is HANDLED[body]


def test_a_method_with_the_name_of_one_that_sees_it() -> None:
    space: dict[str, Any] = {"__name__": "own_program"}
    exec("class Own:\n    def exception(self): pass\n    def other(self): pass\n", space)
    assert reach_of_method(space["Own"](), "exception")[1].handles
    assert not reach_of_method(space["Own"](), "other")[1].handles


class Plain:
    def m(self) -> None: ...

    @staticmethod
    def static() -> None: ...

    @property
    def shown(self) -> int:
        return 1

    called = print


class Meta(type): ...


class OfMeta(metaclass=Meta):
    def m(self) -> None: ...


class Asked:
    def m(self) -> None: ...

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, name)


class Heir(Plain): ...


class Rewritten(Plain):
    m = None  # type: ignore[assignment]


def replaced() -> Plain:
    one = Plain()
    one.m = print  # type: ignore[method-assign]
    return one


NO_METHOD, NOT_KNOWN = "`{}` is no plain method of its class", "what it does is not known"
RECEIVERS: dict[str, tuple[Callable[[], Any], str, str | None]] = {
    "plain": (Plain, "m", None),
    "inherited": (Heir, "m", None),
    "taken back": (Rewritten, "m", NO_METHOD),
    "static": (Plain, "static", NO_METHOD),
    "a property": (Plain, "shown", NO_METHOD),
    "a function of C": (Plain, "called", NO_METHOD),
    "missing": (Plain, "gone", NO_METHOD),
    "replaced in the object": (replaced, "m", NO_METHOD),
    "of another kind of class": (OfMeta, "m", NO_METHOD),
    "a class that asks for attributes": (Asked, "m", NO_METHOD),
    "a list": (list, "append", NO_METHOD),
    "a module": (lambda: types.ModuleType("own"), "m", NOT_KNOWN),
    "a class": (lambda: Plain, "m", NOT_KNOWN),
    "a function": (lambda: replaced, "m", NOT_KNOWN),
    "a method": (lambda: Plain().m, "m", NOT_KNOWN),
    "an object of torch": (lambda: torch.nn.Linear(1, 1), "forward", NOT_KNOWN),
    "a writer of tables": (lambda: csv.writer(io.StringIO()), "writerow", None),
    "a writer of tables, not a method": (lambda: csv.writer(io.StringIO()), "dialect", NO_METHOD),
}


@pytest.mark.parametrize("name", RECEIVERS)
def test_receivers(name: str) -> None:
    make, method, reason = RECEIVERS[name]
    told, reach = reach_of_method(make(), method)
    assert told == (reason and reason.format(method)) and (reach == NOTHING) is (reason is not None)


def test_a_writer_of_tables_reaches_its_file() -> None:
    stream = io.StringIO()
    writer = csv.writer(stream)
    reach = reach_of_method(writer, "writerow")[1]
    assert {id(writer), id(stream)} <= reach.ids


def test_a_search_is_told_about_its_subject() -> None:
    class Bad:
        __slots__ = ("held",)

        def __getattribute__(self, name: str) -> Any:
            raise KeyError(name)

    assert reach_of_search([Bad()], Search(), "the object") == (
        "the object cannot be looked through (KeyError)",
        NOTHING,
    )
    assert reach_of_search([torch.ones(1)], Search(), "the object")[0] == "it may come by a Tensor"


def test_trusted_modules() -> None:
    trusted = ["graphmend", "torch", "torch.nn.functional", "numpy.linalg", "builtins", "collections.abc", "sys"]
    assert all(map(is_trusted, trusted))
    assert not any(map(is_trusted, [None, "", "own", "torchvision", "own.torch", "builtins2"]))


def test_a_search_ends_at_many_objects() -> None:
    search = Search()
    with pytest.raises(Unknown):
        for _ in range(5000):
            search.add([])
    assert len(search.alive) == 4001


def test_special_methods_are_called_without_a_name() -> None:
    space = made("pass")[1]
    exec(
        "class Special:\n    def __len__(self): return TABLE\n    def named(self): return held\n"
        "class Base:\n    def __bool__(self): return slots\nclass Derived(Base): pass",
        space,
    )
    space["own"] = types.SimpleNamespace()
    search = Search()
    assert reach_of_search([space["Special"](), space["Derived"]()], search, "it")[0] is None
    reached = {name for name in ("TABLE", "held", "slots") if id(space[name]) in search.ids}
    assert reached == {"TABLE", "slots"}
    assert not {id(sys), id(collections), id(random), id(numpy)} & search.ids
