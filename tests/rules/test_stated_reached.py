"""What a compiled program comes to: every way to hold a function, for every way to call it or to keep it out."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import functools
import torch
from torch import compile as tc, nn
from torch.compiler import disable
import other
from other import apart, Base


def wrapper(f):
    @functools.wraps(f)
    def inner(*args):
        return f(*args)
    return inner


def telling(f):
    def inner(*args):
        if args[0].sum() > 0:
            return f(*args)
        return args[0]
    return inner
"""
# What is in front of `def g`.
DECORATORS = [
    *("", "@torch.compile", "@torch.compile(dynamic=True)", "@tc", "@wrapper", "@telling", "@apart", "@other.apart(1)"),
    *("@torch.compiler.disable", "@torch.compiler.disable()", "@torch.compiler.disable(recursive=False)", "@disable"),
    *("@torch.compiler.assume_constant_result", "@torch.compiler.allow_in_graph", "@torch.compiler.nonstrict_trace"),
    *(
        "@torch._dynamo.disable",
        "@torch._dynamo.allow_in_graph",
        "@torch._disable_dynamo",
        "@torch.no_grad()",
        "@staticmethod",
    ),
    *(
        "@torch.library.custom_op('a::b', mutates_args=())",
        "@functools.lru_cache",
        "@property",
        "@compile",
        "@torch.jit.script",
    ),
]
FUNCTION = """

{decorator}
def g{number}(x: torch.Tensor, *args):
    if x.sum() > 0:
        x = x + 1
    return x


{user}
"""
# What uses it.
USERS = [
    "",
    "g(1)",
    "h = torch.compile(g)",
    "h = torch.compile(g, dynamic=True)",
    "h = torch.compile(model=g)",
    "h = torch.compile(wrapper(g))",
    "h = torch.compile(lambda x: g(x))",
    "h = tc(g)",
    "h = other.compile(g)",
    "h = torch.compile",
    "@torch.compile\ndef h(x):\n    return g(x)",
    "@torch.compile\ndef h(x):\n    return g(x), g(x)",
    "@torch.compile\ndef h(x):\n    return map(g, x)",
    "@torch.compile\ndef h(x):\n    f = g\n    return f(x)",
    "@torch.compile\ndef h(x):\n    g = x\n    return g(x)",
    "@torch.compile\ndef h(x):\n    def inner():\n        return g(x)\n    return inner()",
    "@torch.compile\ndef h(x):\n    return {'a': g}['a'](x)",
    "@torch.compile\ndef h(x):\n    if torch.compiler.is_compiling():\n        return x\n    return g(x)",
    "@torch.compile\ndef h(x):\n    if torch.compiler.is_compiling():\n        return x\n    else:\n"
    "        return g(x)",
    "@torch.compile\ndef h(x):\n    if not torch.compiler.is_compiling():\n        return g(x)\n    return x",
    "@torch.compile\ndef h(x):\n    return torch.utils.checkpoint.checkpoint(g, x)",
    "@torch.compiler.disable\ndef h(x):\n    return g(x)\n\n\n@torch.compile\ndef k(x):\n    return h(x)",
    "@g\ndef h(x):\n    return x",
    "@torch.compile\n@g\ndef h(x):\n    return x",
    "def h(x):\n    return g(x)\n\n\nk = torch.compile(h)",
    "def h(x):\n    return g(x)\n\n\nh = torch.compile(h)",
    "def h(x):\n    return g(x)\n\n\nh = torch.compiler.disable(h)\nk = torch.compile(h)",
    "g = torch.compile(g)",
    "g = torch.compiler.disable(g)\nh = torch.compile(g)",
    "g = wrapper(g)\nh = torch.compile(g)",
    "g = torch.compiler.disable(h)\nh = torch.compile(g)",
    "class M(nn.Module):\n    def forward(self, x):\n        return g(x)",
    "class M(nn.Module):\n    def other(self, x):\n        return g(x)",
    "class M(nn.Module):\n    def forward(self, x):\n        return self.other(x)\n\n"
    "    def other(self, x):\n        return g(x)",
    "class M(nn.Module):\n    def forward(self, x):\n        return [self.other]\n\n"
    "    def other(self, x):\n        return g(x)",
    "class M(nn.Module):\n    def forward(self, x):\n        return self.other\n\n    @property\n"
    "    def other(self):\n        return g(self)",
    "class M(nn.Module):\n    def __init__(self):\n        self.f = g\n\n    def forward(self, x):\n"
    "        return self.f(x)",
    "class M(Base):\n    def forward(self, x):\n        return g(x)",
    "class M:\n    def forward(self, x):\n        return g(x)",
    "class M(torch.autograd.Function):\n    def forward(ctx, x):\n        return x\n\n"
    "    def backward(ctx, x):\n        return g(x)",
    "class M(torch.autograd.Function):\n    def forward(ctx, x):\n        return x\n\n"
    "    def vjp(ctx, x):\n        return g(x)",
    "class M:\n    def __init__(self):\n        g(1)\n\n\n@torch.compile\ndef h(x):\n    return M()",
    "class M:\n    def f(self, x):\n        return g(x)\n\n\n@torch.compile\ndef h(x):\n    return M().f(x)",
    "class M:\n    def f(self, x):\n        return g(x)\n\n\n@torch.compile\ndef h(x, m: M):\n    return m.f(x)",
    "class A(nn.Module):\n    def f(self, x):\n        return g(x)\n\n\n"
    "class M(A):\n    def forward(self, x):\n        return self.f(x)",
    "class A(nn.Module):\n    def f(self, x):\n        return g(x)\n\n\n"
    "class M(A):\n    def forward(self, x):\n        return super().f(x)",
    "class A(nn.Module):\n    def forward(self, x):\n        return self.f(x)\n\n\n"
    "class M(A):\n    def f(self, x):\n        return g(x)",
    "F = {'a': g}\n\n\n@torch.compile\ndef h(x, k):\n    return F[k](x)",
    "F = [g]\n\n\n@torch.compile\ndef h(x, k):\n    for f in F:\n        x = f(x)\n    return x",
]


def function(decorator: str, user: str, number: int) -> str:
    text = FUNCTION.format(decorator=decorator, user=user, number="")
    for name in ("g", "h", "k", "M", "A", "F"):  # of its own in the file
        text = renamed(text, name, f"{name}{number}")
    return text


def renamed(text: str, name: str, new: str) -> str:
    return re.sub(rf"(?<![\w.'@]){name}\b(?!')|(?<=@){name}\b", new, text)


def test_what_is_reached(executable: str, tmp_path: Path) -> None:
    hold(STATED / "reached.txt", matrix(executable, tmp_path, HEAD, DECORATORS, USERS, function))


def test_methods_of_long_classes(executable: str, tmp_path: Path) -> None:
    """A method is found in a class of any length; the last one counts, and setters do where they are asked for."""
    rows = [f"{count} methods" for count in (0, 13, 14, 15, 16, 17, 40)]
    lasts = [
        "def g(self, x):\n    return x",
        "def g(self, x):\n    if x.any():\n        x = x + 1\n    return x",
        "@property\ndef g(self):\n    if self.x.any():\n        return 1\n    return 2",
        "@property\ndef g(self):\n    return 1\n\n@g.setter\ndef g(self, x: torch.Tensor):\n    if x.any():\n"
        "        self.y = 1",
        "@property\ndef g(self):\n    return 1\n\n@g.deleter\ndef g(self):\n    if self.x.any():\n        self.y = 1",
        "g = None",
    ]

    def written(row: str, last: str, number: int) -> str:
        first = (
            "    def g(self, x: torch.Tensor):\n        if x.sum() > 0:\n            return x\n        return -x\n\n"
        )
        many = "".join(f"    def f{at}(self):\n        pass\n\n" for at in range(int(row.split()[0])))
        body = textwrap.indent(last, "    ")
        forward = "    def forward(self, x):\n        self.g = x\n        return self.g(x)\n"
        return f"\n\nclass M{number}(nn.Module):\n{first}{many}{body}\n\n{forward}"

    hold(STATED / "reached.methods.txt", matrix(executable, tmp_path, HEAD, rows, lasts, written))
