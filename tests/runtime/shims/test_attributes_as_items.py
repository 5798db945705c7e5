"""Dictionaries whose attributes are their items, in one graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    class Config(dict):
        __getattr__ = dict.{reader}
        __setattr__ = dict.__setitem__

        def size(self):
            return len(self)

    def f(x):
        config = Config(scale=2)
        if x.sum() > 0:
            x = x + 1
        {body}
        return x * config.scale, config, config.size()
    """


@pytest.mark.parametrize("reader", ["get", "__getitem__"])
@pytest.mark.parametrize("body", ["config.shift = x.shape[0]", "config.last = x * 2"])
def test_attributes_are_items(tmp_path: Any, reader: str, body: str) -> None:
    outcome = compare(load(tmp_path, TEXT.format(reader=reader, body=body)), [lambda: (torch.ones(3),)] * 2)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_an_item_that_is_missing(tmp_path: Any) -> None:
    text = TEXT.format(reader="get", body="x = x if config.missing is None else -x")
    assert compare(load(tmp_path, text), [lambda: (torch.ones(3),)]).report["callables"][0]["mode"] == "whole"
    compare(load(tmp_path, TEXT.format(reader="__getitem__", body="config.missing")), [lambda: (torch.ones(3),)])
