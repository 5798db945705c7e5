"""Canaries: small programs that show, for each hook, whether Dynamo calls the hook.

    torch.sorting = replacement     # the attribute exists and can be replaced
    compiled(x)                     # and Dynamo may still never call the replacement

From torch 2.15 on, tables hold functions that used to be methods, and Dynamo never calls a replaced method. So the
programs of CALLS are traced, and a capability whose hooks were not called is missing in the release. Programs that
guards must reject are in `guard_canaries.py`.

usage: python -m graphmend.canaries     prints the result as JSON
"""

from __future__ import annotations

import bisect
import contextlib
import functools
import itertools
import json
import operator
import random
import sys
import types
import warnings
from typing import Any, Callable

import torch

from . import terminal
from .runtime.base import hooks, torch_names, trace_state

Program = tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]
CALLS: dict[str, Program] = {}


def calls(*make: Callable[[], Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a program, with a factory for each argument."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        CALLS[function.__name__] = function, lambda: tuple(item() for item in make)
        return function

    return add


def floats() -> torch.Tensor:
    return torch.arange(1.0, 5.0)


def integers() -> torch.Tensor:
    return torch.arange(4)


class Counter:
    steps = 0

    def __init__(self) -> None:
        self.seen = 0

    def step(self, by: int) -> int:
        self.seen += by
        return self.seen


class Derived(Counter):
    def step(self, by: int) -> int:
        return super().step(by)


class Labels(dict):  # type: ignore[type-arg]
    pass


@calls(floats)
def tensors(x: Any) -> Any:
    x.requires_grad_(True)
    y = torch.relu(x) * x.shape[0]
    hasattr(y, "grad_fn"), isinstance(y, torch.Tensor), y.dtype
    handle = y.register_hook(operator.neg)
    handle.remove()
    return y.to(torch.float32) if y is not x else x


@calls(floats)
def gradients(x: Any) -> Any:
    weight = torch.ones(4, requires_grad=True)
    loss = (weight * x).sum()
    loss.backward()
    weight.requires_grad = False
    return weight.grad


@calls(floats)
def retained(x: Any) -> Any:
    weight = torch.ones(4, requires_grad=True)
    middle = weight * x
    middle.retain_grad()
    middle.sum().backward()
    return middle.grad


@calls(floats, integers)
def numbers(x: Any, n: Any) -> Any:
    first, second = x[0].item(), n[1].item()
    values = n.tolist()
    found = first < 2.0, first is None, first is not None, max(first, 1), second in [1, 2], second in range(3)
    odd = first <= 1, first > 1, first >= 1, first == 1, first != 1, second in {1: 2}.items()
    return x * sum(values), f"{second}", f"{first:.2f}", found, odd, sorted([first, 2.0])


@calls(floats)
def sets(x: Any) -> Any:
    found = {1, 2}
    found.add(len(x))
    return x, [number for number in found]


@calls(floats)
def containers(x: Any) -> Any:
    pairs = {"a": 1, "b": 2}
    members = x.shape[0] in pairs.values(), ("a", 1) in pairs.items(), 3 in range(5), 1 in [1, 2], 2 in (1, 2)
    names = {x.shape[0]: 1, (1, x.shape[0]): 2, "s": 3}
    groups = [list(group) for _, group in itertools.groupby([1, 1, 2])]
    rows = [1, 2]
    rows.append(3)
    rows.sort()
    proxy = types.MappingProxyType(pairs)
    views = len(proxy), list(proxy), "a" in proxy, proxy == pairs, proxy.keys()
    return x + len(groups) + rows[0] + sum(members) + len(names) + len(views)


class Names:
    def __contains__(self, name: object) -> bool:
        return name == "a"


@calls(floats)
def members(x: Any) -> Any:
    names, steps = Names(), numbers_of(3)
    found = {"a": 1}.get("a"), {1, 2}.pop(), 3 in {1, 2}, {1}.issubset({1}), "a" in names, operator.contains(names, "b")
    next(steps)
    try:
        steps.throw(KeyError("a"))
    except KeyError:
        steps.close()
    return x + 1, found, str(object.__repr__(names) == "")


PROXY = types.MappingProxyType({"a": 1})


@calls(floats)
def proxies(x: Any) -> Any:
    return x + len(PROXY), [*PROXY], "a" in PROXY, PROXY == {"a": 1}, dict(PROXY.items())


COUNTER, DERIVED = Counter(), Derived()


@calls(floats)
def objects(x: Any) -> Any:
    COUNTER.seen += 1
    Counter.steps += 1
    made = Derived()
    made.seen = made.step(2) + getattr(Counter, "steps", 0) + COUNTER.seen
    hasattr(Counter, "absent"), hasattr(made.step, "__func__"), hasattr(operator_of, "absent"), operator_of.__name__
    vars(made), COUNTER.__dict__, type(made), isinstance(made, Counter)
    return x + made.seen + DERIVED.step(1)


def operator_of(x: Any) -> Any:
    return x + 1


@functools.lru_cache(maxsize=None)
def cached(n: int) -> int:
    return n + 1


def numbers_of(n: int) -> Any:
    yield from range(n)


@calls(floats)
def functions(x: Any) -> Any:
    def inner(y: Any) -> Any:
        return y + x

    rows = [*numbers_of(3)]
    found = bisect.bisect([1, 2, 3], 2) + cached(2) + len(rows) + bytes([1])[0] + "a b".split().index("b")
    return torch.vmap(inner)(x) + found, sys.intern("a"), dict.fromkeys("ab"), functools.reduce(operator.add, rows)


@calls(floats)
def leaving(x: Any) -> Any:
    return (item for item in [x, x + 1])


@calls(floats)
def held(x: Any) -> Any:
    return {"rest": numbers_of(3), "x": x + 1}


@calls(floats)
def blocks(x: Any) -> Any:
    with torch.no_grad(), warnings.catch_warnings(), contextlib.suppress(KeyError):
        y = x + 1
    with torch.device("cpu"):
        y = y + torch.ones(4)
    return y


@calls(floats)
def drawn(x: Any) -> Any:
    return x * random.random() * random.uniform(1, 2)


@calls(floats)
def drawn_by_another(x: Any) -> Any:
    return x * random.Random(3).random()


@calls(floats)
def generators(x: Any) -> Any:
    return x + torch.rand(4, generator=torch.Generator().manual_seed(1))


@calls(floats)
def texts(x: Any) -> Any:
    label = "{} {}".format(x.shape[0], x.sum().item())
    return x, f"{x.sum()}", label, {label: 1}.keys()


@calls(floats)
def branches(x: Any) -> Any:
    if x.sum() > 0:
        x = x + 1
    while x.sum() > 100:
        x = x - 1
    return x if [x, x] else -x


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, first: Any, second: Any) -> Any:
        return first + second

    @staticmethod
    def backward(context: Any, gradient: Any) -> Any:
        return gradient, gradient


@calls(lambda: torch.ones(3, requires_grad=True))
def derivatives(x: Any) -> Any:
    return Doubled.apply(x, x)  # type: ignore[no-untyped-call]


@calls(floats)
def modules(x: Any) -> Any:
    return torch.nn.Linear(4, 2)(x)


MODEL = torch.nn.Linear(4, 2)
OPTIMIZER = torch.optim.SGD(MODEL.parameters(), lr=0.1, momentum=0.9)


@calls(floats)
def optimizers(x: Any) -> Any:
    MODEL(x).sum().backward()
    OPTIMIZER.step()
    OPTIMIZER.zero_grad()
    return x


@calls(floats)
def arrays(x: Any) -> Any:
    import numpy as np

    rows = x.numpy()
    found = np.add.reduce(rows), rows.dtype, rows + np.ones(4, dtype=np.float32), rows.sum()
    return np.sort(rows), np.nonzero(rows), found


@calls(lambda: torch.ones(3), lambda: 3)
def sizes(x: Any, n: int) -> Any:
    return x * n, str(n)


def traced(program: Program) -> None:
    """Trace a program as a whole call; errors of the trace are ignored."""
    function, make = program
    torch_names.dynamo.reset()
    compiled = torch.compile(function, backend="eager")
    for _ in range(2):
        with contextlib.suppress(Exception):
            compiled(*make())


def uncalled() -> list[str]:
    """The capabilities with hooks that the table has found and no program of CALLS has called."""
    hooks.counted.append(True)
    hooks.calls.clear()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for program in CALLS.values():
                traced(program)
    finally:
        hooks.counted.clear()
    hooked = {hook.capability for hook in hooks.all_hooks()} & hooks.table().keys()
    return sorted(name for name in hooked if not hooks.calls[name])


def main() -> None:
    from . import guard_canaries
    from .runtime.driver import install, modes

    modes.trusted.append(True)
    install.install_compile()
    trace_state.registry.add_sites(1)
    terminal.say(
        json.dumps({"torch": torch_names.version(), "uncalled": uncalled(), "passing": guard_canaries.passing()})
    )


if __name__ == "__main__":
    main()
