"""Hooks that a call puts on its inputs, in front of gradients of the same call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    def f(x, w):
        if x.sum() > 0:
            x = x + 1
        {body}
    """
BODIES = {
    "accumulated": "w.register_post_accumulate_grad_hook(lambda p: print('acc', p.grad.tolist()));"
    " (w * x.detach()).sum().backward(); return w.grad * 1",
    "gradient": "w.register_hook(lambda g: g * 3); (w * x.detach()).sum().backward(); return w.grad * 1",
    "function": "w.register_hook(lambda g: g * 3); return torch.autograd.grad((w * x).sum(), [w])[0].detach()",
    "removed": "h = w.register_hook(lambda g: g * 3); h.remove(); (w * x.detach()).sum().backward(); return w.grad * 1",
}
PLAIN = "(w * x.detach()).sum().backward(); return w.grad * 1"
CALLS = [lambda n=n: (torch.full((2,), n), torch.ones(2, requires_grad=True)) for n in (1.0, -1.0, 3.0)]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_hooks_run_as_in_python(tmp_path: Any, body: str, backend: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body=body)), CALLS, backend=backend)


def test_a_call_without_hooks_is_whole(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=PLAIN)), CALLS)
    assert outcome.report["callables"][0]["mode"] == "whole"
