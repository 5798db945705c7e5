"""Deferred effects under a default device, which Dynamo takes off while it traces.

Their sinks format what they show: a text that is made behind the graph has to be made under the modes of its statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda: (torch.ones(2, device="cpu"),), lambda: (torch.zeros(2, device="cpu"),)]

LOGS = """
    import logging
    logger = logging.getLogger("rows")
    def f(x):
        y = x.relu()
        logger.warning("%d rows of %s", y.shape[0], tuple(y.shape))
        print(f"shape {tuple(y.shape)}")
        return y + 1
    """
IN_A_BLOCK = """
    import torch
    def f(x):
        with torch.device("cpu"):
            print(f"shape {tuple(x.shape)}")
        return x + 1
    """


@pytest.fixture(autouse=True, params=["cpu:0", "cpu", None])
def default_device(request: pytest.FixtureRequest) -> Iterator[None]:
    torch.set_default_device(request.param)
    yield
    torch.set_default_device(None)


def test_texts_are_deferred(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, LOGS), CALLS, rounds=1)
    assert outcome.graphs == 1 and outcome.mended("GM301") and outcome.mended("GM302"), outcome.report


def test_texts_in_a_block_of_a_mode_are_not(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, IN_A_BLOCK), CALLS, rounds=1)
    assert "under autocast or another mode" in str(outcome.refusals("GM301")), outcome.report
