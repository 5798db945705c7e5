"""Exceptions that eager Python raises where a compiled graph would have no reason to compute anything."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
import torch
from harness import compare, load

import graphmend.runtime as runtime

FAILING = {
    "index": "x[i].sum() > 0",
    "embedding": "torch.nn.functional.embedding(i, x).mean() > 0",
    "gather": "torch.gather(x, 0, i.view(-1, 1)).sum() > 0",
    "dtypes": "(x.long() @ x.t()).sum() > 0",
    "layer": "torch.nn.functional.linear(x.long(), x).sum() > 0",
    "probabilities": "torch.multinomial(x - 10, 1).sum() > 0",
    "zero": "(i // 0).sum() > 0",
    "classes": "torch.nn.functional.cross_entropy(x, i) > 0",
    "chance": "(torch.bernoulli(x + 3) > 0).any()",
}


FEW = 5  # a call that fails is traced again each time


def calls() -> list:
    return [lambda: (torch.arange(12.0).view(3, 4), torch.tensor([0, 7, 1]))]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("test", FAILING.values(), ids=FAILING)
def test_a_decision_that_changes_nothing_still_fails(tmp_path: Any, test: str, backend: str) -> None:
    text = f"import torch\ndef f(x, i):\n    if {test}:\n        y = x * 3\n    return x * 2\n"
    compare(load(tmp_path, text), calls(), False, backend, rounds=FEW)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize(
    "rest", ["", "    print(len(list(map(str, [x.sum().item()]))))\n    torch._dynamo.graph_break()\n"]
)
def test_nothing_is_left_of_a_decision(tmp_path: Any, rest: str, backend: str) -> None:
    """What is computed for its own sake comes out of the graph, and goes no further."""
    text = (
        f"import torch\ndef f(x, i):\n    if (x + torch.randn(4) <= 2).all():\n        y = x * 3\n{rest}    return x\n"
    )
    compare(load(tmp_path, text), calls(), False, backend, rounds=FEW)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("number", ["int(x[i].sum())", "x[i].sum().item()", "x[i].tolist()"])
def test_a_number_that_nobody_uses_still_fails(tmp_path: Any, number: str, backend: str) -> None:
    text = f"import torch\ndef f(x, i):\n    n = {number}\n    return x * 2\n"
    compare(load(tmp_path, text), calls(), False, backend, rounds=FEW)


ASKED = (
    "(x[i] > 0).tolist()",
    "min(x[i].tolist()[0])",
    "torch.equal(x[i], x)",
    "torch.allclose(x[i], x[:2])",
    "np.isnan(x[i].sum().item())",
    "2 in x[i].long().flatten().tolist()",
    "f'{x[i].tolist()}'",
)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("asked", ASKED)
def test_an_answer_that_nobody_uses_still_fails(tmp_path: Any, asked: str, backend: str) -> None:
    text = f"import numpy as np, torch\ndef f(x, i):\n    n = {asked}\n    return x * 2\n"
    compare(load(tmp_path, text), calls(), False, backend, rounds=FEW)


COMPUTED = {
    "root": "math.sqrt(x.sum().item() - 1000)",
    "quotient": "1 / int(x.sum().clamp(0, 0.5))",
    "integer": "int(x.sum() / 0)",
    "rest": "7 % int(x.sum().clamp(0, 0.5)) + 1",
}


@pytest.mark.parametrize("number", COMPUTED.values(), ids=COMPUTED)
def test_a_number_computed_for_nobody_still_fails(tmp_path: Any, number: str) -> None:
    text = f"import math, torch\ndef f(x, i):\n    if x.sum() > 0:\n        n = {number}\n    return x * 2\n"
    compare(load(tmp_path, text), calls(), False, rounds=FEW)


def test_a_number_that_cannot_fail_costs_nothing(tmp_path: Any) -> None:
    text = "import torch\ndef f(x, i):\n    n = abs(x.sum().item()) / 3 + max(1, i.max().item())\n    return x * 2\n"
    outcome = compare(load(tmp_path, text), [lambda: (torch.ones(3, 4), torch.tensor([0, 1]))], False)
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"]


def test_a_decision_that_changes_nothing_and_cannot_fail_costs_nothing(tmp_path: Any) -> None:
    text = "import torch\ndef f(x, i):\n    if x.sum() > 0:\n        y = x * 3\n    return x * 2\n"
    outcome = compare(load(tmp_path, text), calls(), False)
    assert outcome.graphs == 1 and "to" not in outcome.backend.targets()


def test_what_python_refuses_is_its_own_exception_in_parts_too(tmp_path: Any) -> None:
    text = """
        import torch
        def f(x):
            b = None
            if 3 < x.sum() < -1:
                b = torch.nan_to_num(x)
            else:
                v, v = x
            return (b / (x / x).norm())[torch.sigmoid(b) > 0.5].sum()
        """
    sizes = [lambda rows=rows: (torch.arange(3.0 * rows).view(rows, 3),) for rows in (3, 2, 1, 4, 2)]
    compare(load(tmp_path, text), sizes, False, rounds=FEW)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("made", ["x[i]", "x[[0, 7]]", "torch.topk(x[i], 1)"])
def test_what_nothing_needs_behind_a_decision_still_fails(tmp_path: Any, made: str, backend: str) -> None:
    text = f"import torch\ndef f(x, i):\n    y = {made}\n    if x.sum() > 0:\n        z = y\n    return x * 2\n"
    compare(load(tmp_path, text), calls(), False, backend, rounds=FEW)


def test_a_fault_of_dynamo_is_no_exception_of_the_program(tmp_path: Any) -> None:
    """Dynamo takes the changing number for a symbol, and cannot enter the block with it."""
    text = """
        import torch
        def f(x, n):
            print(max(x, key=lambda row: row.sum().item()))
            if x.sum() > 0:
                x = x + 1
            with torch.set_grad_enabled(n > 1):
                return x * n
        """
    compare(load(tmp_path, text), [lambda n=n: (torch.arange(6.0).view(2, 3), n) for n in (1, 2, 3, 1, 4)])


def test_a_hook_that_python_does_not_take(tmp_path: Any) -> None:
    """As it is, the graph ends at the test behind it, and nothing is written any more."""
    text = """
        import torch
        def f(x, w):
            zeros = torch.zeros_like(x)
            if zeros.nonzero().shape[0] > 2:
                x.clamp_(min=1e-6)
            else:
                zeros.register_hook(lambda gradient: gradient * 2)
                if not torch.isfinite(x).all():
                    x = torch.clamp(x, -1, 1)
                w.add_(1)
            return zeros, zeros
        """
    compare(load(tmp_path, text), [lambda: (torch.ones(2, 3), torch.zeros(2))], False)


@pytest.mark.parametrize("test", ["x.sum() < x.sum() <= 1", "x.sum() > 0 and x.sum() < x.sum() < 1"])
def test_an_assertion_in_parts_of_a_call(tmp_path: Any, test: str) -> None:
    """Of a single tensor Dynamo makes an assertion of its own, of a chain of comparisons it does not."""
    text = f"""
        import torch
        def f(x):
            y = max([x, x * 2], key=lambda v: v.sum().item())
            assert {test}
            return y
        """
    compare(load(tmp_path, text), [lambda: (torch.ones(3),)], False)


def test_a_fault_of_the_assembler_is_no_exception_of_the_program(tmp_path: Any) -> None:
    """Dynamo finds no place in a table of exceptions for what follows the test, and says so with an assertion."""
    text = """
        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(3, 3)
                self.register_buffer("seen", torch.zeros(3))

            def forward(self, x, w):
                b = x
                if torch.isnan(x).any():
                    t = w
                try:
                    if (x == -0.5).all():
                        raise RuntimeError(f"bad {(x.min() * 0.5).item():.2f}")
                    b = self.linear(b)
                except ValueError:
                    self.count = 1
                try:
                    x[0] = w.sigmoid()
                except ValueError:
                    print("caught")
                    self.seen = self.seen * 0.5
                    if torch.isnan(b).any():
                        b = torch.nan_to_num(b)
                finally:
                    print("finally")
                assert self.seen.sum()
                return b

        def make():
            return Model().eval()
        """
    first = [float("nan"), 1.0, 2.0]
    calls = [lambda: (torch.tensor([first, [-1.0, 0.0, 1.0]]), torch.ones(3))] * 2
    compare(load(tmp_path, text), calls, True, "aot_eager")


ASSERTED = {
    "all": "assert all(value.isfinite().all() for value in [x, x * 2]), 'not finite'",
    "any": "assert not any(value.isinf().any() for value in [x, x * 2]), f'infinite: {x.shape}'",
    "torch": "torch._assert(bool(x.isfinite().all()), 'not finite')",
}
ASSERTING = """
    import torch

    def f(x):
        y = x + 1
        {statement}
        return x * y
    """
FINITE, INFINITE = (lambda: (torch.tensor([1.0, 2.0]),)), (lambda: (torch.tensor([1.0, -float("inf")]),))


@pytest.mark.parametrize("first", [FINITE, INFINITE], ids=["holds first", "fails first"])
@pytest.mark.parametrize("name", ASSERTED)
def test_assertions_on_the_path_of_the_call(tmp_path: Any, name: str, first: Any) -> None:
    program = load(tmp_path, ASSERTING.format(statement=ASSERTED[name]))
    assert compare(program, [first, FINITE, INFINITE], fullgraph=True).graphs == 1


CAUGHT = """
    def f(x):
        y = x + 1
        try:
            assert all(value > 0 for value in [x.sum(), x[0]])
        except AssertionError:
            x = x * 0
        return x * y
    """


def test_an_assertion_that_the_program_catches(tmp_path: Any) -> None:
    compare(load(tmp_path, CAUGHT), [FINITE, INFINITE], False)


def test_a_program_that_always_raises_is_traced_less_and_less() -> None:
    """And is one graph again when it raises no more."""
    from torch._dynamo.utils import counters

    def program(x: Any, limit: int) -> Any:
        if limit > 2:
            raise ValueError(limit)
        return x + limit if x.sum() > 0 else x - limit

    compiled = torch.compile(program, backend="eager")
    traced = []
    for limit in [*range(3, 43), *[1] * 40]:
        before = counters["frames"]["total"]
        with contextlib.suppress(ValueError):
            assert torch.equal(compiled(torch.ones(3), limit), torch.ones(3) + limit)
        traced.append(counters["frames"]["total"] - before)
    assert 1 <= sum(traced[:40]) <= 8 and sum(traced[40:]) == 1
    assert runtime.report()["callables"][-1]["mode"] == "whole"
