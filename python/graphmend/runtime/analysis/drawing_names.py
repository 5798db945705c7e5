"""The names by which code may ask torch for random numbers.

The runtime reads the code of untraced functions, where a draw is just a name:

    def corrupt(self, x):
        return x + self.noise.sample(x.shape)     # `Normal.sample` uses `torch.normal`, a drawing operator:
        # `sample` counts as drawing, for every object

An operator draws if an overload has the tag `nondeterministic_seeded`. A function of torch in Python draws if the code
of the function uses a drawing name. Bytecode does not tell the owner of a name, and code with a drawing name counts as
drawing for every owner.
"""

from __future__ import annotations

import functools
import types

import torch

from ..base.torch_names import OpOverloadPacket
from . import aten_facts

DEPTH = 3  # calls between a function and the operator that draws


@functools.lru_cache(maxsize=None)
def drawing_names() -> frozenset[str]:
    """The names of operators, methods and functions of torch that may draw."""
    homes = (torch, torch.Tensor, torch.nn.functional, torch.nn.init)
    names = {name for home in homes for name in dir(home) if not name.startswith("__") and is_drawing(name)}
    functions = {
        name: member
        for home in homes
        for name, member in list(vars(home).items())
        if isinstance(member, types.FunctionType) and str(member.__module__).startswith("torch")
    }
    while True:
        new_names = {name for name, function in functions.items() if name not in names and uses(function, names, DEPTH)}
        if not new_names:
            return frozenset(names)
        names |= new_names


def uses(function: types.FunctionType, names: set[str], depth: int) -> bool:
    """Whether the code of a function, or of a function named in the code, uses one of the names; `depth` bounds the
    search.
    """
    used = function.__code__.co_names
    if not names.isdisjoint(used):
        return True
    inner = (function.__globals__.get(name) for name in used if depth)
    return any(
        isinstance(function_named, types.FunctionType) and uses(function_named, names, depth - 1)
        for function_named in inner
    )


def is_drawing(name: str) -> bool:
    """Whether an overload of the operator with this name draws."""
    packet = getattr(torch.ops.aten, name, None)
    if not isinstance(packet, OpOverloadPacket):
        return False
    return any(aten_facts.draws(getattr(packet, overload)) for overload in packet.overloads())
