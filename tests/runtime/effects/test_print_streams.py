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


ATTRIBUTES = """
    import io
    import sys
    import torch

    class Kept:
        def __init__(self, model):
            self.model, self.rows = model, []

        def write(self, text):
            self.rows.append((text, self.model.calls))

    class Logger:
        def __init__(self, stream=None):
            self.stream = stream

    SHARED = Logger()

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0
            self.stream, self.text, self.kept = None, io.StringIO(), Kept(self)

        def shown(self):
            return repr((self.text.getvalue(), self.kept.rows))

        def forward(self, x):
            print("mean", x.mean().item(), file={file})
            self.calls += 1
            if x.sum() > 0:
                x = x + 1
            return x * {result}

    make = Model
    """


@pytest.mark.parametrize("file", ["self.stream or sys.stdout", "SHARED.stream or sys.stderr"])
def test_an_attribute_names_the_stream(file: str, tmp_path: Any) -> None:
    text = ATTRIBUTES.replace("{file}", file).replace("{result}", "2")
    outcome = compare(load(tmp_path, text), [CALLS[0], lambda: (torch.tensor([-1.0, -2.0, 0.5]),)])
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("file", ["self.kept or sys.stdout", "self.text or sys.stdout", "self.kept", "self.text"])
@pytest.mark.parametrize("result", ["len(self.text.getvalue() + 'a')", "len(self.kept.rows + [1])"])
def test_what_the_call_sees_of_such_a_stream(file: str, result: str, tmp_path: Any) -> None:
    text = ATTRIBUTES.replace("{file}", file).replace("{result}", result)
    compare(load(tmp_path, text), [CALLS[0], lambda: (torch.tensor([-1.0, -2.0, 0.5]),)])
