"""Exceptions of the program's own classes: made, caught, asked and kept in a call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.base import torch_names

PROGRAM = """
    import torch

    class BadBatch(ValueError):
        def __init__(self, index, value):
            super().__init__(f"batch {{index}}: {{value:.2f}}")
            self.index = index

    class Pair(RuntimeError):
        def __init__(self, first):
            super().__init__(first, "second")

    class Further(Pair):
        def __init__(self, first):
            super().__init__(first + 1)
            self.more = "more"

    class Missing(OSError):
        def __init__(self, number):
            super().__init__(number, "is not there")

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.last, self.seen = None, []

        def forward(self, x):
            try:
                if x.max() > 5:
                    raise {error}
            except Exception as error:
                {handle}
            return x + 1

        def shown(self):
            errors = [error for error in (self.last, *self.seen) if error is not None]
            chains = [(error.__suppress_context__, repr(error.__cause__)) for error in errors]
            return [(repr(error), error.args, vars(error)) for error in errors], chains

    def make():
        return Net()
    """
ERRORS = {
    "a text": "BadBatch(1, x.max().item())",
    "constants": "Pair(1)",
    "a class between": "Further(3)",
    "no context": "Pair(1) from None",
    "a cause": "Pair(1) from KeyError('k')",
    "members in C": "Missing(2)",
}
HANDLERS = {
    "ask": "return x - 1, str(error), error.args, vars(error)",
    "keep": "self.last = error; return x - 2",
    "collect": "self.seen.append(error); return x - 3",
}
CALLS = [lambda k=k: (torch.full((2,), k),) for k in (1.0, 7.0, 2.0, 9.0)]


@pytest.mark.parametrize("handle", HANDLERS)
@pytest.mark.parametrize("error", ERRORS)
def test_caught(tmp_path: Any, error: str, handle: str) -> None:
    text = PROGRAM.format(error=ERRORS[error], handle=HANDLERS[handle])
    outcome = compare(load(tmp_path, text), CALLS, False)
    known = torch_names.release().version >= (2, 13)  # older ones do not trace `vars(error)` or the text of the error
    if known and error not in ("members in C", "a cause") and handle == "ask":
        assert outcome.graphs == 2
