"""A variable that functions inside of the function may see, in front of every branch and record that changes it."""

from __future__ import annotations

from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

HEAD = "import torch\n\nKEPT = []\n"
INNER = [
    *(
        "pass",
        "def g():\n    return y",
        "def g():\n    y = 1\n    return y",
        "def g(y):\n    return y",
        "g = lambda: y",
    ),
    *(
        "g = lambda y: y",
        "g = [y for _ in n]",
        "g = [y for y in n]",
        "g = [lambda: y for _ in n]",
        "g = [lambda: y for y in n]",
    ),
    *(
        "def g():\n    y = 1\n    def h():\n        return y\n    return h",
        "def g():\n    def h():\n        return y\n    return h",
    ),
    *("def g():\n    nonlocal y\n    y = 1", "def g():\n    global y\n    def h():\n        return y"),
    *(
        "class g:\n    a = y",
        "class g:\n    y = 1\n    def h(self):\n        return y",
        "class g:\n    def h(self, y):\n        return y",
    ),
    *(
        "def g(a=y):\n    return a",
        "def g():\n    for y in n:\n        pass\n    return lambda: y",
        "def g():\n    return [y for y in n]",
    ),
    # What a list reads is no longer the function's alone, and yet nothing else sees it.
    *(
        "rows = [y for _ in n]\ng = lambda y: y",
        "rows = [y for _ in n]\ndef g():\n    y = 1\n    return y",
        "rows = [y for _ in n]\nclass g:\n    y = 1\n    def h(self):\n        return y",
        "rows = [y for _ in n]\nclass g:\n    y = 1\n    def h(self, y):\n        return y",
    ),
]
CHANGES = [
    "if x.sum() > 0:\n    y = y + 1\nreturn y",
    "if x.sum() > 0:\n    y += 1\nelse:\n    y = y - 1\nreturn y",
    "if x.sum() > 0:\n    return y\ny = y + 1\nreturn y",
    "y = y + 1 if x.sum() > 0 else y\nreturn y",
    "print(y, x.sum())\ny = y + 1\nreturn y",
    "print((y := x.sum()))\nreturn y",
    "KEPT.append(y.sum().item())\nreturn y",
    "assert x.sum() > 0, f'{y}'\nreturn y",
    "for i in n:\n    if x.sum() > 0:\n        y = y + i\nreturn y",
]


def test_captured(executable: str, tmp_path: Path) -> None:
    def written(inner: str, change: str, number: int) -> str:
        lines = f"y = x * 2\n{inner}\n{change}".splitlines()
        body = "".join(f"    {line}\n" for line in lines)
        return f"\n\n@torch.compile\ndef f{number}(x: torch.Tensor, n):\n{body}"

    text = matrix(executable, tmp_path, HEAD, INNER, CHANGES, written, "--all")
    hold(Path(__file__).parent / "stated" / "captured.txt", text)
