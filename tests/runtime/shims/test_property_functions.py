"""The functions of a property, called by themselves and by `super()`."""

from __future__ import annotations

from typing import Any

import torch
from harness import compare, load

TEXT = """
    class Store:
        def __init__(self, x):
            self.values = {}
            self.x = x
            self.count = 3

        @property
        def x(self):
            return self.values["x"]

        @x.setter
        def x(self, value):
            self.values["x"] = value * 2

        def __setattr__(self, name, value):
            found = getattr(type(self), name, None)
            if found is not None and getattr(found, "fset", None) is not None:
                found.fset(self, value)
            else:
                object.__setattr__(self, name, value)

    def f(x):
        store = Store(x)
        return Store.x.fget(store) * store.count + store.x
    """


def test_functions_of_a_property_are_part_of_the_graph(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, TEXT), [lambda: (torch.ones(3),), lambda: (torch.zeros(3),)])
    assert outcome.report["callables"][0]["mode"] == "whole"


SUPER = """
    class Base:
        def __init__(self, x):
            self.kept = x

        @property
        def size(self):
            return self.kept.shape[0]

        @property
        def doubled(self):
            return self.kept * 2

    class Store(Base):
        @property
        def size(self):
            return super().size + 1

        @property
        def doubled(self):
            return super().doubled - super().size

    def f(x):
        store = Store(x)
        return torch.arange(0, store.size) + store.doubled.sum()

    import torch
    """


def test_super_finds_a_property(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, SUPER), [lambda: (torch.ones(3),), lambda: (torch.zeros(4),)])
    assert outcome.report["callables"][0]["mode"] == "whole"
