"""What `fix --unsafe` proves of a value: by its form, its dtype, its numbers, and by who else may hold a tensor.

For each pair of a preparation and a statement `stated` has what is written in place of the branch, or why nothing is,
and what is assumed. That the written text does the same is held by test_random.py.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fix_command import Command
from stated_texts import hold

HEAD = "import torch\nfrom torch import Tensor\n"
# How a tensor is prepared: its dtype, whether it keeps gradients.
PREPARED = {
    "any": "x = x * 2",
    "float": "x = x.float().detach()",
    "gradients": "x = x.float()",
    "half": "x = x.half().detach()",
    "bfloat16": "x = x.to(torch.bfloat16).detach()",
    "double": "x = x.to(dtype=torch.float64).detach()",
    "long": "x = x.long()",
    "int": "x = x.to(torch.int32)",
    "short": "x = x.to(torch.int16)",
    "byte": "x = x.to(torch.uint8)",
    "bool": "x = x > 0",
    "complex": "x = x.to(torch.complex64).detach()",
    "several": "x, k = x.float().detach(), x.half().detach()",
    "number": "x, k = x.float().detach(), 3",
    "size": "x, k = x.float().detach(), x.shape[0]",
    "real": "x, k = x.float().detach(), float(n)",
}
WITH_NUMBER = ("several", "number", "size", "real")
NUMBERS = ["0", "1", "-1", "2.0", "0.5", "-0.0", "127", "128", "-128", "-129", "255", "256", "32767", "32768", "65504"]
NUMBERS += [
    "65505",
    "65520",
    "2147483647",
    "2147483648",
    "-2147483649",
    "1 << 24",
    "(1 << 24) + 1",
    "2 ** 53",
    "2 ** 63",
]
NUMBERS += [
    "3.4028234e38",
    "3.5e38",
    "1e-46",
    "1e308",
    "1e309",
    "float('inf')",
    "float('nan')",
    "1j",
    "True",
    "None",
    "n",
]
VALUES = [
    *(f"x {operator} 2" for operator in ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")),
    *(f"2 {operator} x" for operator in ("+", "-", "*", "/", "//", "%", "**")),
    *(f"x {operator} y" for operator in ("+", "-", "*", "/", "<", ">=", "==", "!=")),
    *(
        "-x",
        "+x",
        "~x",
        "x + x * 2",
        "(x - 1) * (x + 1)",
        "x * 2 - x",
        "x * n",
        "x * y * 2",
        "x + k",
        "k * 2",
        "k",
        "x",
    ),
    *(
        f"x.{name}()"
        for name in ("relu", "sin", "cos", "tan", "exp", "log", "sqrt", "rsqrt", "abs", "neg", "sign", "square")
    ),
    *(
        f"x.{name}()"
        for name in ("floor", "round", "sigmoid", "tanh", "reciprocal", "clone", "detach", "contiguous", "sum")
    ),
    *(
        f"x.{name}()"
        for name in ("mean", "max", "t", "float", "half", "nan_to_num", "isnan", "logical_not", "item", "any")
    ),
    *(
        "torch.relu(x)",
        "torch.sigmoid(x)",
        "torch.add(x, 1)",
        "torch.add(x, y, alpha=2)",
        "torch.mul(x, 2)",
        "torch.sub(x, 1)",
    ),
    *(
        "x.clamp(0, 1)",
        "x.clamp(min=0)",
        "x.clamp(max=n)",
        "x.clamp(min=y)",
        "torch.clamp(x, min=-1, max=1)",
        "x.clamp_min(0)",
    ),
    *("x.masked_fill(x > 0, 0)", "x.masked_fill(x > 0, 1e9)", "x.masked_fill(y > 0, 0)", "x.masked_fill(x == y, n)"),
    *(
        "x.masked_fill(x > 0, y)",
        "x.masked_fill(~(x > 0), 0)",
        "torch.masked_fill(x, x < 0, 0)",
        "x.masked_fill(mask, 0)",
    ),
    *(
        "torch.where(x > 0, x, 0)",
        "torch.where(x > 0, x, -x)",
        "torch.where(y > 0, x, 0.0)",
        "torch.where(x > 0, 1, 0)",
    ),
    *(
        "torch.where(x > 0, x, y)",
        "torch.where(x.mean() > 0, x, -x)",
        "x.where(x > 0, x)",
        "torch.where(x > 0, 0, x * 2)",
    ),
    *("torch.zeros_like(x)", "torch.ones_like(x)", "torch.full_like(x, 2)", "torch.zeros_like(x, dtype=torch.half)"),
    *(
        "torch.empty_like(x)",
        "torch.rand_like(x)",
        "torch.zeros(3)",
        "x.new_zeros(3)",
        "torch.tensor(1.0)",
        "x[0]",
        "x[:, 0]",
    ),
    *(
        "x.view(-1)",
        "x.reshape(-1)",
        "x.transpose(0, 1)",
        "x.to(y.dtype)",
        "x.type_as(y)",
        "[x]",
        "(x, y)",
        "x.softmax(-1)",
    ),
    *("torch.maximum(x, y)", "torch.pow(x, 2)", "torch.pow(2, x)", "x.pow(0.5)", "x.lerp(y, 0.5)", "x.addcmul(y, y)"),
    *(
        "x * (1 if n else 2)",
        "x * (n + 1)",
        "x * (n / 2)",
        "x * (n % 3)",
        "x * (-n)",
        "x + (n > 1)",
        "x * len(x)",
        "x * x.numel()",
    ),
]
# What stays in the range of the dtype, at and beside each limit.
VALUES += [
    f"x.masked_fill(x > 0, torch.finfo(x.dtype).{name})"
    for name in ("max", "min", "eps", "tiny", "bits", "smallest_normal")
]
VALUES += [
    f"x.masked_fill(x > 0, torch.finfo(x.dtype).{name} {change})"
    for name in ("max", "min")
    for change in (
        "- 1",
        "+ 1",
        "- 60000",
        "+ 60000",
        "- 60001",
        "+ 60001",
        "- 0",
        "* 1",
        "* 1.5",
        "* 0",
        "* 0.5",
        "* -1",
        "/ 1",
        "/ 2",
        "/ 0.5",
    )
]
# A number that is a variable, on each side of a limit.
VALUES += [
    f"x.masked_fill(x > 0, {row.format(f'torch.finfo(x.dtype).{name}')})"
    for name in ("max", "min")
    for row in ("{} - k", "{} + k", "{} * k", "{} / k", "k - {}", "k + {}", "k * {}", "{} - k * 0.5", "{} - -k")
]
VALUES += [
    "x.masked_fill(x > 0, -torch.finfo(x.dtype).max)",
    "x.masked_fill(x > 0, torch.finfo(x.dtype).max - n)",
    "x * (4 - 4)",
]
VALUES += [
    "x.masked_fill(x > 0, torch.finfo(y.dtype).max)",
    "x.masked_fill(x > 0, torch.finfo(torch.half).max)",
    "x * (1 / 0)",
    "x * 60000",
]
VALUES += [
    "x * 60001",
    "x * 1e-4",
    "x * 9e-5",
    "x / 60000",
    "x / 60001",
    "x * (30000 * 2)",
    "x * (30000 * 2 + 1)",
    "x.clamp(-60000, 60000)",
]
VALUES += ["x.clamp(max=60001)", "x.clamp(min=-60001)", "x.masked_fill(x > 0, 60000)", "x.masked_fill(x > 0, 60001)"]
USES = [
    *(
        f"h.{name}"
        for name in ("dtype", "shape", "device", "ndim", "is_cuda", "requires_grad", "layout", "grad", "T", "data")
    ),
    *(
        f"k = h.{name}"
        for name in ("dtype", "shape", "device", "ndim", "is_cuda", "requires_grad", "layout", "grad", "T", "mT")
    ),
    *(
        f"k = h.{name}()"
        for name in ("sum", "mean", "numel", "dim", "size", "clone", "view_as", "t", "detach", "cpu", "float")
    ),
    *(
        "k = h.size(0)",
        "k = h.view(-1)",
        "k = h.reshape(-1)",
        "k = h.unsqueeze(0)",
        "k = h.expand(3)",
        "k = h.any()",
        "k = h[0]",
    ),
    *(
        "k = h",
        "k = [h]",
        "k = (h, x)",
        "k = {'a': h}",
        "seen.append(h)",
        "seen['h'] = h",
        "k = h if n else x",
        "k = h or x",
    ),
    *(
        "k = h + 1",
        "k = x - h",
        "k = h > 0",
        "k = -h",
        "k = not h",
        "k = ~h",
        "h += 1",
        "h.add_(1)",
        "h[0] = 1",
        "del h",
    ),
    *(
        "k = torch.relu(h)",
        "k = torch.cat([h])",
        "k = torch.sum(h)",
        "k = torch.add(h, 1, out=x)",
        "k = helper(h)",
        "print(h)",
    ),
    *(
        "k = lambda: h",
        "k = [a for a in h]",
        "k = [h for a in x]",
        "def g(): return h",
        "k = f'{h}'",
        "k = len(h)",
        "k = h is x",
    ),
    *(
        "global G\n    G = h",
        "k = isinstance(h, Tensor)",
        "k = id(h)",
        "k = h @ h",
        "k = h in seen",
        "k = *h, 1",
        "yield h",
    ),
]


def texts() -> dict[str, list[tuple[str, str]]]:
    """The names and the bodies of functions."""
    branch = "if x.mean() > 0:\n        h = {value}\n    else:\n        h = x * 3\n    return h"
    own = "h = x * 2\n    {first}\n    if x.mean() > 0:\n        h = h + 1\n    {behind}\n    return h"
    found = {}
    for kind, prepared in PREPARED.items():
        values = VALUES if kind not in WITH_NUMBER else [value for value in VALUES if "k" in value]
        numbers = [f"x * {number}" for number in NUMBERS] + [f"x + {number}" for number in NUMBERS]
        chosen = [*values, *(numbers if kind not in ("any", *WITH_NUMBER) else [])]
        found[f"values.{kind}"] = [(value, f"{prepared}\n    {branch.format(value=value)}") for value in chosen]
    for kind in ("float", "gradients"):
        prepared = PREPARED[kind]
        rows = [(f"first {use!r}", f"{prepared}\n    {own.format(first=use, behind='pass')}") for use in USES]
        rows += [(f"behind {use!r}", f"{prepared}\n    {own.format(first='pass', behind=use)}") for use in USES]
        found[f"uses.{kind}"] = rows
    return found


def written(text: str) -> str:
    """The statements of a function in a line."""
    return "; ".join(line.strip() for line in text.splitlines()[2:] if line.strip() != "pass")


@pytest.mark.parametrize("name", texts())
def test_stated_proofs(fix: Command, name: str) -> None:
    rows = texts()[name]
    functions = [
        f"\n\n@torch.compile\ndef f{number}(x: Tensor, y: Tensor, n: int, mask, seen):\n    {body}\n"
        for number, (_, body) in enumerate(rows)
    ]
    text = HEAD + "".join(functions)
    compile(text, "case.py", "exec")
    path = fix.write("case.py", text)
    told = fix("--unsafe", path.name)
    reasons: dict[int, list[str]] = {}
    line = 0
    for row in told.out.splitlines():
        if found := re.match(r"case\.py:(\d+):\d+: (GM1\d+)", row):
            line = int(found[1])
        elif found := re.search(r"= (no fix|fix[^:]*): (.*)", row):
            reasons.setdefault(line, []).append(found[2])
    after = path.read_text(encoding="utf-8")
    parts = re.split(r"\n\n\n(?=@torch.compile)", after)[1:]
    assert len(parts) == len(rows)
    stated, at = [], after.count("\n", 0, after.index("@torch.compile")) + 1
    for (shown, body), part in zip(rows, parts):
        size = part.count("\n") + 3
        why = [reason for line, some in reasons.items() if at <= line < at + size for reason in some]
        changed = part.partition("\n    ")[2].strip() != body.strip()
        stated.append(f"{shown}\n    {written(part) if changed else why}\n")
        at += size
    hold(Path(__file__).parent / "stated" / f"proofs.{name}.txt", "".join(stated))
