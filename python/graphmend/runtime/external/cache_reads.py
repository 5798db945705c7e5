"""What a function behind `functools.lru_cache` reads beside its arguments: a cache keeps old results when that changes.

    @functools.lru_cache
    def scale(name):
        return CONFIG[name]         # the cache still has the value from before CONFIG was changed

Dynamo computes the value anew. The code of the function, and of the functions that it calls, tells what it may read.
Containers, tensors and other objects may change without a word. Numbers and texts are compared with those of the first
trace; those that the call writes to may change, too.
"""

from __future__ import annotations

import dis
import functools
import inspect
import types
import weakref
from typing import Any, Iterator

import torch

from ..base import folders
from ..base.dynamo_values import package
from .lru_caches import codes_of
from .numpy_random_functions import is_constant

MAX_DEPTH = 4
FIXED = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    type(None),
    torch.dtype,
    torch.device,
    torch.layout,
    torch.memory_format,
)
NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS")

_first: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()


class Changeable(Exception):
    """Raised for what may change while a cache keeps its results."""


def changes(wrapper: Any, arguments: list[Any], written: frozenset[str]) -> bool:
    """Whether a cached function may give another result than its cache.

    `arguments` are the objects among the arguments, `written` the attributes and globals that the call writes to.
    """
    reads = Reads()
    try:
        for index, argument in enumerate(arguments):
            reads.note(f"argument {index}", argument, names_of(wrapper.__wrapped__.__code__), MAX_DEPTH)
        reads.look(wrapper.__wrapped__, MAX_DEPTH)
    except Changeable:
        return True
    if any(name.replace(".", " ").split()[-1] in written for name in reads.constants):
        return True
    first = _first.setdefault(wrapper, {})
    return any(first.setdefault(name, value) != value for name, value in reads.constants.items())


@functools.lru_cache(maxsize=4096)
def names_of(code: types.CodeType) -> frozenset[str]:
    """The attributes that code may read, with functions defined inside."""
    return frozenset().union(*(part.co_names for part in codes_of(code)))


@functools.lru_cache(maxsize=4096)
def loaded(code: types.CodeType) -> tuple[str, ...]:
    """The variables of other scopes that code may load, with functions defined inside; each once."""
    steps = (step for part in codes_of(code) for step in dis.get_instructions(part))
    return tuple(dict.fromkeys(step.argval for step in steps if step.opname in NAMES))


def outside(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables of other scopes that a function loads, with their values."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    for name in loaded(function.__code__):
        if name in cells:
            try:
                yield name, cells[name].cell_contents
            except ValueError:  # nothing has been assigned yet
                raise Changeable from None
        elif name in function.__globals__:
            yield name, function.__globals__[name]


def is_own(value: Any) -> bool:
    """Whether a value is the runtime itself, as mended code calls it."""
    return isinstance(value, types.ModuleType) and value.__name__ == folders.PACKAGE


class Reads:
    """The numbers and texts that a function may read, by a name for the place."""

    def __init__(self) -> None:
        self.constants: dict[str, Any] = {}
        self.seen: set[tuple[int, frozenset[str]]] = set()  # objects, with the attributes that were looked for

    def look(self, function: Any, depth: int) -> None:
        """Note what a function reads from other scopes; raises `Changeable`."""
        if not isinstance(function, types.FunctionType) or depth == 0:
            raise Changeable
        if package(function) in ("torch", "numpy", folders.PACKAGE.partition(".")[0]):
            return
        names = names_of(function.__code__)
        for name, value in outside(function):
            self.note(f"{id(function.__code__)} {name}", value, names, depth)

    def note(self, name: str, value: Any, attributes: frozenset[str], depth: int) -> None:
        """Note a value, or what the attributes that the code names hold."""
        key = id(value), attributes
        if is_constant(value):
            self.constants[name] = value
        elif isinstance(value, types.FunctionType):
            self.look(value, depth - 1)
        elif not isinstance(value, FIXED) and not is_own(value) and key not in self.seen:
            self.seen.add(key)
            if isinstance(value, torch.Tensor) or not type(value).__dictoffset__ or depth == 0:
                raise Changeable
            for attribute in sorted(attributes):
                self.note_attribute(name, value, attribute, attributes, depth - 1)

    def note_attribute(self, name: str, value: Any, attribute: str, attributes: frozenset[str], depth: int) -> None:
        """Note the attribute of an object, if the object has the attribute: a value, a method or a property."""
        table = vars(value)
        method = inspect.getattr_static(type(value), attribute, None)
        method = method.fget if isinstance(method, property) else getattr(method, "__func__", method)
        if attribute in table:
            self.note(f"{name}.{attribute}", table[attribute], attributes, depth)
        elif attribute in table.get("_parameters", ()) or attribute in table.get("_buffers", ()):
            raise Changeable
        elif isinstance(method, types.FunctionType):
            self.look(method, depth)
            self.note(name, value, names_of(method.__code__), depth)
        elif method is not None:
            self.note(f"{name}.{attribute}", method, attributes, depth)
