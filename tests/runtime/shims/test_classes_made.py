"""Classes that a call makes by `type`: their bases notice each of them once."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

MADE = """
    import torch

    class Base:
        made = []

        def __init_subclass__(cls, k=0, **options):
            super().__init_subclass__(**options)
            cls.k = k
            Base.made.append(cls.__name__)

    def f(x):
        if x.sum() > 0:
            kind = type("Made", {bases}, {"v": 9}{options})
        else:
            kind = Base
        return x * getattr(kind, "v", 1), Base.made[:], len(Base.__subclasses__()) > 0
    """


BASES = [("(Base,)", ", k=4"), ("(Base,)", ""), ("(Base, dict)", ""), ("(dict,)", "")]


@pytest.mark.parametrize("bases, options", BASES)
def test_a_class_that_the_call_makes_is_made_once(tmp_path: Any, bases: str, options: str) -> None:
    text = MADE.replace("{bases}", bases).replace("{options}", options)
    compare(load(tmp_path, text), [lambda: (torch.ones(2),), lambda: (-torch.ones(2),)])
