"""The state that a call may change, as a flat table: from a path in words to a tensor, a number or a text.

A table follows results, arguments, modules, closures, and the globals that the code of a callable names. Its entries
can be compared between two processes: no addresses, no code, no objects of Python's library or of torch.
"""

from __future__ import annotations

import contextlib
import io
import random
import sys
import types
import zlib
from typing import Any, Iterator, Optional

import torch

from ..analysis.reachability import is_trusted
from ..external.numpy_random_functions import names_of

PLAIN = (type(None), bool, int, float, complex, str, bytes)
NAMED = (torch.dtype, torch.device, torch.layout, torch.Size, type(Ellipsis), range, slice)
FUNCTIONS = (types.FunctionType, types.MethodType)
LIBRARY = ("collections", "types", "dataclasses", "functools", "argparse")  # whose objects hold what is the program's
MOST = 50_000
Table = dict[str, Any]


def without_class(value: Any) -> Any:
    """The number or text in an object of a derived class, such as a member of an enumeration or a number of NumPy.

    Methods of the class are not asked. A text names the class; a number stays one, and is compared as such.
    """
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, complex):
        return complex.conjugate(complex.conjugate(value))
    base = next(kind for kind in (int, str, bytes) if isinstance(value, kind))
    return f"{type(value).__qualname__} {base.__repr__(value)}"


class Walk:
    """The way through the objects that a call may reach."""

    def __init__(self) -> None:
        self.table: Table = {}
        self.paths: dict[int, str] = {}
        self.alive: list[Any] = []  # so that identities stay theirs

    def add(self, path: str, value: Any) -> None:
        """Note an object and all objects behind it."""
        waiting = [(path, value)]
        while waiting and len(self.table) < MOST:
            path, value = waiting.pop()
            if isinstance(value, PLAIN):
                self.table[path] = value if type(value) in PLAIN else without_class(value)
            elif isinstance(value, NAMED):
                self.table[path] = str(value)
            elif id(value) in self.paths:
                self.table[path] = f"the same object as {self.paths[id(value)]}"
            else:
                self.paths[id(value)] = path
                self.alive.append(value)
                waiting += [*self.parts(path, value)][::-1]

    def parts(self, path: str, value: Any) -> Iterator[tuple[str, Any]]:
        """What an object holds; tensors and the like go into the table themselves."""
        if isinstance(value, torch.Tensor):
            self.table[path] = value
            if value.is_leaf and value.grad is not None:
                yield f"{path}.grad", value.grad
        elif isinstance(value, torch.Generator):
            self.table[path] = value.get_state()
        elif type(value).__module__ == "numpy" and type(value).__name__ == "ndarray" and value.dtype != object:
            self.table[path] = torch.from_numpy(value.copy()) if value.dtype.kind in "biufc" else repr(value)
        elif isinstance(value, io.StringIO):
            self.table[path] = "closed" if value.closed else value.getvalue()
        elif isinstance(value, FUNCTIONS):
            yield from of_function(path, value)
        elif isinstance(value, type):
            if not is_trusted(value.__module__):
                yield from ((f"{path}.{name}", part) for name, part in vars(value).items() if is_own(name))
        else:
            self.table[path] = f"a {type(value).__qualname__}"
            yield from of_container(path, value)
            yield from of_object(path, value)


def is_own(name: str) -> bool:
    """Whether an attribute of a class or an object is the program's."""
    return not (name.startswith("__") and name.endswith("__")) and name != "_compiled_call_impl"


def of_function(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The state of a function of the program: closure, defaults, and the globals that its code names."""
    if isinstance(value, types.MethodType):
        yield f"{path}.self", value.__self__
        value = value.__func__
    if not isinstance(value, types.FunctionType) or is_trusted(value.__module__):
        return
    for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
        with contextlib.suppress(ValueError):  # of a cell that is empty
            yield f"{path}: {name}", cell.cell_contents
    for number, default in enumerate((*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values())):
        yield f"{path}: default {number}", default
    names = names_of(value.__code__)
    for name in sorted(names & value.__globals__.keys()):
        found = value.__globals__[name]
        if not isinstance(found, types.ModuleType):
            yield f"global {name}", found
        elif not is_trusted(found.__name__):
            yield from ((f"{name}.{part}", vars(found)[part]) for part in sorted(names & vars(found).keys()))


def of_container(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The items of a container."""
    if isinstance(value, dict):
        for number, (key, item) in enumerate(value.items()):
            plain = isinstance(key, PLAIN)
            yield f"{path}[{key!r}]" if plain else f"{path}[item {number}]", item
            if not plain:
                yield f"{path}[key {number}]", key
    elif isinstance(value, (list, tuple)) or type(value).__name__ == "deque":
        yield from ((f"{path}[{number}]", item) for number, item in enumerate(value))
    elif isinstance(value, (set, frozenset)):
        yield f"{path} as a list", sorted(map(repr, value)) if all(isinstance(v, PLAIN) for v in value) else len(value)


def of_object(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes of an object of the program's, of a module or of an optimiser, and of their classes."""
    kind = type(value)
    home = kind.__module__.partition(".")[0]
    if is_trusted(kind.__module__) and home not in ("torch", *LIBRARY):
        return
    for name, part in (getattr(value, "__dict__", None) or {}).items():
        if is_own(name):
            yield f"{path}.{name}", part
    if not is_trusted(kind.__module__):
        yield f"class {kind.__qualname__}", kind


def generators() -> Iterator[tuple[str, Any]]:
    """The states of the generators that everything shares."""
    yield "generator of torch", torch.get_rng_state()
    yield "generator of random", repr(random.getstate())
    if "numpy" in sys.modules:
        yield "generator of NumPy", repr(sys.modules["numpy"].random.get_state(legacy=False))


def table_of(roots: dict[str, Any]) -> Table:
    """The table of some objects, and of the generators."""
    walk = Walk()
    for path, value in roots.items():
        walk.add(path, value)
    walk.table.update(generators())
    return walk.table


def values_of(tensor: torch.Tensor) -> Optional[torch.Tensor]:
    """The values of a tensor in new memory; None for a tensor without readable values."""
    try:
        values = tensor.detach()
        values = values.to_dense() if values.layout != torch.strided else values
        return torch.empty(values.shape, dtype=values.dtype).copy_(values)
    except (RuntimeError, NotImplementedError):
        return None


def digest(value: Any) -> Any:
    """A short form of an entry of a table; entries with the same one are taken for equal."""
    return digest_of(value, values_of(value)) if isinstance(value, torch.Tensor) else value


def digest_of(tensor: torch.Tensor, values: Optional[torch.Tensor]) -> Any:
    """The short form of a tensor with these values."""
    if values is None:
        return "unreadable"
    data: Any = values.reshape(-1).view(torch.uint8).numpy() if values.numel() else b""
    return str(tensor.dtype), tuple(tensor.shape), tensor.requires_grad, zlib.crc32(data)
