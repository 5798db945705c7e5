"""Whole programs, from source text on: what people print, log, warn, keep and check, and how."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, -2.0, 0.5]),)]

# Programs of which each is one graph.
WHOLE = {
    "print with file, flush, sep and end": """
        import sys
        def f(x):
            y = x * 2
            print("a", y.shape, sep=": ", end="!", file=sys.stderr)
            print("b", flush=True)
            print(*["c", 1], sep="-")
            print()
            print(f"{y.sum():.3f} {y.mean().item():8.2f} {x.dtype} {len(x)}", file=sys.stdout)
            return y + 1
        """,
    "formatting": """
        def f(x):
            y = x * 2
            print("%s has %d rows, mean %.4f" % ("x", x.shape[0], y.mean()))
            print("{} and {:.2f} and {name}".format(x.shape, y.max().item(), name="n"))
            print("sum " + str(round(y.sum().item(), 3)), repr(x.size()), y.tolist())
            print(f"{y.detach()=}"[:4], f"{x.shape[0] * 2}")
            return y + 1
        """,
    "loops, helpers and submodules": """
        import torch
        def report(name, value):
            print(name, "->", round(float(value.abs().mean()), 4))
        class Layer(torch.nn.Module):
            def __init__(self, index):
                super().__init__()
                self.index = index
                self.linear = torch.nn.Linear(3, 3)
            def forward(self, x):
                x = self.linear(x)
                print("layer", self.index, tuple(x.shape))
                report(f"layer {self.index}", x)
                return x.tanh()
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = torch.nn.ModuleList(Layer(i) for i in range(3))
            def forward(self, x):
                for i, layer in enumerate(self.layers):
                    x = layer(x)
                    if i % 2 == 0:
                        print("even", i)
                return x
        make = Model
        """,
    "levels of logging": """
        import logging
        logger = logging.getLogger("program.levels")
        logger.setLevel(logging.INFO)
        def f(x):
            logger.debug("hidden %s", x)
            logger.info("mean %.3f", x.mean().item())
            logger.log(logging.ERROR, "shape %s", tuple(x.shape))
            logging.getLogger("program.other").warning("other")
            logger.critical("no arguments")
            if logger.isEnabledFor(logging.DEBUG):
                print("debug")
            return x * 2
        """,
    "condition on data around effects": """
        import logging
        import warnings
        logger = logging.getLogger(__name__)
        def f(x):
            y = x.exp()
            if x.mean() < 0:
                logger.warning("negative mean %.2f", x.mean().item())
                warnings.warn("negative", RuntimeWarning, stacklevel=2)
            elif x.max() > 2:
                print("large", x.max().item())
                y = y / 2
            return y
        """,
    "warn once": """
        import warnings
        _warned = False
        def f(x):
            global _warned
            if not _warned:
                warnings.warn("only once")
                _warned = True
            return x * 2
        """,
    "values that change behind the effect": """
        import torch
        def f(x):
            y = x.detach() * 2
            table = {"y": y, "n": [1]}
            print(y, table["n"])
            y.add_(1)
            table["n"].append(2)
            print(y, table["n"], y.sum().item())
            z = x * 2
            print(z.sum().item(), f"{z.mean():.2f}")
            z.mul_(3)
            return y + z
        """,
    "guard behind effects": """
        def f(x):
            print("before", x.shape)
            y = x * 2
            if (y < -100).any():
                raise ValueError(f"minimum {y.min().item():.2f} of {tuple(y.shape)}")
            print("behind")
            assert y.sum() > -1000, "sum"
            return y + 1
        """,
    "counts, histories, tables": """
        import collections
        import torch
        SEEN = collections.Counter()
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.calls, self.losses, self.last = 0, [], {}
                self.recent = collections.deque(maxlen=2)
            def shown(self):
                return repr([self.calls, self.losses, self.last, self.recent, SEEN])
            def forward(self, x):
                self.calls += 1
                loss = (x * x).mean()
                self.losses.append(round(loss.item(), 3))
                self.recent.append(float(loss))
                self.last["max"] = x.max().item()
                self.last.update(low=x.min().item())
                if x.sum() > 0:
                    SEEN["positive"] += 1
                    x = x * 2
                return x + loss
        def make():
            SEEN.clear()
            return Model()
        """,
    "hooks that print": """
        import torch
        def before(module, args):
            print("before", type(module).__name__)
        def behind(module, args, output):
            print("behind", module.__class__.__name__, output.shape)
        def make():
            model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())
            for layer in model:
                layer.register_forward_pre_hook(before)
                layer.register_forward_hook(behind)
            return model
        """,
    "context managers that print": """
        import contextlib
        class Section:
            def __init__(self, name):
                self.name = name
            def __enter__(self):
                print("+", self.name)
                return self
            def __exit__(self, *exc):
                print("-", self.name)
                return False
        def f(x):
            with Section("outer"):
                y = x * 2
                with Section("inner"):
                    y = y + 1
            return y
        """,
    "class attributes and properties": """
        import torch
        class Model(torch.nn.Module):
            total = 0
            def shown(self):
                return Model.total
            @property
            def name(self):
                return "model"
            def forward(self, x):
                Model.total += 1
                print(self.name, self.training, self.__class__.__name__)
                return x * 2
        def make():
            Model.total = 0
            return Model()
        """,
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, WHOLE[name]), CALLS)
    report = outcome.report
    assert [item["mode"] for item in report["callables"]] == ["whole"], report
    assert outcome.graphs <= 2, report


# Programs that only have to do what they do.
ANY = {
    "exception with its record": """
        import logging
        logger = logging.getLogger(__name__)
        def f(x):
            try:
                number = int("a")
            except ValueError:
                logger.exception("no number")
                number = 2
            return x * number
        """,
    "guard with a handler": """
        class Small(Exception):
            pass
        def check(x):
            if x.sum() < 0:
                raise Small(f"sum {x.sum().item():.1f}")
            return x + 1
        def f(x):
            try:
                return check(x)
            except Small as error:
                print("small:", error)
                return x * 0
        """,
    "warning that is an error": """
        import warnings
        def f(x):
            y = x * 2
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    warnings.warn("raised")
                except UserWarning as error:
                    print("caught", error)
            return y + 1
        """,
    "object that is looked at": """
        import torch
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.history = []
            def forward(self, x):
                self.history.append(x.sum().item())
                if len(self.history) > 2:
                    self.history.clear()
                return x * (1 + len(self.history)), list(self.history)
        make = Model
        """,
    "redirected output": """
        import contextlib, io
        def f(x):
            buffer = io.StringIO()
            with contextlib.redirect_stdout(buffer):
                print("hidden", x.shape)
            print("seen", buffer.getvalue().strip())
            return x * 2
        """,
    "generator": """
        def parts(x):
            for i in range(3):
                print("part", i)
                yield x[i] * 2
        def f(x):
            total = 0
            for part in parts(x):
                print("got", part.item() > 0)
                total = total + part
            return total
        """,
    "random numbers and a guard": """
        import torch
        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("seen", torch.zeros(3))
                self.drop = torch.nn.Dropout(0.5)
            def forward(self, x):
                self.seen += x.detach().abs()
                y = self.drop(x) + torch.rand(3)
                print("drawn")
                if (x < 0).any():
                    raise ValueError(f"negative: {x.detach()}")
                return y
        make = Model
        """,
    "function that formats itself": """
        import torch
        class Shown:
            def __init__(self, x):
                self.x = x
            def __repr__(self):
                return f"<{self.x.sum().item():.1f}>"
        def f(x):
            shown = Shown(x * 2)
            print(shown)
            shown.x = shown.x + 1
            print(f"{shown} {shown!r}")
            return shown.x
        """,
    "print that is another function": """
        import functools
        seen = []
        def make():
            seen.clear()
            def f(x):
                print = lambda *values: seen.append(len(values))
                print("a", x)
                return x * 2
            return f
        def other(x):
            print("never")
        """,
}


@pytest.mark.parametrize("name", ANY)
def test_equal(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, ANY[name]), CALLS)
