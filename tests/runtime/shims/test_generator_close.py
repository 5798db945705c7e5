"""Generators that a call leaves in the middle."""

from __future__ import annotations

import contextlib
import io
import re
from typing import Any

import pytest
import torch
from harness import captured, compare, load

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


STEPS = """
    import itertools
    import torch

    class Kept:
        rows = None

    def rows(x, name="row"):
        print(name, "starts")
        for number in range(x.size(0)):
            print(name, number)
            sent = yield x[number]
            print(name, "goes on", sent)
        print(name, "ends")
        return x.sum()

    def again(n, x):
        print("level", n)
        if n:
            yield from again(n - 1, x)
        yield x * n

    def f(x):
        {body}
    """

ASKED = {
    "zip": "return sum(a * b for a, b in zip(rows(x, 'a'), rows(x[:2], 'b')))",
    "zip with a range": "return sum(a * b for a, b in zip(rows(x), range(2)))",
    "all": "values = list(rows(x)); print('listed'); return torch.stack(values)",
    "taken apart": "a, *b = rows(x); print('apart'); return a + len(b)",
    "next": "steps = rows(x[:1]); a = next(steps); b = next(steps, None); print(b); return a",
    "send": "steps = rows(x); a = next(steps); b = steps.send(5); print('sent'); return a + b",
    "close": "steps = rows(x); a = next(steps); steps.close(); print('closed'); return a",
    "map": "steps = map(lambda row: row * 2, rows(x)); a = next(steps); print('one'); return a + next(steps)",
    "slice": "return sum(itertools.islice(itertools.chain(rows(x[:1], 'a'), rows(x[1:], 'b')), 2))",
    "data": "return next((row * 2 for row in rows(x) if row > 1), x[0])",
    "recursion": "return sum(again(3, x))",
    "never": "steps = rows(x); print('never'); return x * 2",
}
ESCAPING = {
    "returned": "return x * 2, rows(x)",
    "begun": "steps = rows(x); a = next(steps); return a, steps",
    "kept": "Kept.rows = rows(x); return next(Kept.rows)",
}


@pytest.mark.parametrize("body", ASKED.values(), ids=ASKED)
def test_steps_print_when_they_are_asked_for(tmp_path: Any, body: str) -> None:
    outcome = compare(load(tmp_path, STEPS.format(body=body)), calls(), False)
    assert outcome.mended("GM301") and outcome.graphs == 1


@pytest.mark.parametrize("body", ESCAPING.values(), ids=ESCAPING)
def test_generators_that_outlive_their_call_keep_what_they_print(tmp_path: Any, body: str) -> None:
    function = load(tmp_path, STEPS.format(body=body))()
    seen = []
    for call in (function, torch.compile(function, backend="eager")):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            for _ in range(3):
                given = call(torch.arange(3.0))
                print("behind the call")
                steps = given[1] if isinstance(given, tuple) else function.__globals__["Kept"].rows
                print(given, [float(row) for row in steps])
        seen.append(re.sub("<generator.*?>", "", output.getvalue()))
    assert seen[0] == seen[1]


HANDED_OUT = """
    import torch

    def stages(x):
        for number in range(2):
            print("stage", number)
            yield x * number

    def inner(x):
        return {result}

    def make():
        compiled = torch.compile(inner, backend="eager")

        def call(x):
            found = compiled(x)
            print("made")
            return list(found["stages"] if type(found) is dict else found)

        return torch._dynamo.disable(call)
    """


@pytest.mark.parametrize("result", ["stages(x + 1)", "{'stages': stages(x + 1)}"])
def test_a_generator_that_leaves_the_call_runs_when_it_is_asked(tmp_path: Any, result: str) -> None:
    make = load(tmp_path, HANDED_OUT.format(result=result))
    with captured() as events:
        for _ in range(2):
            values = make()(torch.ones(2))
    assert [float(value.sum()) for value in values] == [0.0, 4.0]
    lines = "".join(event.removeprefix("out ") for event in events).splitlines()
    assert lines == ["made", "stage 0", "stage 1"] * 2


STOPPED = """
    import torch

    def rows(x, numbers):
        for row in x:
            if row.sum() < 0:
                yield next(numbers) * row
            else:
                yield row

    def f(x):
        try:
            return torch.stack(list(rows(x, iter([2]))))
        except RuntimeError as error:
            return x[0], str(error), type(error.__cause__).__name__
    """


def test_a_stop_that_leaves_a_generator_is_a_runtime_error(tmp_path: Any) -> None:
    compare(load(tmp_path, STOPPED), [lambda: (torch.ones(3, 2),), lambda: (-torch.ones(3, 2),)], rounds=6)


KEPT = """
    import torch

    def counter():
        n = 0
        while n < 6:
            sent = yield n
            n += sent or 1

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.restart()

        def restart(self):
            object.__setattr__(self, "held", [counter()])
            next(self.held[0])

        def forward(self, x):
            try:
                number = self.held[0].send(2) if x.sum() > 0 else next(self.held[0])
            except StopIteration:
                self.restart()
                number = 100
            return x * number

    def make():
        return Model()
    """


def test_generators_that_the_call_keeps_stay_generators(tmp_path: Any) -> None:
    calls = [lambda: (torch.ones(2),), lambda: (-torch.ones(2),), lambda: (torch.ones(2),)]
    function = load(tmp_path, KEPT)
    eager, compiled = function(), torch.compile(function(), backend="eager")
    for call in calls * 4:
        assert torch.equal(eager(*call()), compiled(*call()))
