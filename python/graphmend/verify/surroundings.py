"""State that a compiled callable can change besides arguments: modules, globals, attributes, random generators."""

from __future__ import annotations

import hashlib
import os
import random
import sys
import types
from collections.abc import Iterator
from typing import Any

import torch

from .values import OPAQUE, Describer

WRAPPERS = os.path.join("torch", "_dynamo", "external_utils.py")
MODULE_ATTRIBUTES = frozenset(torch.nn.Module().__dict__)


def entry_of(function: Any) -> Any:
    """The first function of a compiled callable; `forward` of a module."""
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if isinstance(owner, torch.nn.Module) and name in ("_wrapped_call_impl", "__call__", "_call_impl"):
        function = type(owner).forward
    return getattr(function, "__func__", function)


def program_part(function: Any) -> Any:
    """The object that the program has compiled, without the functions of Dynamo around the object."""
    while isinstance(function, types.FunctionType) and function.__code__.co_filename.endswith(WRAPPERS):
        inside = dict(zip(function.__code__.co_freevars, function.__closure__ or ())).get("fn")
        if inside is None:
            break
        function = inside.cell_contents
    return function.__call__ if isinstance(function, torch.nn.Module) else function


def is_data(value: Any) -> bool:
    """Whether a value found in a namespace is state and not code."""
    return not isinstance(value, (*OPAQUE, staticmethod, classmethod, property)) and not callable(value)


def names_used(code: types.CodeType) -> set[str]:
    """The global names in a function and in nested functions."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= names_used(constant)
    return found


class Surroundings:
    """The state around one callable, functions of its modules included."""

    def __init__(self, function: Any, prefix: str = "") -> None:
        self.prefix = prefix
        self.function = function
        self.owner = getattr(function, "__self__", None)
        self.entry = entry_of(function)
        self.modules: dict[str, torch.nn.Module] = {}
        if isinstance(self.owner, torch.nn.Module):
            self.modules["self"] = self.owner
        for name, value in self.outer():
            if isinstance(value, torch.nn.Module):
                self.modules.setdefault(name, getattr(value, "_orig_mod", value))

    def functions(self) -> list[types.FunctionType]:
        """The functions whose globals belong to the state, each once."""
        found = [self.entry]
        for module in [self.owner] if isinstance(self.owner, torch.nn.Module) else []:
            found += [type(part).forward for part in module.modules()]
        return [one for one in dict.fromkeys(found) if isinstance(one, types.FunctionType)]

    def outer(self) -> Iterator[tuple[str, Any]]:
        """Globals, cells and attributes that the callable may use, by name."""
        for function in self.functions():
            home = function.__module__ or ""
            if home.partition(".")[0] == "torch":
                continue
            for name in sorted(names_used(function.__code__) & function.__globals__.keys()):
                yield f"{home}.{name}", function.__globals__[name]
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
                try:
                    yield f"{function.__qualname__}.{name}", cell.cell_contents
                except ValueError:
                    continue  # not bound yet
            for name, value in vars(function).items():
                yield f"{function.__qualname__}.{name}", value
        if self.owner is not None and not isinstance(self.owner, (torch.nn.Module, type)):
            for name, value in sorted(getattr(self.owner, "__dict__", {}).items()):
                yield f"self.{name}", value

    def state(self, describer: Describer) -> dict[str, Any]:
        """Buffers, plain attributes, globals and cells."""
        found = {self.prefix + name: describer.value(value) for name, value in self.outer() if is_data(value)}
        for root, module in self.modules.items():
            for name, buffer in module.named_buffers():
                found[f"{self.prefix}{root}.{name}"] = describer.value(buffer)
            for prefix, part in module.named_modules():
                for name, value in sorted(vars(part).items()):
                    if name not in MODULE_ATTRIBUTES and is_data(value):
                        found[self.prefix + ".".join(filter(None, (root, prefix, name)))] = describer.value(value)
        return found

    def parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """The parameters of all modules at hand, by name."""
        for root, module in self.modules.items():
            for name, parameter in module.named_parameters():
                yield f"{self.prefix}{root}.{name}", parameter


def digest(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()[:16]


def random_states() -> dict[str, str]:
    """Digests of the states of all random generators of the process."""
    found = {
        "torch": digest(bytes(torch.get_rng_state().tolist())),
        "random": digest(repr(random.getstate()).encode()),
    }
    numpy = sys.modules.get("numpy")
    if numpy is not None and "numpy.random" in sys.modules:
        found["numpy"] = digest(repr(numpy.random.get_state()).encode())
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        for number in range(torch.cuda.device_count()):
            found[f"cuda {number}"] = digest(bytes(torch.cuda.get_rng_state(number).tolist()))
    return found
