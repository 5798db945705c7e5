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
import types
import weakref
from typing import Any, Iterator, Optional

import torch

from ..base.dynamo_values import package
from .numpy_random_functions import is_constant

MAX_DEPTH = 4
FIXED = (types.ModuleType, type, types.BuiltinFunctionType, types.MethodDescriptorType, type(None))
VALUES = (torch.dtype, torch.device, torch.layout, torch.memory_format)
NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS")

_first: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()


class Changeable(Exception):
    """Raised for what may change while a cache keeps its results."""


def changes(wrapper: Any, arguments: list[Any], written: frozenset[str]) -> bool:
    """Whether a cached function may give another result than its cache.

    `arguments` are the objects among the arguments, `written` the attributes and globals that the call writes to.
    """
    read: dict[str, Any] = {}
    try:
        for index, argument in enumerate(arguments):
            note(f"argument {index}", argument, read, names_of(wrapper.__wrapped__.__code__), MAX_DEPTH)
        look(wrapper.__wrapped__, read, MAX_DEPTH)
    except Changeable:
        return True
    if any(name.replace(".", " ").split()[-1] in written for name in read):
        return True
    first = _first.setdefault(wrapper, {})
    return any(first.setdefault(name, value) != value for name, value in read.items())


def names_of(code: types.CodeType) -> set[str]:
    """The attributes that code may read, with functions defined inside."""
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return set(code.co_names).union(*map(names_of, inner))


def look(function: Any, read: dict[str, Any], depth: int) -> None:
    """Note the numbers and texts that a function may read; raises `Changeable`."""
    if not isinstance(function, types.FunctionType) or depth == 0:
        raise Changeable
    names = names_of(function.__code__)
    for name, value in outside(function):
        note(f"{id(function.__code__)} {name}", value, read, names, depth)


def outside(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The variables of other scopes that a function loads, with their values."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [part for part in code.co_consts if isinstance(part, types.CodeType)]
        for item in dis.get_instructions(code):
            if item.opname in NAMES and item.argval in cells:
                yield item.argval, cells[item.argval].cell_contents
            elif item.opname in NAMES and item.argval in function.__globals__:
                yield item.argval, function.__globals__[item.argval]


def note(name: str, value: Any, read: dict[str, Any], attributes: set[str], depth: int) -> None:
    """Note a value that is read, or the numbers and texts in those of its attributes that the code names."""
    if is_constant(value):
        read[name] = value
    elif isinstance(value, types.FunctionType):
        if package(value) not in ("torch", "numpy"):
            look(value, read, depth - 1)
    elif not isinstance(value, FIXED + VALUES):
        table: Optional[dict[str, Any]] = getattr(value, "__dict__", None)
        if table is None or isinstance(value, torch.Tensor) or depth == 0:
            raise Changeable
        for attribute in sorted(attributes):
            if attribute in table:
                note(f"{name}.{attribute}", table[attribute], read, attributes, depth - 1)
            elif attribute in table.get("_parameters", ()) or attribute in table.get("_buffers", ()):
                raise Changeable
            elif isinstance(getattr(type(value), attribute, None), types.FunctionType):
                look(getattr(type(value), attribute), read, depth - 1)
