"""Effects that are part of an expression: their value is None, and they happen where they would have happened."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [
    lambda: (torch.tensor([1.0, 2.0, 3.0]),),
    lambda: (torch.tensor([-1.0, -2.0, 0.5]),),
]

WHOLE = {
    "values": """
        def f(x, debug=True):
            result = print("value", x.sum().item())
            y = x if result is None else x * 0
            debug and print("debug", x.shape)
            z = print("or") or y * 2
            print("chosen") if debug else print("never")
            a, b = print("first"), print("second", y.mean().item())
            return z, a, b, [print("in a list")], {"key": print("in a table")}
        """,
    "comprehensions": """
        def f(x):
            i = "outer"
            y = [print(i, j, x[i].item()) for i in range(2) for j in (i, i + 1) if print("test", i, j) is None]
            z = {k: print(k, v.max().item()) for k, v in {"a": x, "b": x * 2}.items()}
            print(i, [n for n in range(2)])
            return x * 2, y, z
        """,
    "lambdas": """
        import logging
        import torch
        logger = logging.getLogger("program")
        def make():
            model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
            for number, layer in enumerate(model):
                layer.register_forward_pre_hook(lambda module, args: print("before", type(module).__name__))
                layer.register_forward_hook(
                    lambda module, args, output, number=number: print(
                        "behind", number, round(output.abs().mean().item(), 3)
                    )
                )
                layer.register_forward_hook(lambda *args: logger.warning("record %d of %s", number, args[2].shape))
            return model
        """,
    "lambdas that are called": """
        show = lambda value, name="x": print(name, round(value.sum().item(), 2))
        def f(x):
            local = lambda: print("local", x.shape, scale)
            scale = 3
            show(x)
            y = x * scale
            show(y, name="y")
            local()
            return y + 1
        """,
    "values that change behind": """
        def f(x):
            y = x.detach() * 2
            table = {"y": y}
            seen = [print(y, table["y"].sum().item())]
            y.add_(1)
            table["y"] = x
            return y + x, seen
        """,
    "headers of statements": """
        def f(x):
            for i in [print("once"), 1]:
                x = x + 1
            if print("test") is None:
                x = x * 2
            while print("loop"):
                x = x * 0
            assert print("assert") is None, print("never")
            return x, (lambda: print("behind"))()
        """,
    "several lines": """
        def f(x):
            result = [
                print(
                    "a",  # why
                    x.shape,
                    sep=", ",
                ),
                x * 2,
            ]
            return result
        """,
    "warnings": """
        import warnings
        def f(x):
            first = warnings.warn("first")
            both = [warnings.warn(f"{x.sum().item():.2f}", RuntimeWarning, stacklevel=1) for _ in range(2)]
            return x * 2, first, both
        """,
}


@pytest.mark.parametrize("grad", [True, False], ids=["grad", "no grad"])
@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str, grad: bool) -> None:
    outcome = compare(load(tmp_path, WHOLE[name]), CALLS, grad)
    assert [item["mode"] for item in outcome.report["callables"]] == ["whole"], outcome.report
    assert outcome.graphs <= 2, outcome.report


# Programs that only have to do what they do.
EQUAL = {
    "sides of branches": """
        import torch
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.left, self.right = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
                self.left.register_forward_pre_hook(lambda module, args: print("before left"))
                self.right.register_forward_hook(lambda module, args, output: print("after right"))
            def forward(self, x):
                print("choose")
                x = self.left(x) if x.sum() > 0 else self.right(x)
                nothing = print("positive") if x.mean() > 0 else print("negative")
                x.sum() > 0 and print("and")
                return x, nothing
        make = Model
        """,
    "numbers of written characters": """
        import sys
        def f(x):
            count = sys.stdout.write("abc")
            return x * count
        """,
    "functions of the program's own": """
        def make():
            def f(x):
                print = lambda *values: len(values)
                count = print("a", x)
                return x * count
            return f
        """,
    "handlers": """
        class Odd:
            def __str__(self):
                raise KeyError("odd")
        ODD = Odd()
        def f(x):
            try:
                nothing = [print(ODD), x]
            except KeyError as error:
                nothing = [print("caught", error), None]
            return x * 2, nothing
        """,
    "contexts": """
        import contextlib, io
        def f(x):
            with contextlib.redirect_stdout(io.StringIO()) as stream:
                nothing = [print("hidden", x.shape)]
            return x * len(stream.getvalue()), nothing
        """,
    "names of functions in records": """
        import logging
        logger = logging.getLogger("program")
        def f(x):
            nothing = [logger.warning("in a list"), (lambda: logger.warning("in a lambda"))()]
            return x * 2, nothing
        """,
    "generators": """
        def f(x):
            rows = (print("row", i) or x[i] for i in range(3))
            first = next(rows)
            print("got", first.item())
            return first * 2
        """,
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, EQUAL[name]), CALLS)
