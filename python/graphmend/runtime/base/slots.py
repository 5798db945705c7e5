"""Slots: the places of the installed torch that hooks replace, found by the rows of `torch_names`.

    "optimizer.init_group": "OptimizerVariable.tp_methods['_init_group'].handler(self, tx, args, kwargs)"
    slot = find("optimizer.init_group")[0]     # owner: the entry of the table; step: the attribute `handler`
    before = slot.write(function)              # slot.put_back(before) undoes the write

A slot is an attribute of a class or module, or an item of a table. The slot knows its function and the wrapper around
the function (`classmethod`, `staticmethod`), and puts a replacement into the same wrapper.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import types
from collections.abc import Iterator
from typing import Any, Callable

import torch

from . import torch_names
from .torch_names import ABSENT, MissingName
from .torch_tables.places import EVERY, KEYS, MODULES, Place, Step, parse

Function = Callable[..., Any]


@dataclasses.dataclass
class Slot:
    """One place that can be read, written and put back."""

    place: Place
    owner: Any
    step: Step
    given_key: bool = False  # the function takes the key of the item first, and stands for every item of a table

    @property
    def key(self) -> Any:
        """The key of the item, for a slot of a table."""
        if self.step.kind != "symbol":
            return self.step.name
        operator: Any = torch.ops
        for name in KEYS[self.step.name].split("."):
            operator = getattr(operator, name)
        return operator

    def read(self) -> Any:
        """The content of the slot itself; ABSENT where a class inherits the content."""
        if self.step.kind != "attribute":
            return self.owner.get(self.key, ABSENT)
        if isinstance(self.owner, (type, types.ModuleType)):
            return vars(self.owner).get(self.step.name, ABSENT)
        return getattr(self.owner, self.step.name)

    def function(self) -> Function:
        """The function in force at the slot, without a wrapper."""
        if self.step.kind != "attribute":
            function = self.owner[self.key]
            return without_key(function) if self.given_key else function
        function = self.read()
        if function is ABSENT:
            function = inspect.getattr_static(self.owner, self.step.name)
        return getattr(function, "__func__", function)  # type: ignore[no-any-return]

    def write(self, function: Function) -> Any:
        """Put a function into the slot, in the wrapper of the present function; returns the argument of `put_back`."""
        before = self.read()
        if self.step.kind != "attribute":
            self.owner[self.key] = functools.partial(function, self.key) if self.given_key else function
            return before
        present = inspect.getattr_static(self.owner, self.step.name) if before is ABSENT else before
        wrapper = type(present) if isinstance(present, (classmethod, staticmethod)) else None
        setattr(self.owner, self.step.name, wrapper(function) if wrapper else function)
        return before

    def put_back(self, before: Any) -> None:
        """Undo `write`."""
        if self.step.kind != "attribute":
            self.owner[self.key] = before
        elif before is ABSENT:
            delattr(self.owner, self.step.name)
        else:
            setattr(self.owner, self.step.name, before)


def find(capability: str) -> list[Slot]:
    """The slots of a capability in the installed torch; raises MissingName."""
    row = torch_names.release().places.get(capability)
    if row is None:
        raise MissingName(capability, None)
    return [slot for place in parse(row) for slot in each_item(slot_of(place, capability))]


def each_item(slot: Slot) -> list[Slot]:
    """The slots behind a slot with the key EVERY: a slot for each item of the table."""
    if slot.step.name != EVERY:
        return [slot]
    return [Slot(slot.place, slot.owner, Step("key", key), True) for key in slot.owner]


def without_key(function: Function) -> Function:
    """A function of an item, called with the key in front."""

    def call(key: str, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


def slot_of(place: Place, capability: str) -> Slot:
    """The slot at a place; raises MissingName where a step is missing, or the function takes fewer arguments."""
    owner: Any
    if place.owner in MODULES:
        try:
            owner = importlib.import_module(MODULES[place.owner])
        except ImportError:
            raise MissingName(capability, place.text) from None
    else:
        owner = torch_names.find(place.owner)
    try:
        for step in place.steps[:-1]:
            owner = getattr(owner, step.name) if step.kind == "attribute" else owner[step.name]
        slot = Slot(place, owner, place.steps[-1])
        function = each_item(slot)[0].read() if slot.step.name == EVERY else slot.function()
    except (AttributeError, KeyError, IndexError, TypeError):
        raise MissingName(capability, place.text) from None
    if not callable(function) or not takes(function, place.parameters):
        raise MissingName(capability, place.text)
    return slot


def by_position(signature: inspect.Signature) -> list[inspect.Parameter]:
    """The parameters that take an argument by position."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [parameter for parameter in signature.parameters.values() if parameter.kind in kinds]


def takes(function: Function, expected: tuple[str, ...]) -> bool:
    """Whether a function takes the expected arguments by position, with Dynamo's translator `tx` at the same place."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # written in C
        return True
    if any(parameter.kind is inspect.Parameter.VAR_POSITIONAL for parameter in signature.parameters.values()):
        return True
    names = [parameter.name for parameter in by_position(signature)][: len(expected)]
    return len(names) == len(expected) and all((a == "tx") == (b == "tx") for a, b in zip(names, expected))


def all_found() -> Iterator[tuple[str, list[Slot], str]]:
    """Every capability with its slots, or with the reason for their absence."""
    for capability in torch_names.release().places:
        try:
            yield capability, find(capability), ""
        except MissingName as error:
            yield capability, [], str(error)
