"""Classes of `typing.TypedDict` make plain dictionaries in the graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

TEXT = """
    from typing import TypedDict

    class Message(TypedDict, total=False):
        name: str
        value: object

    def f(x):
        message = {made}
        message["scale"] = 2
        return message["value"] * message["scale"] + len(message), sorted(message), type(message) is dict
    """


@pytest.mark.parametrize(
    "made",
    [
        "Message(name='a', value=x)",
        "Message({'value': x}, name='a')",
        "Message([('value', x)])",
        "Message(value=x, other=1)",
    ],
)
def test_a_plain_dictionary(tmp_path: Any, made: str) -> None:
    outcome = compare(load(tmp_path, TEXT.format(made=made)), [lambda: (torch.ones(3),)])
    assert outcome.report["callables"][0]["mode"] == "whole"
