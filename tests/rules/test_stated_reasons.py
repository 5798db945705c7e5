"""Why a branch is not mended: a program for each reason that the analysis states, and what is said of it in full.

A reason of the sources that no text in `stated` has fails a test.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from stated_texts import hold

ROOT = Path(__file__).parents[2]
STATED = Path(__file__).parent / "stated"
HEAD = """import sys
import inspect
import contextlib
import torch
import numba

LIMIT = 0
TABLE = {}


class Box:
    def __init__(self):
        self.value = 1


def again(x):
    return again(x) if x is None else x


@numba.jit
def compiled(x):
    return x


def reads_names(x):
    return locals()["x"]


def reads_text(x):
    return eval("x")


def reads_frame(x):
    return sys._getframe().f_locals["x"]


def inspects_frame(x):
    return inspect.currentframe().f_locals["x"]


def generates(x):
    yield x


async def awaits(x):
    return await x


class Module(torch.nn.Module):
"""
# What a side holds.
SIDES = [
    *(
        "global LIMIT\nLIMIT = n",
        "LIMIT2 = n\nx = x + LIMIT2",
        "self.last = n",
        "TABLE[n] = x",
        "x[0] = 1",
        "n.value = 2",
    ),
    *("def inner(): return x\nx = inner()", "class Inner: pass", "async def inner(): pass", "del y", "import math"),
    *("from math import pi\nx = x * pi", "try:\n    x = x + 1\nfinally:\n    pass", "while n:\n    n = n - 1"),
    *(
        "match n:\n    case 1: x = x + 1",
        "try:\n    x = x + 1\nexcept* ValueError:\n    pass",
        "type A = int",
        "return x",
    ),
    *(
        "for i in range(n): x = x + i",
        "for i in range(n):\n    break",
        "with torch.no_grad():\n    x = x + 1",
        "raise n",
    ),
    *("with open('a') as stream: pass", "with contextlib.nullcontext(): x = x + 1", "with torch.no_grad() as m: pass"),
    *(
        "if x.max() > n.value:\n    return x",
        "assert x.max() > 0",
        "assert n",
        "if n: x = x + 1",
        "while x.sum() > 0: x = x - 1",
    ),
    *("x = again(x)", "x = compiled(x)", "x = reads_names(x)", "x = reads_text(x)", "x = reads_frame(x)"),
    *(
        "x = inspects_frame(x)",
        "x = generates(x)",
        "x = awaits(x)",
        "x = unknown(x)",
        "x = x + nothing",
        "x = super().f(x)",
    ),
    *(
        "x = x + len(locals())",
        "x = x + len(vars())",
        "x = eval('x')",
        "exec('x = 1')",
        "x = (y := x + 1)",
        "x = lambda: x",
    ),
    *("x = yield x", "x = yield from n", "x = [i async for i in n]", "x = await n", "x.add_(1)", "x = torch.rand(3)"),
    *(
        "x = torch.nn.init.ones_(x)",
        "x.resize_(3)",
        "x = x.item()",
        "x = int(x)",
        "x = x.tolist()",
        "x = id(x)",
        "x = hash(n)",
    ),
    *("x = list(map(str, n))", "x = list(map(unknown, n))", "x = list(filter(None, n))", "x = sorted(n)", "x = n()"),
    *("x = n.method()", "x = self.layer(x)", "x = self.method(x)", "x = t'{n}'", "x = f'{n}'", "x = x if n else y"),
    *("x, y = y, x", "x, *y = n", "[x, y] = n", "x: int = n", "x: int", "x += 1", "x, TABLE[0] = y, n", "x = n = y"),
    *("nonlocal_writer()", "y = captured()", "z = x\ndel z", "pass", "...", "'text'", "print(x)", "print(unknown(x))"),
]
# What stands in a condition behind a tensor.
OPERANDS = [
    *(
        "n",
        "n.method()",
        "(y := n)",
        "y.any()",
        "not y.any()",
        "unknown(n)",
        "(yield n)",
        "[i for i in n]",
        "(lambda: n)",
    ),
    *(
        "n in (1, 2)",
        "n is None",
        "y is None",
        "y == n",
        "0 < n < 3",
        "0 < y.sum() < n",
        "n[0]",
        "self.flag",
        "y.item() > 0",
    ),
    *(
        "isinstance(n, int)",
        "len(n)",
        "hasattr(n, 'a')",
        "torch.is_grad_enabled()",
        "torch.equal(x, y)",
        "bool(y.any())",
    ),
    *("n.pop()", "print(n)", "undefined", "n if y.any() else x", "y.any() if n else x.any()", "(n and y.any())"),
]
FUNCTIONS = [
    "def f{number}(self, x: torch.Tensor, y: torch.Tensor, n):\n{body}",
    "async def f{number}(self, x: torch.Tensor, y: torch.Tensor, n):\n{body}",
]
COMMAND = ["check", "--no-cache", "--all", "--isolated"]


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def with_side(side: str) -> str:
    body = f"if x.sum() > 0:\n{indented(side, 4)}else:\n    x = x - 1\nreturn x"
    if "nonlocal_writer" in side or "captured" in side:
        body = f"def nonlocal_writer():\n    nonlocal x\n    x = x + 1\ndef captured():\n    return y\n{body}"
    return body if "yield" not in side and "async for" not in side else body.replace("return x", "return")


def program() -> str:
    bodies = [with_side(side) for side in SIDES]
    bodies += [f"if x.sum() > 0 and {operand}:\n    x = x + 1\nreturn x" for operand in OPERANDS]
    bodies += [f"if {operand} or x.sum() > 0:\n    x = x + 1\nreturn x" for operand in OPERANDS]
    bodies += ["\n".join(f"v{at} = x * {at}" for at in range(3)) + "\nif x.any():\n    del v1\n    v1 = x\nreturn x"]
    text = HEAD
    for number, body in enumerate(bodies):
        head = FUNCTIONS["await" in body or "async for" in body].format(number=number, body=indented(body, 8))
        text += f"    @torch.compile\n    {head}\n"
    return text


def said_of(executable: str, folder: Path, text: str) -> str:
    """What `check` says of a program, and the program in the dialect."""
    (folder / "a.py").write_text(text)
    done = [
        subprocess.run([executable, *command, "a.py"], cwd=folder, capture_output=True, text=True)
        for command in (COMMAND, ["debug", "mend"])
    ]
    return "\n".join(one.stdout + one.stderr for one in done)


def test_stated_reasons(executable: str, tmp_path: Path) -> None:
    hold(STATED / "reasons.txt", said_of(executable, tmp_path, program()))


def test_stated_reasons_of_callees(executable: str, tmp_path: Path) -> None:
    """The same sides in a function that the branch calls."""
    text = HEAD
    for number, side in enumerate(SIDES):
        head = "async def" if "await" in side or "async for" in side else "def"
        body = side.replace("return x", "return x\n")
        text += f"    {head} g{number}(self, x, y, n):\n{indented(body, 8)}        return x\n\n"
        call = f"        if x.sum() > 0:\n            x = self.g{number}(x, y, n)\n        return x\n"
        text += f"    @torch.compile\n    def f{number}(self, x: torch.Tensor, y: torch.Tensor, n):\n{call}\n"
    hold(STATED / "reasons.called.txt", said_of(executable, tmp_path, text))


FILES = ["effects.c", "effects_expression.c", "sides.c", "test_refusal.c"]
TEXT = re.compile(r'"((?:its code|the function|the condition|an operand|another compiler|it has)[^"\n]*)"')
# Reasons in front of which `run` follows a path, or another reason is told: whether they hold is seen in the dialect.
NOT_BROUGHT = {
    "its code writes a variable that is not local to the function",
    "its code holds a branch on data that cannot be mended",
    "its code returns",
    "its code holds an assertion on data that cannot be mended",
    "its code awaits",
    "its code could not be parsed",
    "its code calls functions that are nested too deeply",
    "its code asks for more than the values of a tensor",
    "its code asks which object something is",
    "its code reads a name that nothing in the file binds",
    "its code awaits or yields",
    "its code calls `super()` or names `__class__`, which a nested function cannot",
    "its code reads the local variables by name",
    "its code yields",
    "its code deletes something",
    "it has too many variables",
    "the condition awaits or yields",
}


def test_every_reason_of_the_sources_is_stated() -> None:
    stated = "".join(path.read_text(encoding="utf-8") for path in STATED.glob("*.txt"))
    missing = []
    for name in FILES:
        for text in TEXT.findall((ROOT / "src" / "analysis" / name).read_text(encoding="utf-8")):
            parts = [part for part in re.split(r"%s|`", text) if " " in part.strip()]
            if text not in NOT_BROUGHT and any(part not in stated for part in parts):
                missing.append(f"{name}: {text}")
    assert missing == []
