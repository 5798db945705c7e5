"""Compiled callables inside compiled callables: nesting, recursion, closures, and code that only eager Python runs."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [
    lambda: (torch.tensor([1.0, 2.0, 3.0]),),
    lambda: (torch.tensor([-1.0, -2.0, 0.5]),),
    lambda: (torch.tensor([200.0, 1.0, 1.0]),),
]

# In front of every program: an effect, a branch and a guard.
STEP = """
    import torch
    def step(x, name="step"):
        y = x * 2
        print(name, "sum", round(y.sum().item(), 2))
        if y.mean() > 1:
            y = y + 1
        else:
            y = y - 1
        if y.max() > 300:
            raise ValueError(f"{name}: maximum {y.max().item():.1f}")
        print(name, "done")
        return y.tanh()
    """

PROGRAMS = {
    "inside": """
        inner = torch.compile(step, backend="eager")
        def f(x):
            print("outer")
            y = inner(x)
            print("between")
            return y + inner(x / 2, "second")
        """,
    "three deep": """
        first = torch.compile(step, backend="eager")
        def middle(x):
            print("middle")
            return first(x) + step(x, "plain")
        second = torch.compile(middle, backend="eager")
        def f(x):
            y = second(x)
            print("outer", tuple(y.shape))
            return y * 2
        """,
    "inside, with another backend and dynamic shapes": """
        inner = torch.compile(step, backend="aot_eager", dynamic=True)
        def f(x):
            return inner(x) * inner(x[:2].sum().reshape(1), "part")
        """,
    "inside, behind a break": """
        inner = torch.compile(step, backend="eager")
        def f(x):
            y = inner(x, "before")
            torch._dynamo.graph_break()
            print("behind")
            return y + inner(x, "behind")
        """,
    "inside, in a frame that is skipped": """
        inner = torch.compile(step, backend="eager")
        def f(x):
            for number in range(2):
                print("round", number)
                torch._dynamo.graph_break()
                x = inner(x, f"round {number}")
            return x
        """,
    "inside, in a function that is disabled": """
        inner = torch.compile(step, backend="eager")
        @torch.compiler.disable
        def eager(x):
            print("eager", round(x.sum().item(), 2))
            return inner(x, "eager")
        def f(x):
            y = step(x, "front")
            return eager(x) + step(y, "back")
        """,
    "compiled where it is called": """
        def f(x):
            return torch.compile(step, backend="eager")(x) + 1
        """,
    "compiled twice": """
        f = torch.compile(torch.compile(step, backend="eager"), backend="eager")
        """,
    "decorated, with and without arguments": """
        @torch.compile(backend="eager")
        def first(x):
            return step(x, "first")
        @torch.compile(backend="eager", fullgraph=True)
        def second(x):
            return step(x, "second")
        def f(x):
            return first(x) - second(x)
        """,
    "recursion": """
        def f(x, depth=3):
            print("depth", depth)
            if depth == 0:
                return x
            return f(step(x, f"level {depth}"), depth - 1)
        """,
    "recursion through the compiled callable": """
        def down(x, depth):
            y = step(x, f"level {depth}")
            return y if depth == 0 else compiled(y, depth - 1)
        compiled = torch.compile(down, backend="eager")
        def f(x):
            return compiled(x, 2)
        """,
    "recursion through the compiled callable in eager code": """
        @torch.compiler.disable
        def again(x, depth):
            print("again", depth)
            return compiled(x, depth)
        def down(x, depth):
            y = step(x, f"level {depth}")
            return y if depth == 0 else again(y, depth - 1)
        compiled = torch.compile(down, backend="eager")
        def f(x):
            return compiled(x, 2) + 1
        """,
    "closures": """
        def make_inner(factor):
            seen = []
            @torch.compile(backend="eager")
            def inner(x):
                seen.append(round(x.sum().item(), 2))
                return step(x * factor, f"factor {factor}")
            return inner, seen
        def make():
            (one, first), (two, second) = make_inner(1), make_inner(2)
            def f(x):
                return one(x) + two(x)
            f.shown = lambda: repr((first, second))
            return f
        """,
    "lambdas, partials, methods and callables": """
        import functools
        class Callable:
            def __init__(self, scale):
                self.scale = scale
            def __call__(self, x):
                print("callable", self.scale)
                return step(x * self.scale, "callable")
            def method(self, x):
                return step(x - self.scale, "method")
        owner = Callable(3)
        parts = [
            torch.compile(lambda x: step(x, "lambda"), backend="eager"),
            torch.compile(functools.partial(step, name="partial"), backend="eager"),
            torch.compile(owner.method, backend="eager"),
            torch.compile(owner, backend="eager"),
        ]
        def f(x):
            return sum(part(x) for part in parts)
        """,
    "generator that is compiled": """
        def rows(x):
            for index in range(3):
                print("row", index)
                yield step(x[index : index + 1], f"row {index}")
        compiled = torch.compile(rows, backend="eager")
        def f(x):
            total = 0
            for row in compiled(x):
                print("got", row.item() > 0)
                total = total + row
            return total
        """,
    "generator that calls what is compiled": """
        inner = torch.compile(step, backend="eager")
        def rows(x):
            try:
                for index in range(3):
                    yield inner(x[index : index + 1], f"row {index}")
            finally:
                print("closed")
        def f(x):
            total = x.sum() * 0
            for number, row in enumerate(rows(x)):
                if number == 2:
                    break
                total = total + row
            return total
        """,
    "handlers around what is compiled": """
        inner = torch.compile(step, backend="eager")
        def f(x):
            try:
                y = inner(x)
            except ValueError as error:
                print("caught", error)
                y = x / 200
            finally:
                print("finally")
            return inner(y, "again")
        """,
    "gradients inside": """
        def loss(w, x):
            print("loss")
            return (step(x * w, "inside") ** 2).sum()
        inner = torch.compile(loss, backend="eager")
        def f(x):
            w = torch.ones(3, requires_grad=True)
            (grad,) = torch.autograd.grad(inner(w, x.detach()), w)
            print("gradient", round(grad.sum().item(), 4))
            return x * grad
        """,
    "function transforms": """
        def scaled(x):
            return (x * 3).sin().sum()
        inner = torch.compile(torch.func.grad(scaled), backend="eager")
        def f(x):
            y = inner(x)
            print("slope", tuple(y.shape))
            return step(y, "slope")
        """,
    "no_grad and inference_mode": """
        @torch.no_grad()
        def quiet(x):
            return step(x, "quiet")
        @torch.inference_mode()
        def frozen(x):
            return step(x, "frozen")
        parts = [torch.compile(quiet, backend="eager"), torch.compile(frozen, backend="eager")]
        def f(x):
            a, b = (part(x) for part in parts)
            print(a.requires_grad, b.is_inference())
            with torch.no_grad():
                c = parts[0](x)
            return x * a + x * b.clone() + c
        """,
}


def program(name: str) -> str:
    """The text of a program."""
    return textwrap.dedent(STEP) + textwrap.dedent(PROGRAMS[name])


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "no grad"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_nested(tmp_path: Any, name: str, grad: bool) -> None:
    compare(load(tmp_path, program(name)), CALLS, grad)


@pytest.mark.parametrize("name", ["inside", "three deep", "recursion", "decorated, with and without arguments"])
def test_one_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, program(name)), CALLS[:2])
    assert outcome.graphs == 1, outcome.report
    assert outcome.mended("GM301") and outcome.mended("GM101"), outcome.report
