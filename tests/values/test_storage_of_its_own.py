"""Which uses of a new tensor give its storage to nobody: it stays `fresh` behind them, and behind no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_values import facts

# What reads the tensor, asks it, or makes something of its own from it.
PRIVATE = ["x + y", "-y", "not y", "y > x", "y is None", "y", "y.shape", "y.mean()", "x[y]", "torch.add(x, y)"]
PRIVATE += ["isinstance(y, Tensor)", "x += y", "y += x", "k[y] = x", "k[y] += x", "y[0] = x[0]", "y[0] += x[0]"]
PRIVATE += ["assert y is None", "assert y", "if y: pass", "while y: break", "z = y * 2", "z = x + y.sum()"]
# What may hold the tensor, a view of it, or one of its items, and what is not known.
SHARED = ["y and x", "y if k else x", "y.view(-1)", "y.detach()", "y.T", "y.data", "y[0]", "torch.reshape(y, (-1,))"]
SHARED += ["k(y)", "k(a=y)", "k(*y)", "k.append(y)", "k.extend([y])", "k.update(a=y)", "[y]", "(y, x)", "{0: y}", "{y}"]
SHARED += ["[y for _ in k]", "[z for z in y]", "lambda: y", "(z := y)", "k[0] += y", "k.a += y", "k[0] = y", "k.a = y"]
SHARED += ["z = y", "z: Tensor = y", "z, w = y, x", "*z, w = y", "z = w = y", "z = y, x", "z = [y]", "z = y[0]"]
SHARED += ["for z in y: pass", "with y: pass", "yield y", "yield [y]", "def g(): return y", "def g(a=y): return a"]
SHARED += ["class C: a = y", "if k: z = y", "while k: k.append(y)"]
MAKERS = ["torch.zeros(3)", "x * 2", "torch.relu(x)", "x.clone()"]


def kept(executable: str, path: Path, maker: str, uses: list[str]) -> list[str]:
    """The uses behind which the tensor is fresh, when each stands in a function of its own."""
    text, lines = "import torch\nfrom torch import Tensor\n", {}
    for number, use in enumerate(uses):
        text += f"\n\ndef f{number}(x: Tensor, k):\n    y = {maker}\n    {use}\n    y\n"
        lines[text.count("\n")] = use
    path.write_text(text)
    told = {line: words for (line, name), (_, words, _) in facts(executable, path).items() if name == "y"}
    return [use for line, use in lines.items() if "fresh" in told[line]]


@pytest.mark.parametrize("maker", MAKERS)
def test_uses_that_give_the_storage_to_nobody(executable: str, tmp_path: Path, maker: str) -> None:
    path = tmp_path / "a.py"
    assert kept(executable, path, maker, PRIVATE) == PRIVATE
    assert kept(executable, path, maker, SHARED) == []


@pytest.mark.parametrize("maker", MAKERS)
def test_one_use_that_gives_it_away_is_enough(executable: str, tmp_path: Path, maker: str) -> None:
    """In whichever order they stand."""
    path = tmp_path / "a.py"
    pairs = [f"{first}; y" for first in PRIVATE if ":" not in first]
    assert kept(executable, path, maker, pairs) == pairs
    for shared in ("z = y", "k(y)", "z = y[0]"):
        both = [f"{first}; {shared}" for first in PRIVATE if ":" not in first]
        assert kept(executable, path, maker, both) == []
        assert kept(executable, path, maker, [f"{shared}; {first}" for first in PRIVATE if ":" not in first]) == []
