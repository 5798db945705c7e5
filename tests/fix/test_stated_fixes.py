"""Functions in which `fix` knows all of a tensor that it has to: what it writes of each, in full.

Each row is a function of its own; N is a tensor without gradients. The texts stand in `stated` and are read as a diff;
that they do what the function did is held by test_cases.py and test_random.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from fix_command import Command
from stated_texts import hold

HEAD = "import torch\nfrom torch import Tensor\n"
FUNCTION = "\n\n@torch.compile\ndef f{number}(x: Tensor, n: int):\n{body}\n"
IF = "if x.mean() > 0:\n    {then}\nelse:\n    {orelse}\nreturn {result}"

# What decides, around `y = x * 2` and `y = x * 3`.
CONDITIONS = [
    *("x.mean() > 0", "x.mean() >= 0", "x.mean() < n", "0 < x.mean()", "x.mean() == 0", "x.mean() != 0", "x.any()"),
    *("not x.any()", "not not x.any()", "not x.mean() > 0", "x.mean() > 0 and x.max() < 1", "x.any() or x.all()"),
    *("(x.any() and x.all()) or not x.any()", "x.mean() > 0 and n", "n and x.mean() > 0", "x.mean() > 0 or n > 1"),
    *("0 < x.mean() < 1", "x.mean() > x.max() - 1", "(x > 0).all()", "(x > 0).any().item()", "bool(x.any())"),
    *("torch.any(x)", "torch.all(x > 0)", "torch.isnan(x).any()", "not torch.isfinite(x).all()", "x.mean()", "x.sum()"),
    *(
        "x.mean().item() > 0",
        "float(x.mean()) > 0",
        "x.norm() > 1",
        "x.abs().max() > n",
        "x[0].mean() > 0",
        "x.isnan().any()",
    ),
    *(
        "x.mean(dim=0).any()",
        "x.mean() is None",
        "x.mean() in (0, 1)",
        "(m := x.mean()) > 0",
        "x.mean() > (1 if n else 2)",
    ),
    *(
        "~x.any()",
        "x.any() & x.all()",
        "x.any() | x.all()",
        "x.any() ^ x.all()",
        "x.any() == x.all()",
        "x.mean() > float('nan')",
    ),
    *("x.argmax() == n", "x.numel() > 0 and x.mean() > 0", "x.mean() > 0 and x.mean() > 0", "torch.equal(x, x * 2)"),
]
# Both sides, and what is returned.
SIDES = [
    *(
        ("y = x * 2", "y = x * 3", "y"),
        ("y = x * 2", "y = x + 1", "y * 2"),
        ("y = x.sin()", "y = x.cos()", "y"),
        ("y = -x", "y = x * 1", "y"),
    ),
    *(
        ("y = x * 2; z = x + 1", "y = x * 3; z = x - 1", "y, z"),
        ("y = x * 2; z = y + 1", "y = x * 3; z = y - 1", "y, z"),
    ),
    *(("z = x + 1; y = x * 2", "y = x * 3; z = x - 1", "y, z"), ("y = x * 2; y = y + 1", "y = x * 3", "y")),
    *(
        ("y = x * 2", "y = x * 2", "y"),
        ("y = x * 2.0", "y = x * n", "y"),
        ("y = torch.relu(x)", "y = torch.tanh(x)", "y"),
    ),
    *(("y = torch.zeros_like(x)", "y = x * 2", "y"), ("y = torch.ones_like(x)", "y = torch.zeros_like(x)", "y")),
    *(
        ("y = x.sum()", "y = x.mean()", "y"),
        ("y = x.sum()", "y = x * 2", "y"),
        ("y = x[0]", "y = x[1]", "y"),
        ("y = x > 0", "y = x < 0", "y"),
    ),
    *(
        ("y = x.clone()", "y = x * 2", "y"),
        ("y = x.detach()", "y = x * 2", "y"),
        ("y = x / 2", "y = x * 2", "y"),
        ("y = x ** 2", "y = x * 2", "y"),
    ),
    *(
        ("y = x.sqrt()", "y = x * 2", "y"),
        ("y = x.log()", "y = x.exp()", "y"),
        ("y = x.reshape(-1)", "y = x * 2", "y"),
        ("y = x.T", "y = x", "y"),
    ),
    *(
        ("y = x + x * 2", "y = (x + 1) * 2", "y"),
        ("y = x if n else -x", "y = x * 2", "y"),
        ("y = 1", "y = x * 2", "y"),
        ("y = 1.0", "y = 2.0", "y"),
    ),
    *(
        ("x = x * 2", "x = x * 3", "x"),
        ("x = x * 2", "pass", "x"),
        ("pass", "x = x * 3", "x"),
        ("x = -x; y = x", "y = x * 3", "x, y"),
    ),
    *(
        ("x = x * 2; y = x + 1", "y = x; x = x * 3", "x, y"),
        ("x *= 2", "x = x * 3", "x"),
        ("y = x * 2  # a", "y = x * 3  # b", "y"),
    ),
    *(
        ("condition = x * 2; y = x", "condition = x * 3; y = x * 4", "condition, y"),
        ("y = x.half()", "y = x.float()", "y"),
    ),
    *(
        ("y = torch.where(x > 0, x, -x)", "y = x * 2", "y"),
        ("y = x.clamp(min=0)", "y = x.clamp(0, 1)", "y"),
        ("y = x.abs()", "y = abs(x)", "y"),
    ),
    *(
        ("y = torch.empty_like(x)", "y = x * 2", "y"),
        ("y = torch.rand_like(x)", "y = x * 2", "y"),
        ("y = x @ x", "y = x * 2", "y"),
    ),
    *(
        ("y = (x * 2,)", "y = (x * 3,)", "y"),
        ("y, z = x * 2, x + 1", "y, z = x * 3, x - 1", "y, z"),
        ("y = [x * 2]", "y = [x * 3]", "y"),
    ),
]
# What stands around a branch, and tells the dtype or does not.
GUARDS = [
    "if x.is_floating_point():",
    "if torch.is_floating_point(x):",
    "if x.dtype == torch.float16:",
    "if x.dtype is torch.float32:",
    "if x.dtype in (torch.float16, torch.bfloat16):",
    "if x.dtype in [torch.float16, torch.int8]:",
    "if x.dtype != torch.float16:",
    "if n and x.is_floating_point():",
    "if n or x.is_floating_point():",
    "if n:\n    pass\nelif x.is_floating_point():",
    "if x.is_floating_point():\n    pass\nelse:",
    "if x.is_floating_point():\n    x = x.long()",
]
BRANCH = "    if x.sum() > 0:\n        x = x * 2\n    else:\n        x = x / 3"
# Whole bodies.
BODIES = [
    "if x.mean() > 0:\n    return x * 2\nreturn x * 3",
    "if x.mean() > 0:\n    return x * 2\nelse:\n    return x * 3",
    "if x.mean() > 0:\n    y = x * 2\n    return y\nreturn x * 3",
    "y = x + 1\nif x.mean() > 0:\n    return y\nreturn y * 3",
    "if x.mean() > 0:\n    return x * 2\nif x.mean() < -1:\n    return x * 3\nreturn x * 4",
    "if x.mean() > 0:\n    return x * 2\nelif x.mean() < -1:\n    return x * 3\nelse:\n    return x * 4",
    "if x.mean() > 0:\n    y = x * 2\nelif x.mean() < -1:\n    y = x * 3\nelse:\n    y = x * 4\nreturn y",
    "if n:\n    y = x\nelif x.mean() > 0:\n    y = x * 2\nelse:\n    y = x * 3\nreturn y",
    "if x.mean() > 0:\n    return x * 2, x + 1\nreturn x * 3, x - 1",
    "if x.mean() > 0:\n    return x * 2, n\nreturn x * 3, n",
    "if x.mean() > 0:\n    return x * 2, 1\nreturn x * 3, 2",
    "return x * 2 if x.mean() > 0 else x * 3",
    "return (x * 2 if x.mean() > 0 else x * 3) + 1",
    "return 1 + (x * 2 if not x.any() else x * 3)",
    "y = x * 2 if x.mean() > 0 else x * 3 if x.mean() < -1 else x * 4\nreturn y",
    "y = (x * 2  # a\n     if x.mean() > 0 else  # b\n     x * 3)\nreturn y",
    "y = [x * 2 if x.mean() > 0 else x * 3, n]\nreturn y",
    "return torch.sin(x * 2 if x.mean() > 0 else x * 3)",
    "y = x * 2\nif x.mean() > 0:\n    y = y + 1\nreturn y",
    "y = x * 2\nif x.mean() > 0:\n    # only here\n    y = y + 1\nreturn y",
    "y = x * 2\nz = x * 3\nif x.mean() > 0:\n    y, z = z, y\nreturn y - z",
    "y = x * 2\nz = x * 3\nif x.mean() > 0:\n    y = z\n    z = x * 4\nreturn y - z",
    "positive = x.mean() > 0\nif positive:\n    y = x * 2\nelse:\n    y = x * 3\nreturn y",
    "positive = x.mean() > 0\nif positive:\n    y = x * 2\n"
    "    z = x + 1\nelse:\n    y = x * 3\n    z = x - 1\nreturn y, z",
    "positive = x.mean() > 0\nif not positive:\n    y = x * 2\n"
    "    z = x + 1\nelse:\n    y = x * 3\n    z = x - 1\nreturn y, z",
    "with torch.no_grad():\n    y = x * 2\n    if x.mean() > 0:\n        y = y + 1\n    return y",
    "with torch.no_grad():\n    if x.mean() > 0:\n        y = x * 2\n"
    "        z = y + 1\n    else:\n        z = x - 1\n        y = z * 3\nreturn y, z",
    "for i in range(n):\n    if x.mean() > 0:\n        x = x * 2\n    else:\n        x = x * 3\nreturn x",
    "for i in range(n):\n    if x.mean() > 0:\n        break\n    x = x * 2\nreturn x",
    "if n:\n    if x.mean() > 0:\n        x = x * 2\n    else:\n        x = x * 3\nreturn x",
    "if x.mean() > 0:\n    if x.max() > 1:\n        x = x * 2\n    else:\n        x = x * 3\nreturn x",
    *(f"{around}\n{BRANCH}\nreturn x" for around in GUARDS),
    "if x.is_floating_point():\n    for i in range(n):\n        if x.sum() > 0:\n"
    "            x = x * 2\n        else:\n            x = x / 3\nreturn x",
    "y = x.float()\nif y.sum() > 0:\n    y = y * 2\nelse:\n    y = y / 3\nreturn y",
    "y = x.long()\nif y.sum() > 0:\n    y = y * 2\nelse:\n    y = y * 3\nreturn y",
    "y = x.to(torch.float64)\nif y.sum() > 0:\n    y = y * 2.5\nelse:\n    y = y / 3\nreturn y",
    "y = torch.ones(2, 3)\nif y.sum() > 0:\n    y = y * 2\nelse:\n    y = y / 3\nreturn y",
    "y = torch.ones(2, 3, device='cpu')\nif x.mean() > 0:\n    y = y * 2\nelse:\n    y = y / 3\nreturn y",
    "y = x.sum()\nif y > 0:\n    y = y * 2\nelse:\n    y = y / 3\nreturn y",
    "y = x.cpu()\nif x.mean() > 0:\n    y = y * 2\nelse:\n    y = y * 3\nreturn y",
    "print('a')\nif x.mean() > 0:\n    x = x * 2\nelse:\n    x = x * 3\nreturn x",
    "if x.mean() > 0: x = x * 2\nelse: x = x * 3\nreturn x",
    "if x.mean() > 0: return x * 2\nreturn x * 3",
    "if (\n    x.mean() > 0  # a\n):\n    x = x * 2\nelse:\n    x = x * 3\nreturn x",
    "if x.mean() > 0:\n    x = (\n        x\n        * 2\n    )\nelse:\n    x = x * 3\nreturn x",
    "if x.mean() > 0:\n    x = x.sin().cos().tan().sin().cos().tan().sin().cos().tan()\n"
    "else:\n    x = x.cos().sin().cos().tan().sin().cos().tan()\nreturn x",
    "if x.mean() > 0:\n\n    x = x * 2\n\nelse:\n\n    x = x * 3\n\nreturn x",
    "if x.mean() > 0:\n    x = x * 2  # graphmend: ignore[GM101]\nelse:\n    x = x * 3\nreturn x",
    "if x.mean() > 0:  # graphmend: ignore[GM101]\n    x = x * 2\nelse:\n    x = x * 3\nreturn x",
    "def inner(y):\n    if x.mean() > 0:\n        return y * 2\n    return y * 3\nreturn inner(x)",
    "torch = n\nif x.mean() > 0:\n    x = x * 2\nelse:\n    x = x * 3\nreturn x, torch",
    "\u03b1 = x\nif x.mean() > 0:\n    \u03b1 = x * 2\nelse:\n    \u03b1 = x * 3\nreturn \u03b1",
]


def programs() -> dict[str, list[str]]:
    """The bodies of the functions, by what they differ in."""
    return {
        "conditions": [f"if {test}:\n    y = x * 2\nelse:\n    y = x * 3\nreturn y" for test in CONDITIONS],
        "several": [
            f"if {test}:\n    y = x * 2\n    z = x + 1\nelse:\n    y = x * 3\n    z = x - 1\nreturn y, z"
            for test in CONDITIONS
        ],
        "returned": [f"if {test}:\n    return x * 2\nreturn x * 3" for test in CONDITIONS],
        "sides": [IF.format(then=then, orelse=orelse, result=result) for then, orelse, result in SIDES],
        "bodies": BODIES,
    }


NAMES = ["conditions", "several", "returned", "sides", "bodies"]


@pytest.mark.parametrize(
    "name,safety", [*((name, "unsafe") for name in NAMES), ("conditions", "safe"), ("bodies", "safe")]
)
def test_stated_fixes(fix: Command, name: str, safety: str) -> None:
    text = HEAD
    for number, body in enumerate(programs()[name]):
        lines = "\n".join(f"    {line}" if line else "" for line in body.splitlines())
        text += FUNCTION.format(number=number, body=lines)
    compile(text, "case.py", "exec")
    path = fix.write("case.py", text)
    told = fix(*["--unsafe"] * (safety == "unsafe"), path.name)
    assert told.status in (0, 1)
    hold(
        Path(__file__).parent / "stated" / f"fixes.{name}.{safety}.txt",
        path.read_text(encoding="utf-8") + told.out + told.err,
    )
