"""States of torch's random generator that a call saves and puts back."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, -2.0, 0.5]),)]
WHOLE = {
    "a block with a seed": """
    with torch.random.fork_rng():
        torch.manual_seed(7)
        noise = torch.randn_like(x)
    return x + noise""",
    "draws behind it": """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        a = torch.rand(3)
    return F.dropout(x, 0.5) * a + torch.rand(3)""",
    "without a seed": """
    with torch.random.fork_rng():
        a = torch.randint(0, 9, (3,))
    return x + a, torch.rand(2)""",
    "one within another": """
    with torch.random.fork_rng():
        torch.manual_seed(1)
        a = torch.rand(3)
        with torch.random.fork_rng():
            torch.manual_seed(2)
            a = a + torch.rand(3)
        a = a + torch.rand(3)
    return x * a""",
    "a state that is put back": """
    state = torch.get_rng_state()
    a = torch.rand(3)
    torch.set_rng_state(state)
    return x * a, torch.rand(3) - a""",
    "a path behind it": """
    with torch.random.fork_rng():
        torch.manual_seed(5)
        a = torch.randn(3)
    if (x + a).sum() > 0:
        return x + F.dropout(a, 0.5)
    return x - a""",
    "a guard behind it": """
    with torch.random.fork_rng():
        torch.manual_seed(5)
        a = torch.rand(3)
    if x.min() < -1.5:
        raise ValueError(f"too small: {(x * a).min():.3f}")
    print("drawn", a[0].item())
    return x * a""",
}
LEFT = {
    "a layer that draws inside": """
    with torch.random.fork_rng():
        torch.manual_seed(7)
        return F.dropout(x, 0.5)""",
    "draws before it": """
    a = torch.rand(3)
    with torch.random.fork_rng():
        b = torch.rand(3)
    return a + b + x""",
    "the graph draws between two states": """
    state = torch.random.get_rng_state()
    a = F.dropout(x, 0.5)
    torch.random.set_rng_state(state)
    return a + torch.rand(3)""",
    "a state that is returned": """
    state = torch.get_rng_state()
    return x + torch.rand(3), state""",
    "a state that is looked at": """
    state = torch.get_rng_state()
    return x + torch.rand(3) + state.numel()""",
    "like a transposed tensor": """
    with torch.random.fork_rng():
        torch.manual_seed(7)
        return torch.rand_like(x.expand(2, 3).contiguous().t()) + 1""",
    "in one side": """
    if x.sum() > 0:
        with torch.random.fork_rng():
            torch.manual_seed(7)
            x = x + torch.rand(3)
    return x""",
}
HEAD = "import torch\nimport torch.nn.functional as F\n\ndef f(x):"


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", WHOLE)
def test_a_call_that_puts_a_state_back_is_whole(tmp_path: Any, name: str, backend: str) -> None:
    calls = [*CALLS[:1] * 9, *CALLS]
    outcome = compare(load(tmp_path, HEAD + WHOLE[name] + "\n"), calls, backend=backend)
    assert outcome.report["callables"][0]["mode"] == "whole", outcome.report["callables"][0]["reason"]


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_is_the_same(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, HEAD + LEFT[name] + "\n"), CALLS)
