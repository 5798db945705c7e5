"""What Dynamo warns of while it traces in vain is not shown, and not taken for said."""

from __future__ import annotations

import warnings

import torch
from harness import load, start

BROKEN = """
    import os, torch
    def f(x, out):
        print("sum", x.sum().item())
        if x.sum() > 100:
            os.write(out, b"")
            print("large")
        return x
"""


def warned(make: object, backend: str | None, out: int) -> list[str]:
    _, function = start(make, backend)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(torch.ones(2), out)
        function(torch.ones(3), out)
    return [str(item.message) for item in found if "Dynamo does not know" in str(item.message)]


def test_attempts_warn_of_nothing(tmp_path):
    make = load(tmp_path, BROKEN)
    with open(tmp_path / "out", "wb") as stream:
        torch._dynamo.utils.warn_once_cache.clear()
        assert warned(make, "eager", stream.fileno()) == warned(make, None, stream.fileno()) == []
