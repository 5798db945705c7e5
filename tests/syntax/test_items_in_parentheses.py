"""Heads of `with` in parentheses: some are those of the items, others belong to an expression, as CPython says."""

from __future__ import annotations

import itertools
from pathlib import Path

import cpython

# Brackets of every kind, in each other, and such as end in one.
ITEMS = ["a", "f(a)", "a[b]", "{a: b}", "(a)", "(a, b)", "[a]", "f({a: [b]})(c)", "(yield)", "(a if b else c)[d:e]"]
HEADS = ["({0})", "({0},)", "({0} as c)", "({0} as c,)", "({0}, {1})", "({0}, {1} as d)", "({0} as c, {1})"]
HEADS += ["({0} as c, {1} as d,)", "({0}) as c", "({0}), {1} as d", "({0}).e as c", "({0}, {1})[0]", "({0}) + {1}"]
HEADS += ["({0} for a in {1})", "({0} as (c, d[0]), {1})", "({0} as c.d, {1} as e[f()])", "(({0}), ({1})) as c"]
# What Python takes for no items, and for nothing else.
HEADS += ["({0} as c) as d", "({0} as c).e", "({0} as c, {1}) + a", "({0} as c)(d)", "({0} as c", "({0} as f({1}))"]


def test_heads_of_with(executable: str, tmp_path: Path) -> None:
    heads = dict.fromkeys(head.format(*pair) for head in HEADS for pair in itertools.product(ITEMS, repeat=2))
    texts = [f"with {head}: pass\n" for head in heads] + [f"with {head}:\n    pass\nx = 1\n" for head in heads]
    paths = [tmp_path / f"{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(text)
    told = cpython.graphmend_lines(executable, ["tree", "--cpython"], paths)
    expected = [cpython.tree_of(text.encode()) for text in texts]
    trees = [None if line.startswith("rejected ") else line for line in told]
    wrong = [(text, ours, theirs) for text, ours, theirs in zip(texts, trees, expected) if ours != theirs]
    assert not wrong, (len(wrong), wrong[:3])
    assert 0.5 * len(texts) < sum(tree is not None for tree in expected) < 0.9 * len(texts)
