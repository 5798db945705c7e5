"""Functions behind `functools.lru_cache`: pure ones are traced, the others run as in Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import functools
    import random
    import types
    import torch

    CALLED = []
    TABLE = {{"scale": 1.0}}
    SCALE, FIXED = 1.0, 2.0

    settings = types.ModuleType("settings")

    class Settings:
        scale = 1.0

    def doubled(n):
        return TABLE["scale"] * n

    class Program:
        rate = 1.0

        def __init__(self):
            Program.rate = 1.0
            global SCALE
            TABLE["scale"] = SCALE = self.scale = Settings.scale = settings.scale = 1.0
            self.weight = torch.ones(3)

            @functools.lru_cache(maxsize=None)
            def table(n):
                return [n, n + 1]

            class Box:
                def __init__(self, n):
                    self.items = [n]

            @functools.lru_cache(maxsize=None)
            def boxed(n):
                return Box(n)

            @functools.lru_cache(maxsize=None)
            def noted(n):
                CALLED.append(n)
                return n

            @functools.lru_cache(maxsize=None)
            def drawn(n):
                return torch.rand(n)

            @functools.lru_cache(maxsize=None)
            def angles(n):
                return torch.arange(float(n))

            @functools.lru_cache(maxsize=None)
            def listed(n):
                return TABLE["scale"] * n

            @functools.lru_cache(maxsize=None)
            def called(n):
                return doubled(n)

            @functools.lru_cache(maxsize=None)
            def named(n):
                return SCALE * n

            @functools.lru_cache(maxsize=None)
            def owned(program, n):
                return program.scale * n

            @functools.lru_cache(maxsize=None)
            def generator(n):
                return torch.Generator().manual_seed(n)

            @functools.lru_cache(maxsize=None)
            def numbers(n):
                yield from range(n)

            self.generator, self.numbers, self.boxed = generator, numbers, boxed

            @functools.lru_cache(maxsize=None)
            def classed(n):
                return Settings.scale * n

            @functools.lru_cache(maxsize=None)
            def of_module(n):
                return settings.scale * n

            @functools.lru_cache(maxsize=None)
            def of_property(program, n):
                return program.doubled_scale * n

            @functools.lru_cache(maxsize=None)
            def weighted(weight):
                return weight.sum()

            @functools.lru_cache(maxsize=None)
            def fixed(n):
                return FIXED * n

            self.listed, self.called, self.named, self.owned = listed, called, named, owned
            @functools.lru_cache(maxsize=None)
            def shared(program, n):
                return program.rate * n

            self.weighted, self.fixed, self.shared = weighted, fixed, shared
            self.classed, self.of_module, self.of_property = classed, of_module, of_property
            self.table, self.noted, self.drawn, self.angles = table, noted, drawn, angles
            CALLED.clear()

        def __call__(self, x):
            if x.sum() > 0:
                x = x + 1
            {body}

        @property
        def doubled_scale(self):
            return self.scale * 2

        def shown(self):
            return list(CALLED)

    make = Program
    """
IMPURE = {
    "changed list": "t = self.table(3); t.append(1); return x * len(self.table(3))",
    "changed list of an object": "b = self.boxed(3); b.items.append(1); return x * len(self.boxed(3).items)",
    "noted": "return x * self.noted(3), len(CALLED)",
    "drawn": "return x + self.drawn(3)",
    "a table that changes": "y = x * self.listed(2); TABLE['scale'] += 1.0; return y",
    "a table of a function that changes": "y = x * self.called(2); TABLE['scale'] += 1.0; return y",
    "a number that changes": "y = x * self.named(2); SCALE += 1.0; return y",
    "a generator of tensors": "return x + torch.rand(3, generator=self.generator(3))",
    "an iterator": "return x * sum(self.numbers(3)), list(self.numbers(3))",
    "an attribute of a class that changes": "y = x * self.classed(2); Settings.scale += 1.0; return y",
    "an attribute of a module that changes": "y = x * self.of_module(2); settings.scale += 1.0; return y",
    "an attribute that a class has for its instances": "y = x * self.shared(self, 2); Program.rate += 1.0; return y",
    "a property that changes": "y = x * self.of_property(self, 2); self.scale += 1.0; return y",
    "an attribute that changes": "y = x * self.owned(self, 2); self.scale += 1.0; return y",
    "a tensor that changes": "y = x * self.weighted(self.weight); self.weight.add_(1); return y",
    "written": "a = self.angles(3); a.add_(1); return x + self.angles(3)",
}
PURE = {
    "list": "return x * sum(self.table(3))",
    "tensor": "return x + self.angles(3)",
    "number": "return x * self.fixed(2)",
    "object": "return x * sum(self.boxed(3).items)",
    "attribute": "return x * self.owned(self, 2)",
    "the same object for the same number": "return x * (2 if self.table(3) is self.table(3) else 5)",
    "another object for another number": "return x * (2 if self.table(3) is self.table(4) else 5)",
    "copied": "t = list(self.table(3)); t.append(1); return x * len(t)",
}
CALLS = [lambda n=n: (torch.full((3,), n),) for n in (1.0, -1.0, 3.0)]


@pytest.mark.parametrize("name", [*IMPURE, *PURE])
def test_the_cache_answers_as_in_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body={**IMPURE, **PURE}[name])), CALLS, grad=False, rounds=6)


@pytest.mark.parametrize("name", PURE)
def test_a_pure_function_is_part_of_the_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=PURE[name])), CALLS, grad=False, rounds=6)
    assert outcome.report["callables"][0]["mode"] == "whole"
