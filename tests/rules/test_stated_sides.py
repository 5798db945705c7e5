"""Pairs of sides of a branch: what is said of each, the dialect of it, and what `fix` writes, in full.

Each pair is a function of its own. The texts stand in `stated` and are read as a diff; that both do what the program
did is held by tests/runtime and tests/fix.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from stated_texts import hold

HEAD = """import torch
from torch import Tensor, nn

TABLE = {}


def helper(a, b=None, *rest):
    return a


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.other = nn.Linear(2, 2), nn.Linear(2, 2)
        self.scale = 1.0
"""
FUNCTION = """
    @torch.compile
    def f{number}(self, x: Tensor, y: Tensor, n: int, items: list):
        z = x - y
        if {test}:
{then}{orelse}{after}
"""
# The then-side, and the other one; None for none.
CALLS = [
    ("items.append(x * 2)", "items.append(x * 3)"),
    ("items.insert(0, x * 2)", "items.insert(0, x * 3)"),
    ("items.insert(n, x * 2)", "items.insert(n + 1, x * 2)"),
    ("items.insert(n + 1, x * 2)", "items.insert(n + 1, x * 3)"),
    ("items.insert(0, x)", "items.insert(1, y)"),
    ("items.append(*[x])", "items.append(*[y])"),
    ("items.append(x * 2)", "items.remove(x * 3)"),
    ("items.append(x * 2)", "items.append(x * 3, n)"),
    ("items.append(object=x)", "items.append(object=y)"),
    ("items[0].append(x * 2)", "items[0].append(x * 3)"),
    ("self.linear.forward(x * 2)", "self.linear.forward(x * 3)"),
    ("helper(x * 2, y)", "helper(x * 3, y)"),
    ("helper(x, y * 2)", "helper(x, y * 3)"),
    ("helper(x * 2, y)", None),
    ("helper(n, x * 2)", "helper(n, x.max())"),
    ("items.append(x * 2)\nitems.append(y)", "items.append(x * 3)\nitems.append(y)"),
]
ASSIGNED = [
    ("z = x * 2", "z = x * 3"),
    ("z = x * 2", None),
    ("z = x", "z = y"),
    ("z = 1.0", "z = x * 2"),
    ("z = 1", "z = 2"),
    ("z = None", "z = x"),
    ("z = 'a'", "z = 'b'"),
    ("z = x > 0", "z = y > 0"),
    ("z = x.long()", "z = x * 0.5"),
    ("z = x[0]", "z = y[1]"),
    ("z = x.sum()", "z = x"),
    ("z = x * 2\ny = z + 1", "z = x * 3\ny = z - 1"),
    ("z = x * 2\ny = z + 1", "z = x * 3"),
    ("z = x * 2", "y = x * 3"),
    ("z, y = x * 2, y * 2", "z, y = x * 3, y * 3"),
    ("z, y = y, z", None),
    ("(z, y), n = (x * 2, y * 2), 1", None),
    ("[z, *y] = x * 2, y", None),
    ("z = y = x * 2", "z = y = x * 3"),
    ("z: Tensor = x * 2", "z: Tensor = x * 3"),
    ("z: Tensor", "z = x * 2"),
    ("z += x", "z -= x"),
    ("z += x", None),
    ("z *= 2", "z = z / 2"),
    ("z **= 2", None),
    ("z @= x", None),
    ("n += 1", "n -= 1"),
    ("z[0] = 1", "z[0] = 2"),
    ("z[:, 0] = x[:, 0]", None),
    ("z.add_(1)", "z.sub_(1)"),
    ("self.scale = 2.0", "self.scale = 3.0"),
    ("self.last = x * 2", "self.last = x * 3"),
    ("items[0] = x * 2", "items[0] = x * 3"),
    ("TABLE['a'] = x * 2", "TABLE['a'] = x * 3"),
    ("z = self.linear(x)", "z = self.other(x)"),
    ("z = self.linear(x)", "z = x"),
    ("z = torch.relu(x)", "z = torch.tanh(x)"),
    ("z = x.to(torch.float64)", "z = x"),
    ("z = torch.randn(2)", "z = x"),
    ("z = torch.sqrt(x)", "z = torch.zeros_like(x)"),
    ("z = x / y", "z = torch.zeros_like(x)"),
    ("z = helper(x)", "z = helper(y)"),
    ("z = (a := x * 2) + a", "z = x"),
    ("z = x if n else y", "z = y"),
    ("z = x if y.sum() > 0 else y", "z = y"),
    ("z = lambda: x", "z = lambda: y"),
    ("z = [x, y]", "z = [y, x]"),
    ("z = (x * 2, y)", "z = (x * 3, y)"),
    ("z = {'a': x}", "z = {'a': y}"),
    ("z = f'{n}'", "z = f'{n + 1}'"),
    ("z = x * 2  # twice", "z = x * 3  # thrice"),
    ("# first\nz = x * 2\n# last", "z = x * 3"),
    ("z = (x *\n     2)", "z = x * 3"),
    ("z = x * 2; y = z", "z = x * 3"),
    ("pass", "z = x * 3"),
    ("...", "pass"),
    ("z = x * 2", "pass"),
    ("'words'\nz = x * 2", None),
    ("items['a'] = x * 2", "items['a'] = x * 3"),
    ("for group in n:\n    group['rate'] *= 0.5", None),
]
ENDED = [
    ("return x * 2", "return x * 3"),
    ("return x * 2", None),
    ("return x", "return y"),
    ("return x * 2, y", "return x * 3, y"),
    ("return (x * 2, n)", "return (x * 3, n + 1)"),
    ("return None", "return x"),
    ("return", None),
    ("z = x * 2\nreturn z", "z = x * 3\nreturn z + 1"),
    ("z = x * 2\nreturn z", "z = x * 3"),
    ("return x * 2  # twice", "return x * 3"),
    ("return [x * 2]", "return [x * 3]"),
    ("return {'a': x * 2}", "return {'a': x * 3}"),
    ("return 1", "return 2"),
    ("return x.sum()", "return x"),
    ("return self.linear(x)", "return self.other(x)"),
    ("return helper(x * 2)", "return helper(x * 3)"),
    ("raise ValueError('a')", None),
    ("raise ValueError(f'{n}') from None", None),
    ("raise", None),
    ("assert n, 'a'", None),
    ("assert x.any()", "assert y.any()"),
    ("for item in items:\n    z = z + item", None),
    ("while n:\n    n -= 1", None),
    ("with torch.no_grad():\n    z = x * 2", None),
    ("try:\n    z = x * 2\nfinally:\n    n = 1", None),
    ("if n:\n    z = x * 2", "z = x * 3"),
    ("if y.sum() > 0:\n    z = x * 2\nelse:\n    z = y", "z = x * 3"),
    ("if y.sum() > 0:\n    return x * 2\nreturn y", "return x * 3"),
    ("def inner():\n    return x\nz = inner()", "z = x"),
    ("global MADE\nMADE = x", None),
    ("del z\nz = x", None),
    ("import math\nz = x * math.pi", None),
    ("print('a', n)", "print('b', n)"),
    ("print('a')\nz = x * 2", "z = x * 3"),
]
# Operands of conditions: what is evaluated although Python might have stopped before it.
OPERANDS = [
    "helper(y)",
    "helper(y).any()",
    "items.pop()",
    "items",
    "n",
    "n > 1",
    "(m := n)",
    "(m := y.any())",
    "print(n)",
]
OPERANDS += [
    "y.any()",
    "y.sum().item() > n",
    "self.scale > 0",
    "self.linear(y).any()",
    "TABLE['a']",
    "items[0]",
    "n / 0",
    "1 / n",
]
OPERANDS += [
    "len(items) > 1",
    "items[n].any()",
    "y.add_(1).any()",
    "torch.rand(1) > 0",
    "missing",
    "y is None",
    "not y.any()",
]
OPERANDS += [
    "isinstance(y, Tensor)",
    "y.shape[0] > n",
    "y.shape[n] > 1",
    "y[n] > 0",
    "int(y.sum())",
    "(lambda: n)()",
    "[y][0].any()",
]
TESTS = [
    form.format(operand)
    for operand in OPERANDS
    for form in ("x.any() and {}", "{} and x.any()", "x.any() or not {}", "n or ({} and x.any())")
]
SIDES = {"calls": CALLS, "assigned": ASSIGNED, "ended": ENDED, "operands": [("z = x * 2", "z = x * 3")] * len(TESTS)}


def indented(side: str) -> str:
    return "".join(f"            {line}\n" for line in side.splitlines())


def program(name: str) -> str:
    text = HEAD
    for number, (then, orelse) in enumerate(SIDES[name]):
        other = "" if orelse is None else f"        else:\n{indented(orelse)}"
        test = TESTS[number] if name == "operands" else "x.sum() > 0"
        text += FUNCTION.format(
            number=number, test=test, then=indented(then), orelse=other, after="        return z, y, n, items"
        )
    return text


@pytest.mark.parametrize("name", SIDES)
def test_stated_sides(executable: str, tmp_path: Path, name: str) -> None:
    (tmp_path / "a.py").write_text(program(name))
    compile(program(name), "a.py", "exec")
    stated = []
    for command in (["check", "--no-cache", "--all", "--isolated"], ["debug", "mend"], ["fix", "--diff", "--unsafe"]):
        done = subprocess.run([executable, *command, "a.py"], cwd=tmp_path, capture_output=True, text=True)
        stated.append(done.stdout + done.stderr)
    hold(Path(__file__).parent / "stated" / f"sides.{name}.txt", "\n".join(stated))
