"""Generators that a call leaves in the middle."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import contextlib
    import torch

    def rows(x):
        {body}

    def f(x):
        total = x.sum() * 0
        for number, row in enumerate(rows(x)):
            print("row", number)
            if number == 1:
                break
            total = total + row
        return total
    """

CLOSING = {
    "finally": "try:\n            yield from x\n        finally:\n            print('closed')",
    "with": "with contextlib.redirect_stdout(None):\n            yield from x",
    "everything": "try:\n            yield from x\n        except:\n            print('closed')\n            raise",
    "exit": "try:\n            yield from x\n        except GeneratorExit:\n            print('closed')",
}
QUIET = {
    "plain": "yield from x",
    "errors": "try:\n            yield from x\n        except (ValueError):\n            print('never')",
}


def calls() -> list:
    return [lambda: (torch.arange(3.0),)]


@pytest.mark.parametrize("body", CLOSING.values(), ids=CLOSING)
def test_what_closing_does_is_done(tmp_path: Any, body: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body=body)), calls(), False)


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET)
def test_closing_that_does_nothing(tmp_path: Any, body: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=body)), calls(), False)
    assert outcome.graphs == 1 and outcome.mended("GM301")
