"""What the pages of graph breaks advise is one graph: each function below is written as a page says.

The advice stands in data/breaks/causes.def; what it names in backquotes and can be executed in a few lines is here.
PYTEST_DONT_REWRITE: one of them is an assert statement.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import json
import warnings
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple

import pytest
from test_rules import run

torch = pytest.importorskip("torch", reason="torch is not installed")

ROWS = torch.tensor([1.0, -2.0, 3.0])
LEAF = torch.ones(3, requires_grad=True)
LINEAR = torch.nn.Linear(3, 3)
GRU_CELL = torch.nn.GRUCell(3, 3)
LSTM = torch.nn.LSTM(3, 3)
PARAMETER = torch.nn.Parameter(torch.ones(3))
Program = Callable[..., Any]
ADVICE: list[Any] = []


def advice(cause: str, *arguments: Any, **settings: bool) -> Callable[[Program], Program]:
    """A program that takes the advice of a cause, its arguments, and the settings that the advice names."""

    def add(program: Program) -> Program:
        ADVICE.append(pytest.param(cause, program, arguments, settings, id=f"{cause}-{program.__name__}"))
        return program

    return add


@advice("branch-on-data", ROWS)
def select(x):
    return torch.where(x.sum() > 0, x * 2, x - 1)


@advice("branch-on-data", ROWS)
def cond(x):
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))


@advice("number-from-tensor", ROWS)
def unbind(x):
    first, second, third = x.unbind()
    return first * second.detach() + third


@advice("number-from-tensor", ROWS, capture_scalar_outputs=True)
def capture_scalars(x):
    return x * x.sum().item()


@advice("size-from-data", ROWS)
def mask(x):
    return torch.where(x > 0, x, 0).sum() + torch.topk(x, 2).values.sum()


@advice("size-from-data", ROWS, torch.tensor([1, 2, 3]))
def output_size(x, repeats):
    return torch.repeat_interleave(x, repeats, output_size=6)


@advice("size-from-data", ROWS, capture_dynamic_output_shape_ops=True)
def capture_shapes(x):
    return x[x > 0].sum()


@advice("answer-from-data", ROWS, ROWS)
def equal(a, b):
    return torch.where((a == b).all() & torch.isclose(a, b).all(), a, b)


@advice("check-on-data", ROWS)
def constant_text(x):
    assert x.sum() > 0, "constant text"
    torch._assert_async(x.sum() > 0, "text")
    torch._check(x.shape[0] == 3, lambda: "three rows")
    return x * 2


@advice("builtin-without-rule", ROWS)
def guarded_print(x):
    if not torch.compiler.is_compiling():
        print(x)
    return torch.round(torch.stack([x, x]).sum())


@advice("gradients-inside", ROWS)
def transforms(x):
    return (
        torch.func.grad(lambda y: (y * y).sum())(x),
        torch.func.vjp(torch.sin, x)[1](x),
        torch.func.jvp(torch.sin, (x,), (x,)),
    )


@advice("gradients-inside", LEAF, trace_autograd_ops=True)
def autograd_grad(x):
    return torch.autograd.grad((x * x).sum(), x)[0]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.factor = 3
        signs = x > 0
        ctx.mark_non_differentiable(signs)
        return x**3, signs

    @staticmethod
    def backward(ctx, gradient, _):
        (x,) = ctx.saved_tensors
        return gradient * ctx.factor * x**2


@advice("custom-gradient", LEAF)
def plain_function(x):
    return Cube.apply(x)[0].sum()


@advice("gradient-hook", LEAF)
def local_handle(x):
    handle = x.register_hook(lambda gradient: gradient * 2)
    handle.remove()
    return x * 2


@advice("recurrent-module", torch.ones(2, 1, 3))
def cell(x):
    state = x.new_zeros(1, 3)
    for step in x.unbind():
        state = GRU_CELL(step, state)
    return state


@advice("recurrent-module", torch.ones(2, 1, 3), allow_rnn=True)
def allowed(x):
    return LSTM(x)[0]


class Kind(enum.Enum):
    SCALE = 2


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclasses.dataclass
class Options:
    scale: int = 1


@advice("class-in-graph", ROWS)
def instances(x):
    pair = Pair(x, Options(3))
    return pair.left * pair.right.scale * Kind.SCALE.value


@contextlib.contextmanager
def region() -> Iterator[int]:
    yield 2


@advice("context-manager", ROWS)
def known_managers(x):
    with torch.no_grad(), region() as scale:
        x = x * scale
    with torch.autocast("cpu"), torch.profiler.record_function("part"):
        return x @ x


@advice("type-test", ROWS)
def plain_classes(x):
    return x * isinstance(x, (int, torch.Tensor))


@advice("ordering-by-data", ROWS, -ROWS)
def ordered(a, b):
    rows = torch.stack([a, b])
    order = rows.sum(1).argsort()
    return rows.index_select(0, order), torch.minimum(a, b), torch.sort(a)


@advice("key-of-dictionary", ROWS)
def tuple_key(x):
    return x * {("scale", 1): 2}["scale", 1]


@advice("parameter-in-graph", ROWS, torch.ones(3, 3))
def other_parameters(x, weight):
    return torch.func.functional_call(LINEAR, {"weight": weight, "bias": x}, (x,))


@advice("change-of-layout", ROWS)
def views(x):
    return x[:2], x.reshape(3, 1).t(), x.as_strided((2,), (1,)), torch.cat([x, x])


@advice("assignment-to-data", ROWS)
def write_into(x):
    with torch.no_grad():
        PARAMETER.copy_(x)
    return PARAMETER.double()


@advice("question-about-a-tensor", ROWS)
def known_answers(x):
    return x * x.requires_grad + torch.is_grad_enabled() + (x is x)


@advice("sparse-or-nested", ROWS, torch.tensor([0, 2, 1]))
def dense(x, rows):
    zeros = x.new_zeros(3)
    sums = torch.segment_reduce(x, "sum", lengths=torch.tensor([1, 2]))
    return zeros.index_add(0, rows, x), zeros.scatter_add(0, rows, x), sums


@torch.library.custom_op("advice::positive", mutates_args=())
def positive(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0]


@positive.register_fake
def _(x):
    return x.new_empty(torch.library.get_ctx().new_dynamic_size())


@torch.library.custom_op("advice::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


double.register_fake(torch.empty_like)
double.register_autograd(lambda ctx, gradient: gradient * 2)


@advice("operator-without-fake-kernel", ROWS)
def dynamic_operator(x):
    return positive(x).sum()


@advice("custom-gradient", LEAF)
def operator(x):
    return double(x).sum()


@advice("function-transform", ROWS)
def inside(x):
    return torch.vmap(torch.sin)(x)


@advice("random-numbers", ROWS)
def generators(x):
    return x + torch.rand(3) + torch.randn(3) + torch.randint(0, 3, (3,)) + torch.randperm(3)


@advice("symbolic-size", ROWS, torch.tensor(2))
def told(x, count):
    size = count.item()
    torch._check(size >= 0)
    torch._check(size <= x.shape[0])
    return x[:size].sum()


@advice("text-of-an-object", ROWS)
def text_of_sizes(x):
    return x * len(f"{x.shape[0]}")


@advice("device-and-stream", ROWS)
def constant_device(x):
    return torch.zeros(3, device=torch.device("cpu")) + x.new_ones(3, device=x.device)


@pytest.mark.parametrize("cause, program, arguments, settings", ADVICE)
def test_advice_is_one_graph(
    cause: str, program: Program, arguments: tuple[Any, ...], settings: dict[str, bool]
) -> None:
    torch._dynamo.reset()
    state = torch.get_rng_state()
    try:
        with warnings.catch_warnings(), torch._dynamo.config.patch(**settings):
            warnings.simplefilter("ignore")
            compiled = torch.compile(program, backend="eager", fullgraph=True)
            torch.manual_seed(1)
            found = compiled(*arguments)
            torch.manual_seed(1)
            torch.testing.assert_close(found, program(*arguments))
    finally:
        torch._dynamo.reset()
        torch.set_rng_state(state)


def test_settings_and_causes_exist(executable: str) -> None:
    pages = json.loads(run(executable, "rule", "--all", "--output-format", "json"))
    texts = {page["cause"]: page["advice"] for page in pages if page["kind"] == "break"}
    for one in ADVICE:
        cause, _, _, settings = one.values
        assert all(f"torch._dynamo.config.{name} = True" in texts[cause] for name in settings), (cause, settings)
