"""Numbers in f-strings of calls that are compiled in parts."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    def f(x, a):
        torch._dynamo.graph_break()
        {body}
        return x * 2, s
    """
BODIES = {
    "cut": 's = f"{a:.2f} {x.tolist()!r}"',
    "uncut": 's = f"{a:.2f} {a!r} {a:>9} {a}"; x = x + len(s)',
    "number": 's = f"{x.shape[0]:03d} {x.tolist()} {x.shape[0]}"',
    "item": 's = f"{x.sum().item():.1f} {x.tolist()!r}"',
}
CALLS = [lambda n=n: (torch.full((int(abs(n)) + 2,), n), n * 1.5) for n in (-1.0, 1.5, 333.25, 2.0)]


@pytest.mark.parametrize("name", BODIES)
def test_the_text_is_that_of_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body=BODIES[name])), CALLS, grad=False, rounds=8)
