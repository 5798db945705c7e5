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


def test_no_hint_where_a_call_breaks(tmp_path: Any) -> None:
    from torch._dynamo.variables.tensor import TensorVariable, log

    shown: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: shown.append(record.getMessage())  # type: ignore[method-assign]
    TensorVariable._warn_capture_scalar_outputs.cache_clear()
    log.addHandler(handler)
    try:
        outcome = compare(load(tmp_path, PROGRAM), [lambda: (torch.ones(2),)], rounds=2)
    finally:
        log.removeHandler(handler)
    assert outcome.report["callables"][-1]["mode"] != "whole", outcome.report
    assert not any("capture_scalar_outputs" in text for text in shown), shown
