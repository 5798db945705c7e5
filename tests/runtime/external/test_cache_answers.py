"""Answers that a cache has: taken by the trace, and asked for again in front of each run."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.external import cache_answers

PROGRAM = """
    import functools
    import importlib.util
    import torch

    FLAGS = {{"a": 1}}

    class Program:
        def __init__(self):
            FLAGS["a"] = 1
            self.calls = 0

            @functools.lru_cache(maxsize={limit})
            def has(name):
                return importlib.util.find_spec(name) is not None

            @functools.lru_cache(maxsize={limit})
            def flag(name, default):
                return FLAGS.get(name, default) * 2

            @functools.lru_cache(maxsize={limit})
            def listed(name):
                return [FLAGS.get(name, 0)]

            self.has, self.flag, self.listed = has, flag, listed

        def __call__(self, x):
            if x.sum() > 0:
                x = x + 1
            {body}

        def change(self, name):
            if name == "flag":
                FLAGS["a"] += 1
            elif name:
                self.flag.cache_clear()

        def shown(self):
            caches = [self.has, self.flag, self.listed]  # a call that runs again asks again: hits are not compared
            return [(cache.cache_info().misses, cache.cache_info().currsize) for cache in caches]

    make = Program
    """
BODIES = {
    "an installed package": "return x * 2 if self.has('math') else x",
    "a missing package": "return x * 2 if self.has('no_such_package') else x",
    "a table": "return x * self.flag('a', 3) + self.flag('b', 5)",
    "the same question twice": "return x * self.flag('a', 3) + self.flag('a', 3)",
    "questions to two caches": "return x * self.flag('a', 3) if self.has('math') else x",
}
LEFT = {
    "an answer that may change": "return x * self.listed('a')[0]",
    "an argument with a name": "return x * self.flag('a', default=3)",
}
CALLS = [lambda n=n: (torch.full((3,), n),) for n in (1.0, -1.0, 3.0)]


@pytest.mark.parametrize("limit", [None, 2])
@pytest.mark.parametrize("name", BODIES)
def test_the_answer_of_a_cache_is_part_of_the_graph(tmp_path: Any, name: str, limit: Any) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=BODIES[name], limit=limit)), CALLS, grad=False, rounds=4)
    assert outcome.report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", LEFT)
def test_other_answers_are_left_to_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body=LEFT[name], limit=None)), CALLS, grad=False, rounds=4)


def test_caches_that_are_emptied_between_calls(tmp_path: Any) -> None:
    program = load(tmp_path, PROGRAM.format(body=BODIES["questions to two caches"], limit=None))
    expected, observed = program(), program()
    compiled = torch.compile(observed.__call__, backend="eager")
    x = torch.ones(3)
    for change in ("", "", "", "flag", "", "clear", "", "", "flag", "clear", ""):
        for each in (expected, observed):
            each.change(change)
        assert torch.equal(compiled(x), expected(x))
        assert observed.shown() == expected.shown() and observed.flag.cache_info() == expected.flag.cache_info()


@pytest.mark.parametrize("limit", [None, 1, 3])
def test_an_answer_is_read_without_a_question(limit: Any) -> None:
    @functools.lru_cache(maxsize=limit)
    def doubled(*values: Any) -> Any:
        return [2 * value for value in values]

    doubled(torch.ones(2))  # compared with nothing: comparisons of tensors are no truth values
    questions = [(), (1,), ("one",), (1.5,), (True,), (1, "two"), ((1, 2),)]
    for question in questions:
        doubled(*question)
    known = doubled.cache_info()
    for question in questions[-(limit or len(questions)) :]:
        assert cache_answers.answer_of(doubled, question) == doubled.__wrapped__(*question)
    for question in [(7,), *questions[: -limit if limit else 0]]:
        assert cache_answers.answer_of(doubled, question) is cache_answers.MISSING
    assert doubled.cache_info() == known
