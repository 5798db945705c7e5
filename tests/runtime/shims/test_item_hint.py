"""Dynamo's hint to capture numbers, where a call is compiled in parts."""

from __future__ import annotations

import logging
from typing import Any

import torch
from harness import compare, load

PROGRAM = """
    import uuid
    def f(x):
        n = x.sum().item()
        uuid.uuid4()
        return x * n
    """


def test_no_hint_where_a_call_breaks(tmp_path: Any, caplog: Any) -> None:
    torch._dynamo.variables.tensor.TensorVariable._warn_capture_scalar_outputs.cache_clear()
    with caplog.at_level(logging.WARNING, logger="torch._dynamo.variables.tensor"):
        outcome = compare(load(tmp_path, PROGRAM), [lambda: (torch.ones(2),)], rounds=2)
    assert outcome.report["callables"][-1]["mode"] != "whole", outcome.report
    assert "capture_scalar_outputs" not in caplog.text
