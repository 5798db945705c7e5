"""Tensors that get other memory by `.data`, where the old memory is used and where it is not."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    def f(x, other):
        if x.sum() > 0:
            other = other * 2
        {body}
    """
USED = {
    "view returned": "v = x.view(-1); v.mul_(2); x.data = x.data + 1; return v, x * 1",
    "view read": "v = x.view(-1); x.data = x.data + 1; return v.sum(), x * 1",
    "written before": "x.mul_(2); x.data = x.data + 1; return x * 1",
    "written behind": "v = x[0]; x.data = x.data + 1; v.zero_(); return x * 1",
    "part of itself": "v = x.view(-1); x.data = x.data[:, :1]; return v + 1, x * 1",
}
UNUSED = {
    "average": "x.data = x.data * 0.9 + other.data * 0.1; return x * 1",
    "other data": "x.data = other.data + 1; return x.sum()",
    "in place": "x.data.mul_(0.5); return x * other",
    "assigned in place": "x.data -= 0.5 * other; return x * other",
}
CALLS = [lambda n=n: (torch.full((2, 2), n), torch.ones(2, 2)) for n in (1.0, -1.0, 3.0)]


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", [*USED, *UNUSED])
def test_the_caller_finds_the_memory_of_python(tmp_path: Any, name: str, backend: str) -> None:
    body = {**USED, **UNUSED}[name]
    compare(load(tmp_path, PROGRAM.format(body=body)), CALLS, grad=False, backend=backend)


@pytest.mark.parametrize("name", UNUSED)
def test_a_call_that_only_reads_the_old_memory_before_is_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=UNUSED[name])), CALLS, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"
