"""Calls that change settings of torch for the whole process."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    def f(x):
        {body}
        if x.sum() > 0:
            x = x + 1
        return x, a, torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()
    """
CHANGED = {
    "restored": "torch.set_default_dtype(torch.float64); a = torch.ones(2); torch.set_default_dtype(torch.float32)",
    "kept": "a = torch.zeros(2); torch.set_default_dtype(torch.float64 if x.sum() > 0 else torch.float32)",
    "deterministic": "a = torch.zeros(2); torch.use_deterministic_algorithms(bool(x.sum() > 0))",
}
SAME = {
    "dtype": "torch.set_default_dtype(torch.float32); a = torch.zeros(2)",
    "deterministic": "torch.use_deterministic_algorithms(False); a = torch.zeros(2)",
    "read": "a = torch.zeros(2, dtype=torch.get_default_dtype())",
}
CALLS = [lambda n=n: (torch.full((2,), n),) for n in (1.0, -1.0, 3.0)]


@pytest.fixture(autouse=True)
def settings() -> Any:
    yield
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", CHANGED)
def test_a_change_is_as_in_python(tmp_path: Any, name: str, backend: str) -> None:
    calls = CALLS[1:] + CALLS[1:2]  # ends with the settings that it began with
    compare(load(tmp_path, PROGRAM.format(body=CHANGED[name])), calls, grad=False, backend=backend, rounds=3)


@pytest.mark.parametrize("name", SAME)
def test_a_call_that_repeats_the_setting_is_whole(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=SAME[name])), CALLS, grad=False)
    assert outcome.report["callables"][0]["mode"] == "whole"
