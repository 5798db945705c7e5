"""What a program changes between two calls is seen by the next call, in a graph with a mended place.

Each case is a function that reads a state, and the changes of the state, one before each call. The eager program runs
on the same state as the compiled one.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import functools
import logging
import types
from typing import Any, Callable

import numpy
import pytest
import torch
from torch import nn

Change = Callable[[Any], object]
CASES: dict[str, tuple[Callable[..., Any], tuple[Change, ...]]] = {}
LIST = [1.0, 2.0]
module = types.ModuleType("module")


class Kind(enum.Enum):
    FIRST = 1
    SECOND = 2


@dataclasses.dataclass
class Options:
    scale: float = 1.0


class Item:
    factor = 2.0

    def __init__(self) -> None:
        self.value = 1.0

    @property
    def doubled(self) -> float:
        return self.value * 2

    def method(self) -> float:
        return self.value

    def __len__(self) -> int:
        return int(self.value)

    def __bool__(self) -> bool:
        return self.value > 1

    def __contains__(self, other: object) -> bool:
        return other == self.value

    def __getitem__(self, index: int) -> float:
        return self.value + index

    def __iter__(self) -> Any:
        return iter([self.value, 2.0])

    def __getattr__(self, name: str) -> float:
        if name == "computed":
            return self.value * 5
        raise AttributeError(name)


class Further(Item):
    factor = 3.0

    def method(self) -> float:
        return self.value * 7


def scaled(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


def scaled_by_name(x: torch.Tensor, *, factor: float = 2.0) -> torch.Tensor:
    return x * factor


class State:
    """All that the functions read."""

    def __init__(self) -> None:
        LIST[:] = [1.0, 2.0]
        module.value = 2.0  # type: ignore[attr-defined]
        scaled.__defaults__ = (2.0,)
        scaled_by_name.__kwdefaults__ = {"factor": 2.0}
        Item.factor = 2.0
        self.number, self.text, self.missing = 2.0, "a", None
        self.items, self.pair, self.table = [1.0, 2.0], (1.0, 2.0), {"a": 1.0, "b": 2.0}
        self.names, self.nested = {"a", "b"}, {"a": [{"b": 1.0}]}
        self.ordered, self.queue = collections.OrderedDict(a=1.0, b=2.0), collections.deque([1.0, 2.0])
        self.counts = collections.Counter(a=1)
        self.array = numpy.array([1.0, 2.0])
        self.kind, self.options, self.item = Kind.FIRST, Options(), Item()
        self.partial = functools.partial(scaled, factor=3.0)
        self.function: Any = scaled
        self.layers = nn.ModuleList([nn.Identity(), nn.Identity()])
        self.by_name = nn.ModuleDict({"a": nn.Identity()})
        self.linear, self.dropout = nn.Linear(2, 2), nn.Dropout(0.0)
        self.tensor: Any = torch.ones(2)
        self.tensors = [torch.ones(2)]
        self.space = types.SimpleNamespace(a=1.0)
        self.range, self.slice = range(3), slice(0, 1)
        self.dtype, self.size = torch.float32, torch.Size([1, 2])
        self.logger = logging.getLogger("changes between calls")
        self.logger.setLevel(logging.WARNING)


def case(*changes: Change) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(read: Callable[..., Any]) -> Callable[..., Any]:
        CASES[read.__name__] = (read, changes)
        return read

    return note


def put(name: str, *values: Any) -> tuple[Change, ...]:
    """Changes of one attribute of the state."""
    return tuple(lambda state, value=value: setattr(state, name, value) for value in values)


@case(*put("number", 3.0, 4, True, float("nan"), 0.0, -0.0))
def number(x: Any, state: Any) -> Any:
    return x / state.number if state.number else x * state.number


@case(*put("text", "b", "aa"), *put("missing", 1, []))
def constants(x: Any, state: Any) -> Any:
    return x * len(state.text) + (state.text == "b") if state.missing is None else x + len(state.text)


@case(lambda s: s.items.append(3.0), lambda s: s.items.reverse(), lambda s: s.items.clear())
def list_items(x: Any, state: Any) -> Any:
    return x * sum(state.items) + (state.items[0] if state.items else 9) + max(state.items, default=0)


@case(*put("pair", (3.0, 1.0), (3.0,)), *put("range", range(4), range(0, 4, 2)), *put("slice", slice(1, 2)))
def sequences(x: Any, state: Any) -> Any:
    return x[state.slice] * state.pair[-1] + len(state.pair) + sum(state.range)


@case(lambda s: s.table.update(c=3.0), lambda s: s.table.pop("a"), lambda s: s.table.update(a=9.0))
def table(x: Any, state: Any) -> Any:
    return x * sum(state.table.values()) + list(state.table).index("b")


@case(lambda s: s.ordered.move_to_end("a"), lambda s: s.ordered.move_to_end("b"))
def order(x: Any, state: Any) -> Any:
    return x * next(iter(state.ordered.values()))


@case(lambda s: s.names.add("c"), lambda s: s.names.discard("a"))
def names(x: Any, state: Any) -> Any:
    return x * len(state.names) + ("a" in state.names)


@case(lambda s: s.nested["a"][0].update(b=4.0), lambda s: s.nested["a"].append({"b": 5.0}))
def nested(x: Any, state: Any) -> Any:
    return x * sum(entry["b"] for entry in state.nested["a"])


@case(lambda s: s.queue.appendleft(4.0), lambda s: s.queue.rotate(1), lambda s: s.counts.update("b"))
def queue_and_counts(x: Any, state: Any) -> Any:
    return x * state.queue[0] + len(state.queue) + state.counts["b"]


@case(lambda s: s.array.__setitem__(0, 5.0), lambda s: s.array.fill(3.0))
def array(x: Any, state: Any) -> Any:
    return x * torch.from_numpy(state.array) + float(state.array[0]) + state.array.sum()


@case(*put("kind", Kind.SECOND), lambda s: setattr(s.options, "scale", 3.0), *put("options", Options(4.0)))
def members(x: Any, state: Any) -> Any:
    return x * state.kind.value * state.options.scale


@case(
    lambda s: setattr(s.item, "value", 2.0),
    lambda s: setattr(Item, "factor", 5.0),
    lambda s: setattr(s.item, "factor", 6.0),
)
def attributes(x: Any, state: Any) -> Any:
    item = state.item
    return x * item.value * item.factor * item.doubled * item.method() + item.computed


@case(lambda s: setattr(s.item, "value", 2.0), lambda s: setattr(s.item, "value", 3.0))
def operators(x: Any, state: Any) -> Any:
    item = state.item
    return x * len(item) + bool(item) + (2.0 in item) + item[1] + sum(item)


@case(
    lambda s: setattr(s.item, "__class__", Further),
    *put("item", Item()),
    lambda s: setattr(s.item, "method", lambda: 9.0),
)
def classes(x: Any, state: Any) -> Any:
    return x * state.item.method() * state.item.factor + isinstance(state.item, Further)


@case(lambda s: LIST.append(4.0), lambda s: setattr(module, "value", 5.0))
def globals_of_modules(x: Any, state: Any) -> Any:
    return x * sum(LIST) + module.value


@case(
    lambda s: setattr(scaled, "__defaults__", (4.0,)),
    lambda s: setattr(scaled_by_name, "__kwdefaults__", {"factor": 5.0}),
    lambda s: s.partial.keywords.update(factor=6.0),
    *put("function", scaled_by_name, torch.sin, lambda x: x - 1),
)
def functions(x: Any, state: Any) -> Any:
    return scaled(x) + scaled_by_name(x) + state.partial(x) + state.function(x)


@case(
    lambda s: s.layers.append(nn.ReLU()),
    lambda s: s.layers.insert(0, nn.Tanh()),
    lambda s: s.by_name.update({"b": nn.Tanh()}),
)
def layers(x: Any, state: Any) -> Any:
    for layer in state.layers:
        x = layer(x)
    for name, layer in state.by_name.items():
        x = layer(x) + len(name)
    return x * len(state.layers)


@case(
    lambda s: s.linear.eval(),
    lambda s: s.linear.weight.data.fill_(3.0),
    lambda s: setattr(s.linear, "bias", None),
    lambda s: s.linear.register_forward_hook(lambda module, inputs, output: output * 2),
    lambda s: s.linear.register_buffer("extra", torch.ones(2)),
)
def linear(x: Any, state: Any) -> Any:
    layer = state.linear
    return layer(x) * (2 if layer.training else 1) + getattr(layer, "extra", 5) + len(list(layer.buffers()))


@case(lambda s: setattr(s.dropout, "p", 1.0), lambda s: s.dropout.eval())
def dropout(x: Any, state: Any) -> Any:
    return state.dropout(x)


@case(*put("tensor", torch.zeros(2), torch.ones(3, dtype=torch.int), None), lambda s: s.tensors.append(torch.ones(2)))
def tensors(x: Any, state: Any) -> Any:
    y = x if state.tensor is None else x * state.tensor.sum() + state.tensor.dim() + len(state.tensor)
    return y * sum(state.tensors) + (state.tensors[0] is state.tensors[-1])


@case(lambda s: setattr(s.space, "b", 2.0), lambda s: delattr(s.space, "a"))
def space(x: Any, state: Any) -> Any:
    return x * len(vars(state.space)) + getattr(state.space, "a", 7) + hasattr(state.space, "b")


@case(*put("dtype", torch.float64), *put("size", torch.Size([2, 1])))
def kinds_of_tensors(x: Any, state: Any) -> Any:
    return x.to(state.dtype).reshape(state.size)


@case(lambda s: s.logger.setLevel(logging.INFO), lambda s: s.logger.setLevel(logging.ERROR))
def level(x: Any, state: Any) -> Any:
    return x + state.logger.isEnabledFor(logging.INFO)


@pytest.mark.parametrize("name", CASES)
def test_the_next_call_sees_the_change(name: str) -> None:
    torch._dynamo.reset()
    read, changes = CASES[name]

    def program(x: torch.Tensor, state: Any) -> Any:
        y = read(x, state)
        if x.sum() > 100:
            y = y + 1
        return y

    state, compiled = State(), torch.compile(program, backend="eager")
    x = torch.tensor([1.0, 2.0])
    for change in (None, None, *changes, None):
        if change is not None:
            change(state)
        torch.testing.assert_close(compiled(x, state), program(x, state), equal_nan=True)
    State()  # puts globals and defaults back
