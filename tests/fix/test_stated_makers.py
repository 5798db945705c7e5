"""Which branches `fix` mends and why not: every way to make what a side hands on, in front of every branch."""

from __future__ import annotations

import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import torch
import torch.nn.functional as F
from torch import nn

KEPT = []


def helper(a):
    return a
"""
CLASS = """

class Model{number}(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.weight, self.kept = nn.Linear(2, 2), nn.Parameter(torch.ones(2)), []

    @torch.compile
    def forward(self, x: torch.Tensor, a: torch.Tensor, b: torch.Tensor, n):
        c = x > 0
{body}
"""
MAKERS = [
    *(
        "y = a",
        "y = -a",
        "y = a + b",
        "y = a * 2",
        "y = a @ b",
        "y = a > b",
        "y = a[0]",
        "y = a[:]",
        "y = a.T",
        "y = a.view(-1)",
    ),
    *(
        "y = a.clone()",
        "y = a.detach()",
        "y = a.relu()",
        "y = a.sum()",
        "y = a.to(b)",
        "y = a.float()",
        "y = a.contiguous()",
    ),
    *(
        "y = a.reshape(-1)",
        "y = a.expand(2, 2)",
        "y = a.add_(1)",
        "y = a.max(0)[0]",
        "y = a.max(0).values",
        "y = a.masked_fill(c, 0)",
    ),
    *(
        "y = torch.where(c, a, b)",
        "y = torch.where(c)",
        "y = torch.where(c, a)",
        "y = torch.where(c, input=a, other=b)",
    ),
    *(
        "y = torch.where(c, a, b, out=a)",
        "y = torch.add(a, b)",
        "y = torch.add(a, b, out=b)",
        "y = torch.relu(a)",
        "y = F.relu(a)",
    ),
    *(
        "y = F.relu(a, inplace=True)",
        "y = F.dropout(a)",
        "y = torch.zeros(2)",
        "y = torch.zeros(2, requires_grad=True)",
    ),
    *(
        "y = torch.ones_like(a)",
        "y = torch.rand(2)",
        "y = torch.cat([a, b])",
        "y = torch.stack((a, b))",
        "y = torch.tensor(n)",
    ),
    *(
        "y = torch.as_tensor(a)",
        "y = torch.from_numpy(n)",
        "y = nn.Parameter(a)",
        "y = self.linear(a)",
        "y = self.weight",
    ),
    *(
        "y = self.weight * 2",
        "y = helper(a)",
        "y = n",
        "y = n(a)",
        "y = (a + b).view(-1)",
        "y = a + b\nz = y",
        "y = z = a + b",
    ),
    *(
        "y = a + b\nself.kept.append(y)",
        "y = a + b\nz = y.view(-1)",
        "y = a + b\nz = y * 2",
        "y = a + b\nprint(y)",
        "y = [a, b]",
    ),
    *(
        "y = a + b\nhelper(y)",
        "y = a + b\ny.add_(1)",
        "y = a + b\ny[0] = 1",
        "y = a + b\ny += 1",
        "y = a\ny += 1",
        "y = a + b\ny.name = n",
    ),
    *(
        "y = a + b\ny.requires_grad_()",
        "y = a + b\ny.retain_grad()",
        "y = a + b\nz = lambda: y",
        "y = a + b\nz = (y, a)",
        "y = 1",
    ),
    *(
        "if n:\n    y = a + b\nelse:\n    y = a - b",
        "if n:\n    y = a + b\nelse:\n    y = a",
        "for i in n:\n    y = a + i",
        "y = a if n else b",
    ),
    *(
        "with torch.no_grad():\n    y = a + b",
        "y: torch.Tensor = a + b",
        "y, z = a + b, a",
        "y = (z := a + b)",
        "y = a.exp()",
        "y = None",
    ),
]
BRANCHES = [
    "if x.sum() > 0:\n    y = y + 1\nreturn y",
    "if x.sum() > 0:\n    y = y * 2\nelse:\n    y = y - 1\nreturn y",
    "if x.sum() > 0:\n    y = a * 2\nreturn y",
    "if x.sum() > 0:\n    y = a\nelse:\n    y = y + 1\nreturn y",
    "if x.sum() > 0:\n    y = y.relu()\nreturn y + 1",
    "if x.sum() > 0:\n    y += 1\nreturn y",
    "if x.sum() > 0:\n    y.add_(1)\nreturn y",
    "y = y + 1 if x.sum() > 0 else y\nreturn y",
    "y = y + 1 if x.sum() > 0 else y - 1\nreturn y",
    "if x.sum() > 0:\n    return y\nreturn y + 1",
    "if x.sum() > 0:\n    y = y + 1\nself.last = y\nreturn a",
    "if x.sum() > 0:\n    y = y + 1\ny += 1\nreturn y",
]


def written(maker: str, branch: str, number: int) -> str:
    body = textwrap.indent(f"{maker}\n{branch}", "        ")
    return CLASS.format(number=number, body=body)


def test_makers(executable: str, tmp_path: Path) -> None:
    text = matrix(executable, tmp_path, HEAD, MAKERS, BRANCHES, written, "--all", why="fix_note")
    hold(STATED / "makers.txt", text)


# What is done with the variable between where it is made and the branch.
USES = [
    *(
        "pass",
        "y.dtype",
        "y.shape",
        "y.shape[0]",
        "y.device",
        "y.ndim",
        "y.is_cuda",
        "y.requires_grad",
        "y.layout",
        "y.T",
        "y.grad",
    ),
    *(
        "y.data",
        "y.sum()",
        "y.size()",
        "y.size(0)",
        "y.numel()",
        "y.dim()",
        "y.is_contiguous()",
        "y.view(-1)",
        "y.clone()",
    ),
    *(
        "y.relu()",
        "y.relu_()",
        "y.item()",
        "y.detach()",
        "y.sum",
        "z = y.sum",
        "y.other()",
        "n.y",
        "n.y.sum()",
        "y + 1",
        "1 + y",
    ),
    *(
        "y @ a",
        "y > 0",
        "0 < y < 1",
        "y is None",
        "y in n",
        "-y",
        "+y",
        "~y",
        "not y",
        "y and n",
        "y[0]",
        "a[y]",
        "a[0] + y",
    ),
    *(
        "(y)",
        "(y,)",
        "[y]",
        "{'k': y}",
        "f'{y}'",
        "torch.add(y, a)",
        "torch.add(y, a, alpha=2)",
        "torch.relu(y)",
        "F.relu(y)",
    ),
    *(
        "F.relu(input=y)",
        "torch.cat([y])",
        "torch.reshape(y, (-1,))",
        "torch.numel(y)",
        "helper(y)",
        "helper(a)",
        "n(y.sum())",
    ),
    *(
        "self.linear(y)",
        "print(y)",
        "print(y.sum())",
        "z = y",
        "z = -y",
        "z = y if n else a",
        "del z",
        "for i in y:\n    pass",
        "z = [i for i in y]",
    ),
    *(
        "if n:\n    y.sum()",
        "if y.shape[0] > 1:\n    pass",
        "while n:\n    y + 1",
        "with n:\n    y.shape",
        "y = y + 1",
        "y = y.view(-1)",
    ),
    *(
        "def f():\n    return y",
        "def f():\n    nonlocal y\n    y = a",
        "y = y",
        "y, z = y, a",
        "y.sum().view(-1)",
        "assert y.ndim == 2",
    ),
]


def test_uses(executable: str, tmp_path: Path) -> None:
    """For a result that is kept for the backward pass and one that is not."""
    columns = [f"{maker} -> {number}" for maker in ("y = a + b", "y = a.exp()", "y = a") for number in (0, 3, 5, 6, 9)]

    def used(use: str, column: str, number: int) -> str:
        maker, _, branch = column.partition(" -> ")
        return written(f"z = n\n{maker}\n{use}", BRANCHES[int(branch)], number)

    hold(STATED / "makers.uses.txt", matrix(executable, tmp_path, HEAD, USES, columns, used, "--all", why="fix_note"))
