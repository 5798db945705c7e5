"""The objects that a method of the program may reach, by identity, as far as the method's code tells.

A call with an unused result, for example a meter's update, may run after the graph:

    self.meter.update(loss)                   # graph first, then `update` with the value of `loss`
    x = self.layer(x)                         # allowed if the layer reads no object that `update` writes to
    return x

The search starts at the receiver, and follows attributes, closures, globals and the code of every function on the way.
Python code can name any object. The search therefore refuses names that lead everywhere (`globals`, `_getframe`) and
draws of random numbers, and gives up at many objects.
"""

from __future__ import annotations

import dataclasses
import dis
import gc
import sys
import types
from typing import Any, Optional

import torch

from .drawing_names import drawing_names

PLAIN = (type(None), bool, int, float, complex, str, bytes, range, type(Ellipsis), type(NotImplemented))
CODE = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, classmethod, staticmethod, property)
MAX_OBJECTS = 4000
WRITES_GLOBALS, WRITES_CELLS = ("STORE_GLOBAL", "DELETE_GLOBAL"), ("STORE_DEREF", "DELETE_DEREF")
# Names for the stack, for global state, and for draws from the generators of Python and NumPy.
FORBIDDEN = frozenset(
    "_getframe currentframe extract_stack getframeinfo exec eval globals locals random uniform randint shuffle gauss "
    "seed manual_seed default_rng set_default_dtype set_default_device set_grad_enabled backward zero_grad "
    "register_hook".split()
)
# Names for the exception that is being handled.
HANDLED = frozenset("exc_info exception format_exc print_exc".split())
TRUSTED = (
    "graphmend",
    "torch",
    "numpy",
    "builtins",
    *getattr(sys, "stdlib_module_names", ()),
)  # modules that keep no object of the program


RANDOM = ("random", "secrets", "numpy.random", "torch.random")


def is_trusted(module: Optional[str]) -> bool:
    """Whether code of a module keeps no object of the program, and calls only functions handed over as arguments."""
    return module is not None and module.partition(".")[0] in TRUSTED


def names_and_options(code: types.CodeType) -> set[Any]:
    """The names in code, and the keyword names of its calls."""
    return {*code.co_names, *(word for constant in code.co_consts if type(constant) is tuple for word in constant)}


def looks_at_exception(code: types.CodeType) -> bool:
    """Whether code names a function or an option that tells of the handled exception."""
    return not HANDLED.isdisjoint(names_and_options(code))


class Unknown(Exception):
    """The reason why the effects of a call are unknown."""


class Search:
    """A search for the objects that a call may reach."""

    def __init__(self) -> None:
        self.ids: set[int] = set()
        self.names: set[str] = set()
        self.globals: set[str] = set()  # names of globals with numbers and texts that the call reads
        self.handles = False  # whether the call looks at the exception that is being handled
        self.alive: list[Any] = []  # keeps objects alive, because Python may reuse the identity of a dead object
        self.seen_ids: set[int] = set()
        self.pending: list[Any] = []
        self.tables: list[Any] = []  # classes and modules with members to look up by name
        self.looked_up = 0

    def add(self, value: Any) -> None:
        """Put an object on the list of objects to look at, once."""
        if type(value) in PLAIN or id(value) in self.seen_ids:
            return
        self.seen_ids.add(id(value))
        self.alive.append(value)
        self.pending.append(value)
        if len(self.alive) > MAX_OBJECTS:
            raise Unknown("it may come by too many objects")

    def run(self) -> None:
        """Look at all waiting objects, and at the objects behind them."""
        while self.pending or self.looked_up < len(self.names):
            if not self.pending:
                self.looked_up = len(self.names)
                self.pending += self.tables
                continue
            self.look(self.pending.pop())

    def look(self, value: Any) -> None:
        """Add the objects that an object leads to."""
        if isinstance(value, CODE):
            self.look_at_function(value)
        elif isinstance(value, type):
            self.look_at_class(value)
        elif isinstance(value, types.ModuleType):
            self.look_at_module(value)
        else:
            self.look_at_object(value)

    def look_at_function(self, value: Any) -> None:
        """Add the objects bound to a function, and the names in its code."""
        homes = (getattr(value, "__module__", None), type(getattr(value, "__self__", None)).__module__)
        if any(home is not None and home.startswith(RANDOM) for home in homes):
            raise Unknown("it may draw random numbers")
        if is_trusted(homes[0]):
            return
        if isinstance(value, types.MethodType):
            self.add(value.__self__)
        for value_bound in (getattr(value, name, None) for name in ("__func__", "fget", "fset")):
            self.add(value_bound)
        if isinstance(value, types.FunctionType):
            for cell in value.__closure__ or ():
                self.add(cell.cell_contents)
            for value_bound in (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()):
                self.add(value_bound)
            self.look_at_code(value.__code__, value.__globals__, value.__code__.co_freevars)

    def look_at_code(self, code: types.CodeType, variables: dict[str, Any], outer: tuple[str, ...]) -> None:
        """Add the globals that code names; method names apply to every reached object."""
        forbidden = (FORBIDDEN | drawing_names()).intersection(code.co_names)
        if forbidden:
            raise Unknown(f"it may use `{min(forbidden)}`")
        self.handles = self.handles or looks_at_exception(code)
        for item in dis.get_instructions(code):
            if item.opname in WRITES_GLOBALS or (item.opname in WRITES_CELLS and item.argval in outer):
                raise Unknown(f"it writes to `{item.argval}`, a variable outside of it")
        for name in code.co_names:
            self.names.add(name)
            value = variables.get(name)
            if name in variables and type(value) in PLAIN:
                self.globals.add(name)
            self.add(value)
        for constant in code.co_consts:
            if isinstance(constant, tuple) and not {"stacklevel", "stack_info"}.isdisjoint(constant):
                raise Unknown("it names a place on the stack")
            if isinstance(constant, types.CodeType):
                self.look_at_code(constant, variables, outer)

    def look_at_class(self, kind: type) -> None:
        """Add the members of a class that code names, and the special methods that Python calls."""
        if is_trusted(kind.__module__) or issubclass(kind, BaseException):
            return
        if kind not in self.tables:
            self.tables.append(kind)
        for base in kind.__mro__[1:-1]:
            self.add(base)
        for name, member in vars(kind).items():
            if name in self.names or (name.startswith("__") and isinstance(member, CODE)):
                self.add(member)

    def look_at_module(self, module: types.ModuleType) -> None:
        """Add the members of a module that code names."""
        if module.__name__ in RANDOM:
            raise Unknown("it may draw random numbers")
        if is_trusted(module.__name__):
            return
        if module not in self.tables:
            self.tables.append(module)
            self.ids.add(id(module))
        for name in self.names & vars(module).keys():
            self.add(vars(module)[name])

    def look_at_object(self, value: Any) -> None:
        """Add the items, attributes and class of an object."""
        if isinstance(value, (torch.Tensor, torch.nn.Module, torch.optim.Optimizer, torch.Generator)):
            raise Unknown(f"it may come by a {type(value).__name__}")
        if type(value).__module__.startswith(RANDOM):
            raise Unknown("it may draw random numbers")
        self.ids.add(id(value))
        self.add(type(value))
        items: Any = ()
        if isinstance(value, dict):
            items = (*value.keys(), *value.values())
        elif isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ == "deque":
            items = tuple(value)
        for item in items:
            self.add(item)
        for item in getattr(value, "__dict__", {}).values():
            self.add(item)
        for base in type(value).__mro__:
            for name in getattr(base, "__slots__", ()):
                self.add(getattr(value, name, None))


@dataclasses.dataclass(frozen=True)
class Reach:
    """Identities of reachable objects, and names of globals that hold numbers or texts."""

    ids: frozenset[int] = frozenset()
    names: frozenset[str] = frozenset()
    handles: bool = False  # the call may look at the exception that is being handled


NOTHING = Reach()


def reach_of_method(target: Any, method: str) -> tuple[Optional[str], Reach]:
    """The reach of a method of an object; or the reason why the reach is unknown."""
    kind = type(target)
    if isinstance(target, (types.ModuleType, type)) or isinstance(target, CODE) or kind.__module__.startswith("torch."):
        return "what it does is not known", NOTHING
    if kind.__module__ == "_csv" and isinstance(vars(kind).get(method), types.MethodDescriptorType):
        return reach_of_search(receivers_of_c_methods(target), Search(), "it")
    members = members_of(kind)
    overridden = method in getattr(target, "__dict__", {}) or members["__getattribute__"] is not object.__getattribute__
    if type(kind) is not type or overridden or not isinstance(members.get(method), types.FunctionType):
        return f"`{method}` is no plain method of its class", NOTHING
    search = Search()
    search.names.add(method)
    search.handles = method in HANDLED
    return reach_of_search([target], search, "it")


def receivers_of_c_methods(writer: Any) -> list[Any]:
    """A writer of `csv`, and the objects whose methods it calls: Python's collector knows what it holds.

    The method that writes a line is the file's own, or any function of the program.
    """
    held = gc.get_referents(writer)
    return [writer, *held, *(item.__self__ for item in held if isinstance(item, types.BuiltinMethodType))]


def reach_of_search(objects: list[Any], search: Search, subject: str) -> tuple[Optional[str], Reach]:
    """The reach of a search that starts at some objects; or the reason why the reach is unknown, as a sentence about
    `subject`.
    """
    try:
        for item in objects:
            search.add(item)
        search.run()
    except Unknown as reason:
        return str(reason), NOTHING
    except Exception as error:  # raised by code of the program, such as a property
        return f"{subject} cannot be looked through ({type(error).__name__})", NOTHING
    return None, Reach(frozenset(search.ids), frozenset(search.globals), search.handles)


def members_of(kind: type) -> dict[str, Any]:
    """All members of a class, inherited members included."""
    return {name: member for base in reversed(kind.__mro__) for name, member in vars(base).items()}
