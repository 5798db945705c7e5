"""Gradients and autocast are as they were when a graph has not come to its end."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import load

BLOCKS = {
    "no gradients": "torch.no_grad()",
    "gradients": "torch.enable_grad()",
    "autocast": "torch.autocast('cpu', torch.bfloat16)",
    "no autocast": "torch.autocast('cpu', enabled=False)",
}
TEXT = """
    import torch
    def f(x, n):
        with {block}:
            counts = torch.zeros(3, dtype=torch.long).scatter_add(0, n, torch.ones_like(n))
            order, start, rows = n.argsort(stable=True), 0, []
            sorted_rows = x[order]
            for k in counts.cpu().numpy():
                end = start + k
                if k == 0:
                    continue
                rows.append(sorted_rows[start:end] @ x.t())
                start = end
            out = torch.cat(rows)
            new = torch.empty_like(out)
            new[order] = out
        return new, len(rows), torch.is_grad_enabled(), torch.is_autocast_enabled("cpu")
    """


def modes() -> tuple:
    """What a graph may have switched."""
    depth = torch.autocast_increment_nesting()
    torch.autocast_decrement_nesting()
    enabled, dtype = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
    return torch.is_grad_enabled(), enabled, dtype, torch.is_autocast_cache_enabled(), depth


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("block", BLOCKS.values(), ids=BLOCKS)
def test_a_graph_that_fails_leaves_no_mode_behind(tmp_path: Any, block: str, backend: str) -> None:
    make = load(tmp_path, TEXT.format(block=block))
    plain, function = make(), torch.compile(make(), backend=backend)
    known = modes()
    for row in [[0, 1, 2], [1, 1, 0]] * 3:
        args = torch.ones(3, 3), torch.tensor(row)
        assert function(*args)[1:] == plain(*args)[1:]
        assert modes() == known


LEFT = """
    import torch
    def f(x):
        y = x * x
        with torch.no_grad():
            if y.sum() > 3:
                z = y * 2
            else:
                with torch.enable_grad():
                    z = y * 3
        torch.set_grad_enabled(bool(y.sum() > 1))
        return z
    """


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_graph_of_another_path_leaves_no_mode_behind(tmp_path: Any, backend: str) -> None:
    make = load(tmp_path, LEFT)
    plain, function = make(), torch.compile(make(), backend=backend)
    for number in (0.5, 2.0, 0.9, 0.5, 0.9):
        found = []
        for run in (plain, function):
            with torch.enable_grad():
                result = run(torch.full((2,), number, requires_grad=True))
                found.append((result.requires_grad, result.tolist(), torch.is_grad_enabled()))
        assert found[0] == found[1]
