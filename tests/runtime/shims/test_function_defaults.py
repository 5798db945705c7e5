"""Lists as default values, under the option of Dynamo that torch before 2.12 has on."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAMS = {
    "a list by position": """
        def record(x, seen=[], last={}):
            seen.append(x.sum().item())
            last[len(seen)] = seen[-1]
            return x * len(seen)
        def f(x):
            return record(x), record.__defaults__
        """,
    "a list by name": """
        def record(x, *, seen=[1, 2]):
            if x.sum() > 0:
                seen.append(len(seen))
            return x * len(seen)
        def f(x):
            return record(x), record.__kwdefaults__
        """,
}
CALLS = [lambda: (torch.ones(2),), lambda: (torch.zeros(2),)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_appended_items_are_kept(name: str, tmp_path: Any) -> None:
    with torch._dynamo.config.patch(skip_guards_on_constant_func_defaults=True):
        outcome = compare(load(tmp_path, PROGRAMS[name]), CALLS, rounds=2)
    assert outcome.report["callables"][-1]["mode"] == "whole", outcome.report
