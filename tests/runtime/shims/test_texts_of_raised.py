"""Texts of exceptions that Python's C code raises, in calls that are mended."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

RAISING = {
    "attribute of None": "None.missing",
    "attribute of a number": "(1).missing",
    "length": "len(None)",
    "unpacking": "a, b = 1",
    "too many": "a, b = iter([1, 2, 3])",
    "index of a list": "[1].index(5)",
    "item of a tuple": "(1, 2)[7]",
    "removal": "[1].remove(5)",
    "sum of two kinds": "[1] + (2,)",
    "star": "print(*None)",
    "key": "{1: 2}[7]",
    "popped key": "{1: 2}.pop(7)",
    "rounding": "round('a')",
    "replacement": "'a'.replace(1, 2)",
}
PROGRAM = """
    def f(x):
        texts = []
        for step in range(2):
            if x.sum() > step:
                x = x + 1
            try:
                STATEMENT
            except Exception as error:
                texts.append(READ)
        return x, texts
    """
READS = ("str(error)", "f'{error}'", "error.args", "repr(error)")
CALLS = [lambda: (torch.ones(2),), lambda: (torch.zeros(2),)]


@pytest.mark.parametrize("name", RAISING)
def test_texts(name: str, tmp_path: Any) -> None:
    number = list(RAISING).index(name)
    text = PROGRAM.replace("STATEMENT", RAISING[name]).replace("READ", READS[number % len(READS)])
    compare(load(tmp_path, text), CALLS, grad=False, rounds=2)


def test_text_that_nobody_reads(tmp_path: Any) -> None:
    text = PROGRAM.replace("STATEMENT", "(1, 2)[7]").replace("READ", "'no item'")
    outcome = compare(load(tmp_path, text), CALLS, grad=False, rounds=2)
    assert outcome.report["callables"][-1]["mode"] == "whole", outcome.report
