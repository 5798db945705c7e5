"""Every expression in every place where it may run twice, later, or not at all: whether the place is mended."""

from __future__ import annotations

import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import json
import math
import os
import textwrap
import time

import torch
from torch import nn

TABLE = {}


def pure(a):
    return a


def shown(a):
    print(a)
    return a
"""
CLASS = """

class Model{number}(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.layers, self.scale = nn.Linear(2, 2), nn.ModuleList([nn.Linear(2, 2)]), 2.0

    def method(self, a):
        return a + 1

    def showing(self, a):
        print(a)

    @property
    def plain(self):
        return self.scale

    @property
    def telling(self):
        print(self.scale)
        return self.scale

    @torch.compile
    def forward(self, x: torch.Tensor, y: torch.Tensor, n, words):
{body}
"""
BUILTINS = "abs all any ascii bin bool bytes callable chr complex dict divmod enumerate float format frozenset getattr"
BUILTINS += " hasattr hash hex int isinstance issubclass len list max min oct ord pow range repr reversed round set"
BUILTINS += " slice sorted str sum tuple type zip id print input open iter next vars eval super setattr delattr"
METHODS = "capitalize casefold center count endswith find format get index isalpha isdigit items join keys ljust lower"
METHODS += (
    " lstrip partition removeprefix removesuffix replace rjust rpartition rsplit rstrip split splitlines startswith"
)
METHODS += (
    " strip title upper values zfill as_tuple bit_length is_integer hex decode encode append pop update clear sort add"
)
OF_TENSORS = "sum relu view contiguous as_strided view_as_real numel size dim stride is_contiguous data_ptr item tolist"
OF_TENSORS += (
    " add_ zero_ t_ unsqueeze_ sort add clone detach normal_ bernoulli nonzero to cpu numpy backward requires_grad_"
)
FUNCTIONS = "torch.relu torch.add torch.rand_like torch.randn_like torch.nn.functional.relu torch.nn.functional.dropout"
FUNCTIONS += (
    " torch.finfo torch.is_tensor torch.is_floating_point torch.equal torch.nonzero torch.numel torch.save math.sqrt"
)
FUNCTIONS += (
    " math.log json.dumps json.loads os.path.join os.path.exists textwrap.dedent time.time pure shown self.method"
)
FUNCTIONS += " self.showing self.linear self.layers[0] self.scale words.f gone TABLE[0]"
EXPRESSIONS = [
    *(f"{name}(n)" for name in BUILTINS.split()),
    *(f"n.{name}()" for name in METHODS.split()),
    *(f"x.{name}()" for name in OF_TENSORS.split()),
    *(f"{name}(x)" for name in FUNCTIONS.split()),
    *(
        "int(x.sum())",
        "bool(x.sum())",
        "float(x.sum(), 1)",
        "map(str, n)",
        "map(pure, n)",
        "filter(bool, n)",
        "map(str)",
    ),
    *("torch.add(x, y, out=y)", "torch.add(x, y, alpha=2)", "self.plain", "self.telling", "self.scale", "missing", "n"),
    *(
        "(lambda: n)",
        "(k := n)",
        "[a for a in n]",
        "f'{n}'",
        "x[n]",
        "x[0]",
        "x > 0",
        "x.shape",
        "self",
        "TABLE",
        "-x",
        "...",
    ),
]
PLACES = [
    "if x.sum() > 0:\n    y = y + 1\n    z = {e}\nreturn y",
    "if x.sum() > 0:\n    {e}\nelse:\n    y = y + 1\nreturn y",
    "if x.sum() > 0:\n    return x\nz = {e}\nreturn y",
    "if x.sum() > {e}:\n    y = y + 1\nreturn y",
    "return x + 1 if x.sum() > 0 else {e}",
    "print(n, {e})\nreturn y",
    "print(x.sum(), {e})\nreturn y",
    "TABLE['k'] = x.sum().item(), {e}\nreturn y",
    "self.seen.append({e})\nreturn y",
    "assert x.sum() > 0, {e}\nreturn y",
    "if x.sum() > 0:\n    raise ValueError({e})\nreturn y",
]


def function(place: str, expression: str, number: int) -> str:
    body = textwrap.indent(place.format(e=expression), "        ")
    return CLASS.format(number=number, body=body)


def test_expressions(executable: str, tmp_path: Path) -> None:
    text = matrix(executable, tmp_path, HEAD, PLACES, EXPRESSIONS, function, "--all")
    hold(STATED / "expressions.txt", text)
