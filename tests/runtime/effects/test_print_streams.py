"""What is printed into a stream that the caller hands over, or leaves out."""

from __future__ import annotations

import io
from typing import Any

import pytest
import torch
from harness import compare, load

START = """
    import io, sys
    import torch

    class Kept:
        def __init__(self):
            self.rows = []

        def write(self, text):
            self.rows.append(text)

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.text = io.StringIO()
            self.kept = Kept()

        def shown(self):
            return repr((self.text.getvalue(), self.kept.rows))

        def forward(self, x, stream=None):
            y = self.linear(x)
            report(y, {given})
            return y * {result}

    def report(y, stream=None):
        print("norm", y.norm().item(), file={file}, flush=True)
        print("then")

    make = Model
    """
NOWHERE = io.TextIOWrapper(io.BytesIO())
CALLS = [lambda: (torch.tensor([1.0, 2.0, 3.0]),), lambda: (torch.tensor([-1.0, -2.0, 0.5]), NOWHERE)]


def program(**parts: str) -> str:
    text = START
    for name, part in {"result": "2", **parts}.items():
        text = text.replace(f"{{{name}}}", part)
    return text


@pytest.mark.parametrize("given", ["None", "stream", "sys.stdout", "self.text"])
@pytest.mark.parametrize(
    "file", ["stream", "stream or sys.stderr", "sys.stderr if stream is None else stream", "stream or None"]
)
def test_text_goes_where_it_went(given: str, file: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, program(given=given, file=file)), CALLS)
    assert outcome.mended("GM301")
    assert not outcome.refusals("GM301")


def test_another_stream_gets_its_text_at_once(tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, program(given="self.kept", file="stream or sys.stderr")), CALLS)
    assert outcome.refusals("GM301")


@pytest.mark.parametrize("file", ["stream", "stream or sys.stderr"])
def test_a_text_of_the_call_gets_its_text(file: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, program(given="io.StringIO()", file=file)), CALLS)
    assert outcome.mended("GM301")


def test_a_text_that_the_call_reads_is_there(tmp_path: Any) -> None:
    text = program(given="self.text", file="stream", result="len(self.text.getvalue())")
    compare(load(tmp_path, text), CALLS)
