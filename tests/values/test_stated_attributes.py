"""What an object's attribute holds: every way to set it, beside every other one; and which classes are modules."""

from __future__ import annotations

import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import abc
import enum
import torch
import typing
import other
from torch import nn
from torch.nn import Linear, Module as Mod
from other import Block, DecoderLayer, ModelOutput, Cache, Thing, Attention
from other import MyMLP, SomeNorm, PreTrainedModel, KeyCacheBlock, LayerOutput, WordEmbedding
from transformers.cache_utils import CacheLayer
from pydantic import BaseModel


class Own:
    pass


class Inner(nn.Module):
    def forward(self, x):
        return x


class Deep(Inner):
    pass


class Round(Round2):
    pass


class Round2(Round):
    pass


def function(x):
    return x
"""
CLASS = """

class A{number}({base}):
{body}
    def __init__(self, p, t: torch.Tensor, q=None, r=1):
        super().__init__()
{init}

    @torch.compile
    def run(self, x: torch.Tensor):
        a = self.a
{use}
        return x

    def other(self, t: torch.Tensor, p):
{other}
"""
SET = [
    *(
        "self.a = t",
        "self.a = t.sum()",
        "self.a = t.sum().item()",
        "self.a = p",
        "self.a = q",
        "self.a = r",
        "self.a = 1",
    ),
    *(
        "self.a = 'a'",
        "self.a = None",
        "self.a = [t]",
        "self.a = t, t",
        "self.a = {'k': t}",
        "self.a = nn.Parameter(t)",
    ),
    *("self.a = nn.Linear(2, 2)", "self.a = Linear(2, 2)", "self.a = Inner()", "self.a = Own()", "self.a = function"),
    *(
        "self.a = nn.ModuleList([nn.Linear(2, 2)])",
        "self.a = nn.ModuleList([Inner() for i in p])",
        "self.a = nn.ModuleList(p)",
    ),
    *(
        "self.a = nn.ModuleList([Inner(), Own()])",
        "self.a = nn.Sequential(Inner())",
        "self.a = nn.ModuleDict({'k': Inner()})",
    ),
    *("self.register_buffer('a', t)", "self.register_buffer(name='a', tensor=t)", "self.register_buffer(p, t)"),
    *(
        "self.register_parameter('a', nn.Parameter(t))",
        "self.register_buffer('a', None)",
        "self.add_module('a', Inner())",
    ),
    *(
        "self.register_module('a', Inner())",
        "setattr(self, 'a', t)",
        "self.a: torch.Tensor = p",
        "self.a: int = p",
        "self.a: int",
    ),
    *(
        "self.a, self.b = t, t",
        "self.a = self.b = t",
        "self.a += t",
        "[self.a, b] = t",
        "(self.a) = t",
        "p.a = t",
        "pass",
    ),
    *(
        "with p as self.a:\n    pass",
        "for self.a in t:\n    pass",
        "if p:\n    self.a = t",
        "if p:\n    self.a = t\nelse:\n    self.a = 1",
    ),
]
USES = [
    *(
        "if a:\n    x = x + 1",
        "if a > 0:\n    x = x + 1",
        "if a is None:\n    x = x + 1",
        "if a[0] > 0:\n    x = x + 1",
    ),
    *(
        "y = float(a)",
        "if a(x).any():\n    x = x + 1",
        "for b in a:\n    if b(x).any():\n        x = x + 1",
        "y = a.item()",
    ),
    *(
        "if a.weight.sum() > 0:\n    x = x + 1",
        "if self.b:\n    x = x + 1",
        "if a.shape[0] > 1:\n    x = x + 1",
        "y = a.tolist()",
    ),
]
OTHERS = [
    "pass",
    "self.a = t",
    "self.a = 1",
    "self.a = p",
    "del self.a",
    "self.a = Inner()",
    "self.a += 1",
    "self.b = t",
]


def indented(text: str, by: int = 8) -> str:
    return textwrap.indent(text, " " * by)


def written(init: str, use: str, other: str, number: int, base: str = "nn.Module", body: str = "x = 1") -> str:
    return CLASS.format(
        number=number, base=base, init=indented(init), use=indented(use), other=indented(other), body=indented(body, 4)
    )


def test_ways_to_set(executable: str, tmp_path: Path) -> None:
    def used(init: str, use: str, number: int) -> str:
        return written(init, use, "pass", number)

    hold(STATED / "attributes.txt", matrix(executable, tmp_path, HEAD, SET, USES, used, "--all"))


def test_two_ways_to_set(executable: str, tmp_path: Path) -> None:
    """In another method, behind the first in `__init__`, and in the body of the class."""
    texts = []
    places = {
        "another method": lambda init, other, number: written(init, USES[1], other, number),
        "behind it": lambda init, other, number: written(f"{init}\n{other}", USES[1], "pass", number),
    }
    for name, write in places.items():
        folder = tmp_path / name.replace(" ", "_")
        folder.mkdir()
        texts.append(f"# {name}\n" + matrix(executable, folder, HEAD, SET, OTHERS, write, "--all"))
    folder = tmp_path / "body"
    folder.mkdir()
    bodies = [
        "x = 1",
        "a = 1",
        "a = torch.ones(1)",
        "a: int = 1",
        "a: torch.Tensor",
        "a: torch.Tensor = None",
        "a, b = 1, 2",
    ]
    bodies += [
        "def a(self):\n    return 1",
        "@property\ndef a(self):\n    return self.t.sum()",
        "class a:\n    pass",
        "a = Inner()",
    ]

    def with_body(init: str, body: str, number: int) -> str:
        return written(init, USES[1], "pass", number, body=body)

    texts.append("# the body\n" + matrix(executable, folder, HEAD, SET[::3], bodies, with_body, "--all"))
    hold(STATED / "attributes.places.txt", "\n".join(texts))


BASES = [
    *("object", "Own", "nn.Module", "torch.nn.Module", "Mod", "Inner", "Deep", "nn.Linear", "Linear", "nn.Sequential"),
    *(
        "Block",
        "DecoderLayer",
        "ModelOutput",
        "Cache",
        "Thing",
        "Attention",
        "CacheLayer",
        "BaseModel",
        "Round",
        "Own, Inner",
    ),
    *(
        "Thing, Block",
        "other.Layer",
        "enum.Enum",
        "abc.ABC",
        "typing.Protocol",
        "torch.autograd.Function",
        "metaclass=Thing",
    ),
    *(
        "Thing[int]",
        "Thing()",
        "torch.optim.Optimizer",
        "MyMLP",
        "SomeNorm",
        "PreTrainedModel",
        "KeyCacheBlock",
        "LayerOutput",
        "WordEmbedding",
    ),
]
FORWARDS = [
    *(
        "def forward(self, x):\n    if x.sum() > 0:\n        x = x + 1\n    return x",
        "def forward(self, x: torch.Tensor):\n    return self.f(x)\n\ndef f(self, x):\n    return float(x)",
    ),
    *(
        "def call(self, x):\n    if x.sum() > 0:\n        x = x + 1\n    return x",
        "async def forward(self, x):\n    if x.sum() > 0:\n        x = x + 1",
    ),
    "def __init__(self):\n    self.lin = nn.Linear(2, 2)\n\ndef forward(self, x):\n"
    "    if self.lin(x) > 0:\n        x = x + 1\n    return x",
    "def forward(ctx, x):\n    return x\n\ndef backward(ctx, x):\n    if x.sum() > 0:\n        return x\n    return -x",
]


def test_bases(executable: str, tmp_path: Path) -> None:
    def classes(base: str, body: str, number: int) -> str:
        return f"\n\nclass A{number}({base}):\n{indented(body, 4)}\n"

    text = matrix(executable, tmp_path, HEAD, BASES, FORWARDS, classes)
    hold(STATED / "attributes.bases.txt", text)
