"""Cycles, chains and long bodies: an answer comes, in time and on a small stack."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

COUNT = 1500

CYCLES = """
import torch
x = y
y = x + x0
x0 = x
class A(torch.nn.Module):
    def __init__(self):
        self.b = B()
        self.x = self.b(1) + self.y
        self.y = self.x
    def forward(self, x):
        self.x = self.b.f(x)
        if self.x: return self.forward(self.y)
        return self.p
    @property
    def p(self):
        return self.p or self.forward(1)
class B(A):
    def __init__(self):
        self.a = A()
        self.x = self.a(self.x)
    def f(self, z):
        return self.a.forward(z) if z else self.p
class C(D): pass
class D(C): pass
def f(x): return g(x)
def g(x): return f(x)
def h(x):
    while x: x, z = z, x
    return [z for z in z if z for z in z]
if f(x): x = g(y)
"""


def nested(inner: str, depth: int) -> str:
    for i in range(depth):
        inner = f"[{inner}][0]" if i % 2 else f"-{inner}"
    return inner


def functions() -> str:
    bodies = (f"def f{i}(x):\n    return {nested(f'f{i + 1}(x)', 150)}\n" for i in range(COUNT // 10))
    return "import torch\n" + "".join(bodies) + "def g(x):\n    if f0(x): return 1\n"


def classes() -> str:
    head = "class C{0}(torch.nn.Module):\n    def __init__(self):\n        self.m = C{1}()\n        self.w = self.m.w\n"
    tail = "    def forward(self, x):\n        if self.m(x): return self.w\n        return x\n"
    return "import torch\n" + "".join(head.format(i, i + 1) + tail for i in range(COUNT // 10))


def branches() -> str:
    lines = (f"    if c({i}):\n        x = x + {i}\n    y = y if y else x\n" for i in range(COUNT))
    return "import torch\ndef f(x, c):\n    y = x\n" + "".join(lines) + "    return x\n"


def rebinding() -> str:
    lines = (f"        a{i} = a{i + 1}\n" for i in range(COUNT))
    head = "import torch\ndef f(x, c):\n    while c():\n"
    return head + "".join(lines) + f"        a{COUNT} = x.sum()\n        if a0: x = 1\n"


def chain() -> str:
    return f"import torch\ndef f(x):\n    if x{' + x' * COUNT} > 0: return 1\n    return x{'.relu()' * COUNT}\n"


PROGRAMS = {
    "cycles": CYCLES,
    "functions": functions(),
    "classes": classes(),
    "branches": branches(),
    "rebinding": rebinding(),
    "chain": chain(),
}


@pytest.mark.parametrize("stage", ["facts", "cfg"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_answers(executable: str, tmp_path: Path, name: str, stage: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(PROGRAMS[name])
    command = [executable, "debug", stage, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout
