"""Every pair of some sides of a branch: which are selected from, and what is in the way of the others.

The matrix stands beside this file (stated/pairs.*): a letter for each reason, a dot for a branch that is mended. What
is mended is run beside the branch: values, dtypes, shapes and gradients are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fix_command import Command
from stated_texts import hold

torch = pytest.importorskip("torch")
HEAD = "import torch\nfrom torch import Tensor\n"
PREPARED = {
    "gradients": "x, y = x.float(), y.float()",
    "no_grad": "torch.set_grad_enabled(False)",
    "long": "x, y = x.long(), y.long()",
    "bool": "x, y = x > 0, y > 0",
    "any": "pass",
}
SIDES = ["x", "y", "x + y", "y + x", "x * 2", "x * 2.0", "x * 1e9", "x * 0", "x / 2", "2 / x", "x * y", "x - 1", "-x"]
SIDES += [
    "x > 0",
    "x > y",
    "y > x",
    "~(x > 0)",
    "x == 1",
    "x.relu()",
    "x.exp()",
    "x.sqrt()",
    "x.abs() * y",
    "x.detach()",
]
SIDES += [
    "torch.zeros_like(x)",
    "torch.ones_like(y)",
    "x.masked_fill(x > 0, 0.0)",
    "x.masked_fill(x > 0, 0)",
    "x.isnan()",
]
SIDES += [
    "torch.where(x > 0, x, y)",
    "torch.where(x > 0, x, 0.0)",
    "x.clamp(0, 1)",
    "x.clamp(min=0)",
    "x + n",
    "x * len(y)",
]
SIDES += [
    "x + torch.finfo(x.dtype).max",
    "x * (torch.finfo(x.dtype).eps * 0.5)",
    "x + (1 - 3) * 2",
    "x + 1 / 4",
    "x + y * 2",
]
SIDES += ["(x + y) * (y + x)", "torch.sigmoid(x)", "x.float()", "x.half()", "x.sum()", "n", "None"]


def functions(prepared: str) -> dict[str, str]:
    """Bodies by their two sides."""
    branch = "if x.mean() > 0:\n        h = {}\n    else:\n        h = {}\n    return h"
    return {f"{one} | {other}": f"{prepared}\n    {branch.format(one, other)}" for one in SIDES for other in SIDES}


def reasons(out: str) -> dict[int, str]:
    found, line = {}, 0
    for row in out.splitlines():
        if place := re.match(r"case\.py:(\d+):\d+: (GM1\d+)", row):
            line = int(place[1])
        elif why := re.search(r"= (no fix|fix[^:]*): (.*)", row):
            found[line] = why[2]
    return found


def mend(fix: Command, bodies: list[str]) -> Iterator[tuple[str, str]]:
    """Each function behind `fix --unsafe`, and why it is as it was."""
    head = "\n\n@torch.compile\ndef f(x: Tensor, y: Tensor, n: int):\n    "
    path = fix.write("case.py", HEAD + "".join(f"{head}{body}\n" for body in bodies))
    why = reasons(fix("--unsafe", path.name).out)
    after = path.read_text(encoding="utf-8")
    parts = re.split(r"\n\n\n(?=@torch.compile)", after)[1:]
    assert len(parts) == len(bodies)
    at = after.count("\n", 0, after.index("@torch.compile")) + 1
    for part in parts:
        size = part.count("\n") + 3
        yield part, next((why[line] for line in range(at, at + size) if line in why), "")
        at += size


def tensors(name: str) -> Iterator[tuple[Any, Any]]:
    for scale in (1.0, -1.0):
        x, y = torch.tensor([0.5, 2.0, -1.0, 0.0]) * scale, torch.tensor([1.5, -2.0, 0.0, 3.0])
        if name in ("long", "bool", "any"):
            yield x.long(), y.long()
        if name not in ("long", "bool"):
            yield x.clone().requires_grad_(name == "gradients"), y.clone().requires_grad_(name == "gradients")


def outcome(text: str, given: tuple[Any, Any]) -> list[Any]:
    """What a function gives: value, dtype and gradients."""
    scope: dict[str, Any] = {}
    exec(HEAD + text.replace("@torch.compile\n", ""), scope)
    before = torch.is_grad_enabled()
    try:
        result = scope["f"](*given, 3)
    finally:
        torch.set_grad_enabled(before)
    told = [repr(result.detach()), result.dtype, result.shape]
    if result.requires_grad:
        told += [repr(one) for one in torch.autograd.grad(result.sum(), given, allow_unused=True)]
    return told


def raises(text: str, given: tuple[Any, Any]) -> bool:
    try:
        outcome(text, given)
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("name", PREPARED)
def test_pairs_of_sides(fix: Command, name: str) -> None:
    bodies = functions(PREPARED[name])
    letters: dict[str, str] = {}
    rows = dict.fromkeys(SIDES, "")
    for (sides, body), (part, why) in zip(bodies.items(), mend(fix, list(bodies.values()))):
        changed = part.partition("\n    ")[2].strip() != body.strip()
        before = f"def f(x: Tensor, y: Tensor, n: int):\n    {body}\n"
        for given in tensors(name) if changed else ():
            if not raises(before, given):
                assert outcome(part, given) == outcome(before, given), (sides, part, given)
        letter = "." if changed else letters.setdefault(why, chr(ord("a") + len(letters)))
        rows[sides.partition(" | ")[0]] += letter
    lines = [f"{row} {side}" for side, row in rows.items()]
    lines += [f"{letter}: {why}" for why, letter in letters.items()]
    hold(Path(__file__).parent / "stated" / f"pairs.{name}.txt", "\n".join(lines) + "\n")
