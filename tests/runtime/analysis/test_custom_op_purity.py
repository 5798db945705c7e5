"""Custom operators written in Python: which of them only compute."""

from __future__ import annotations

import functools
import random
from typing import Any, Callable

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm
from graphmend.runtime.analysis import custom_op_purity

GUARD = "m.py:1:0:GM401"
SEEN: list[int] = []
TABLE = torch.ones(3)
SCALE, LIMIT = 2, 0


def grouped(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    out, start = torch.zeros_like(x), 0
    for i, end in enumerate(ends.tolist()):
        if start == end:
            continue
        torch.mul(x[start:end], i + SCALE, out=out[start:end])
        start = end
    if out.shape[0] < 1:
        raise ValueError("empty")
    return out.to(torch.float32).contiguous()


def prints(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    print("inside")
    return x * 2


def remembers(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    SEEN.append(1)
    return x * 2


def counts(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    global LIMIT
    LIMIT += 1
    return x * 2


def writes(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    TABLE.add_(1)
    return x * 2


def draws(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    return x + torch.rand_like(x)


def drops(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    return torch.feature_dropout(x, 0.5, True)


def fills(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x).uniform_()


def chooses(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    return x * random.random()


def seeds(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    torch.manual_seed(1)
    return x * 2


def imports(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    import os

    os.environ["GRAPHMEND_TEST"] = "1"
    return x * 2


def hides(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    library = torch
    library.manual_seed(1)
    return x * 2


def marks(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    ends.seen = True
    return x * 2


def calls(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    return (lambda y: prints(y, y))(x)


def opens(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return x * 2


def enclosing() -> Callable[..., Any]:
    seen: list[int] = []

    def kernel(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
        seen.append(1)
        return x * 2

    return kernel


def defined(name: str, kernel: Callable[..., Any]) -> Any:
    """A custom operator with this kernel."""
    definition = torch.library.custom_op(
        f"graphmend_tests::{name}", kernel, mutates_args=(), schema="(Tensor x, Tensor ends) -> Tensor"
    )
    definition.register_fake(lambda x, ends: torch.empty_like(x))
    return definition


def overload(definition: Any) -> Any:
    return definition._opoverload


def test_a_kernel_that_computes() -> None:
    definition = defined("grouped", grouped)
    assert custom_op_purity.only_computes(overload(definition))
    assert custom_op_purity.only_computes(torch.ops.graphmend_tests.grouped)


KERNELS = [prints, remembers, counts, writes, draws, drops, fills, chooses, seeds, imports, hides, marks, calls, opens]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_that_does_more(kernel: Any) -> None:
    assert not custom_op_purity.only_computes(overload(defined(kernel.__name__, kernel)))


def test_a_kernel_with_variables_of_its_own() -> None:
    assert not custom_op_purity.only_computes(overload(defined("enclosed", enclosing())))


def test_another_kernel_for_a_device() -> None:
    definition = defined("twice", grouped)
    definition.register_kernel("cpu")(prints)
    assert not custom_op_purity.only_computes(overload(definition))


def test_a_kernel_that_is_replaced() -> None:
    definition = defined("replaced", grouped)
    definition.register_kernel(None)(prints)
    assert not custom_op_purity.only_computes(overload(definition))


def saves(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
    ctx.save_for_backward(inputs[0])
    ctx.ends = inputs[1]


def saves_and_tells(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
    print("saved")


@pytest.mark.parametrize("setup, found", [(saves, True), (saves_and_tells, False)])
def test_what_is_kept_for_gradients(setup: Any, found: bool) -> None:
    definition = defined(setup.__name__, grouped)
    definition.register_autograd(lambda ctx, gradient: (gradient, None), setup_context=setup)
    assert custom_op_purity.only_computes(overload(definition)) is found


def library_operator() -> Any:
    torch.library.define("graphmend_tests::of_a_library", "(Tensor x, Tensor ends) -> Tensor")
    torch.library.impl("graphmend_tests::of_a_library", "cpu", grouped)
    return torch.ops.graphmend_tests.of_a_library.default


def mutable_operator() -> Any:
    def kernel(x: torch.Tensor) -> None:
        x.add_(1)

    return overload(torch.library.custom_op("graphmend_tests::mutable", kernel, mutates_args=["x"]))


OTHERS: dict[str, Callable[[], Any]] = {
    "an operator of torch": lambda: torch.ops.aten.add.Tensor,
    "all its overloads": lambda: torch.ops.aten.add,
    "an operator that calls functions": lambda: torch.ops.higher_order.cond,
    "a function of torch": lambda: torch.add,
    "a method": lambda: torch.Tensor.add,
    "the kernel itself": lambda: grouped,
    "an operator of a library": library_operator,
    "an operator that writes": mutable_operator,
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_custom_operator_that_computes(name: str) -> None:
    assert not custom_op_purity.only_computes(OTHERS[name]())


def generator(x: torch.Tensor) -> Any:
    yield x


async def coroutine(x: torch.Tensor) -> Any:
    return x


class Callables:
    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


@pytest.mark.parametrize(
    "function", [generator, coroutine, Callables(), torch.sin, functools.partial(grouped)], ids=str
)
def test_what_is_no_function_that_computes(function: Any) -> None:
    assert custom_op_purity.computes(grouped) and not custom_op_purity.computes(function)


OPERATOR = defined("guarded", grouped)


def guarded(x: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    y = OPERATOR(x, ends)
    test = y.sum() < 0
    if _gm.on(GUARD) and _gm.check(GUARD, test):
        pass
    elif test:
        raise ValueError(f"negative: {float(y.sum()):.2f}")
    return y + 1


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_guard_behind_an_operator_that_computes(backend: str) -> None:
    inputs = [
        lambda: (torch.arange(6.0).reshape(3, 2), torch.tensor([1, 1, 3])),
        lambda: (-torch.arange(6.0).reshape(3, 2), torch.tensor([0, 2, 3])),
    ]
    outcome = compare(lambda: guarded, inputs, grad=False, backend=backend)
    assert outcome.graphs == 1 and outcome.mended("GM401"), outcome.report
