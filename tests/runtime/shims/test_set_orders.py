"""Sets whose order the program sees: iterated, listed, popped."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    ITEMS = [torch.nn.ReLU(), torch.nn.Tanh(), torch.nn.Sigmoid()]
    NAMES = {{"weight", "bias", "scale", "shift"}}
    TABLE = {{"a": 1, "b": 2}}
    def f(x):
        if x.sum() > 0:
            x = x + 1
        {body}
    """
SEEN = {
    "numbers": "s = {int(v) for v in x}; return list(s), x",
    "popped": "s = {int(v) for v in x} | {100, 7}; a = s.pop(); return a, [v for v in s], x",
    "union": "s = frozenset(int(v) for v in x); return list(s | {64, 0}), x",
    "changed": "s = {40, 8, 16}; s.discard(8); s.add(33); s.update([1, 9]); return list(s), x",
    "in place": "s = {40, 8}; s |= {16, 24}; s -= {8}; return [k for k in s], x",
    "copied": "s = set(range(0, 90, 10)); t = s.copy(); t.add(8); return list(t), tuple(s), x",
    "difference": "return list({33, 1, 2, 65} - {1}), list({33, 1, 2, 65} & {65, 33}), x",
    "unpacked": "s = {int(v) for v in x}; return [*s], x",
    "new names": 's = {"weight", "bias", "scale"}; return [name for name in s], x',
    "objects": "s = {ITEMS[0], ITEMS[2], ITEMS[1]}; return [item(x).round() for item in s].__len__(), x",
    "tensors": "s = {x, x + 1}; return sum(len(v) for v in s), len(s), max(v.sum() for v in s)",
    "argument": "t = set(TABLE) | NAMES; return list(t), x",
}
WHOLE = {
    "sorted": "s = {int(v) for v in x}; return sorted(s), len(s), 3 in s, max(s), x",
    "names": "return [name for name in NAMES], x",
    "small numbers": "s = {3, 1, 2}; s.add(0); return list(s), x",
    "visited": "s = set(); ys = [s.add(item) or item(x) for item in ITEMS * 2 if item not in s]; return ys, len(s)",
    "missing": 's = set(TABLE) - {"a"}; return [name for name in s], x',
    "listed": "s = set([40, 8, 16]); return list(s), tuple(s), x",
}
CALLS = [lambda row=row: (torch.tensor(row),) for row in ([33.0, 1, 2], [5.0, -1, 8], [-3.0, -3, 2])]


@pytest.mark.parametrize("name", [*SEEN, *WHOLE])
def test_the_order_is_that_of_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body={**SEEN, **WHOLE}[name])), CALLS, grad=False, rounds=6)


@pytest.mark.parametrize("name", WHOLE)
def test_sets_with_a_known_order_are_part_of_the_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=WHOLE[name])), CALLS, grad=False, rounds=6)
    assert outcome.report["callables"][0]["mode"] == "whole"
