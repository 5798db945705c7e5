"""`eval` of constant texts, and pickles of constants: part of the graph where the trace knows all of it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

WHOLE = {
    "variable": "x * eval('k + SCALE')",
    "tensor": "eval('x * 2 + k')",
    "name": "eval('torch.relu')(x)",
    "computed": "x * eval(' 3 * 4')",
    "lambda": "eval('lambda t: t * SCALE + 1')(x)",
    "comprehension": "x * eval('sum(SCALE * j for j in range(3))')",
    "several": "eval(NAME)(x) + eval(NAME[:-4] + 'relu')(x)",
    "inside_a_lambda": "(lambda t: eval('torch.nn.functional.gelu')(t))(x)",
    "name_of_a_lambda": "(x * 2, eval('lambda t: t').__qualname__)",
    "global_that_changes": "x * eval('COUNT[0]')",
}
PICKLES = {
    "options": "(x * 2, pickle.dumps({'upper': False, 'tolerance': 1e-3}))",
    "pairs": "(x * 2, pickle.dumps((('a', 1), ('b', 2.5), ('c', None))))",
    "protocol": "(x * 2, pickle.dumps({}, protocol=2), pickle.dumps((), 4))",
    "key": "x * {pickle.dumps({'a': 1}): 3}[pickle.dumps(OPTIONS)]",
    "loaded": "(x * pickle.loads(BLOB)['a'], pickle.loads(BLOB)['b'])",
    "arguments": "cached(x, a=1, b='u') + cached(x, a=1, b='u') * cached(x)",
}
BROKEN = {
    "closure": "eval('lambda t: t * k')(x)",
    "walrus": "x * eval('(n := 3)')",
    "given_names": "x * eval('a', {'a': 3})",
    "two_equal_texts": "(x * 2, pickle.dumps(('ab', 'ab')), pickle.dumps((TEXT, TEXT)))",
    "one_list_twice": "(x * 2, pickle.dumps((OPTIONS, OPTIONS)))",
    "loaded_object": "(x * 2, pickle.loads(OBJECT))",
    "loaded_twice": "(x * 2, pickle.loads(TWICE))",
    "object": "(x * 2, len(pickle.dumps(torch.float32)))",
}
HEAD = """
    import pickle
    import torch

    SCALE, NAME, COUNT, OPTIONS = 5, "torch.tanh", [2], {"a": 1}
    TEXT = "".join(["a", "b"])
    BLOB, OBJECT = pickle.dumps({"a": 2.0, "b": [1, 2]}), pickle.dumps(torch.float32)
    TWICE = pickle.dumps([OPTIONS, OPTIONS])

    def cached(x, **options):
        key, cache = pickle.dumps(options), {}
        if key not in cache:
            cache[key] = x.sum() * len(options)
        return cache[key]

    def f(x):
        k = 2
"""
HEAD += "        k = k + len(OPTIONS)"


def outcome_of(folder: Any, expression: str) -> Any:
    program = load(folder, f"{HEAD}\n        return {expression}\n")
    return compare(program, [lambda: (torch.arange(4.0),), lambda: (torch.arange(3.0),)], grad=False)


@pytest.mark.parametrize("name", [*WHOLE, *PICKLES])
def test_constant_texts_and_pickles_are_part_of_the_graph(tmp_path: Any, name: str) -> None:
    assert outcome_of(tmp_path, {**WHOLE, **PICKLES}[name]).report["callables"][0]["mode"] == "whole"


@pytest.mark.parametrize("name", BROKEN)
def test_other_texts_and_pickles_are_left_to_python(tmp_path: Any, name: str) -> None:
    assert outcome_of(tmp_path, BROKEN[name]).report["callables"][0]["mode"] != "whole"
