"""Sets whose order the program sees: iterated, listed, popped."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAM = """
    import torch
    ITEMS = [torch.nn.ReLU(), torch.nn.Tanh(), torch.nn.Sigmoid()]
    NAMES = {{"weight", "bias", "scale", "shift"}}
    TABLE = {{"a": 1, "b": 2}}
    def f(x):
        if x.sum() > 0:
            x = x + 1
        {body}
    """
SEEN = {
    "numbers": "s = {int(v) for v in x}; return list(s), x",
    "popped": "s = {int(v) for v in x} | {100, 7}; a = s.pop(); return a, [v for v in s], x",
    "union": "s = frozenset(int(v) for v in x); return list(s | {64, 0}), x",
    "changed": "s = {40, 8, 16}; s.discard(8); s.add(33); s.update([1, 9]); return list(s), x",
    "in place": "s = {40, 8}; s |= {16, 24}; s -= {8}; return [k for k in s], x",
    "copied": "s = set(range(0, 90, 10)); t = s.copy(); t.add(8); return list(t), tuple(s), x",
    "difference": "return list({33, 1, 2, 65} - {1}), list({33, 1, 2, 65} & {65, 33}), x",
    "unpacked": "s = {int(v) for v in x}; return [*s], x",
    "new names": 's = {"weight", "bias", "scale"}; return [name for name in s], x',
    "objects": "s = {ITEMS[0], ITEMS[2], ITEMS[1]}; return [item(x).round() for item in s].__len__(), x",
    "tensors": "s = {x, x + 1}; return sum(len(v) for v in s), len(s), max(v.sum() for v in s)",
    "argument": "t = set(TABLE) | NAMES; return list(t), x",
}
WHOLE = {
    "sorted": "s = {int(v) for v in x}; return sorted(s), len(s), 3 in s, max(s), x",
    "names": "return [name for name in NAMES], x",
    "small numbers": "s = {3, 1, 2}; s.add(0); return list(s), x",
    "visited": "s = set(); ys = [s.add(item) or item(x) for item in ITEMS * 2 if item not in s]; return ys, len(s)",
    "missing": 's = set(TABLE) - {"a"}; return [name for name in s], x',
    "listed": "s = set([40, 8, 16]); return list(s), tuple(s), x",
}
CALLS = [lambda row=row: (torch.tensor(row),) for row in ([33.0, 1, 2], [5.0, -1, 8], [-3.0, -3, 2])]


@pytest.mark.parametrize("name", [*SEEN, *WHOLE])
def test_the_order_is_that_of_python(tmp_path: Any, name: str) -> None:
    compare(load(tmp_path, PROGRAM.format(body={**SEEN, **WHOLE}[name])), CALLS, grad=False, rounds=6)


@pytest.mark.parametrize("name", WHOLE)
def test_sets_with_a_known_order_are_part_of_the_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, PROGRAM.format(body=WHOLE[name])), CALLS, grad=False, rounds=6)
    assert outcome.report["callables"][0]["mode"] == "whole"


# Functions of two tables with keys in common, whose results show the order of sets.
TABLES = {
    "difference of keys": "return list(d.keys() - e.keys()), list(set(d) - e.keys()), list(d.keys() - set(e))",
    "common keys": "return list(d.keys() & e.keys()), list(set(d) & set(e)), list({1, 2, 3, 64} & e.keys())",
    "all keys": "return list(d.keys() | e.keys()), list({*d, *e}), list({k: 1 for k in {*e}})",
    "keys of one": "return list(d.keys() ^ e.keys()), list(set(d).symmetric_difference(e))",
    "tables as arguments": (
        "return list(set(d).difference(e, [1, 2])), list(set.union(set(d), e)), list(set(e).intersection(d))"
    ),
    "in place": (
        "s = set(d); s |= set(e); s -= set(list(d)[:20]); s ^= {1, 2, 400}; t = s.copy(); return t.pop(), list(t)"
    ),
    "updated": "s = set(k * 2 for k in d); s.update(k + 1 for k in e); s.update(e); return list(s)",
    "folded": (
        "return list(functools.reduce(operator.or_, [set(d), set(e), {5, 300}])), list(operator.and_(set(d), set(e)))"
    ),
    "iterators": "return list(set(enumerate(d))), list(set(zip(d, e))), list(set(map(str, d)) - set(map(str, e)))",
    "values": "return list(set(d.values())), list({*d.values()} - set(e.values()))",
    "changed table": (
        "d = dict(d); [d.pop(k) for k in list(d)[::2]]; d.update({500: x, 3: x}); return list(set(d)), "
        "list(d.keys() - e)"
    ),
    "emptied": "s = set(list(d)); s.clear(); s.update(e); s.discard(3); return list(s), [k for k in s]",
    "other tables": (
        "d, e = collections.OrderedDict(d), collections.defaultdict(int, e); return list(set(d)), list(set(d).union(e))"
    ),
}


def tables(seed: int) -> tuple[dict[Any, int], dict[Any, int]]:
    """Two tables of up to 40 keys with common keys: numbers, or texts for every third seed."""
    chance = random.Random(seed)
    first: dict[Any, int] = {chance.randrange(200): chance.randrange(300) for _ in range(chance.randrange(1, 40))}
    second = {key: value for key, value in first.items() if chance.random() < 0.7}
    second.update({chance.randrange(200): 3 for _ in range(3)})
    if seed % 3 == 0:
        return {f"n{key}": 1 for key in first}, {f"n{key}": 1 for key in second}
    return first, second


@pytest.mark.parametrize("name", TABLES)
def test_sets_made_of_tables_have_the_order_of_python(tmp_path: Any, name: str) -> None:
    text = f"import collections, functools, operator\nimport torch\ndef f(x, d, e):\n    {TABLES[name]}\n"
    names: dict[str, Any] = {}
    exec(text, names)
    mended = load(tmp_path, text)()
    for seed in range(10):
        if seed % 3 == 0 and name == "updated":
            continue
        torch._dynamo.reset()
        first, second = tables(seed)
        expected = names["f"](torch.ones(1), dict(first), dict(second))
        assert torch.compile(mended, backend="eager")(torch.ones(1), dict(first), dict(second)) == expected


MEETING = ["{20, 43, 67}", "{41, 14, 62}", "{51, 38, 61, 45}", "{67, 35, 66, 30, 27}"]  # added in order, another order


@pytest.mark.parametrize("items", MEETING)
def test_constant_sets_with_items_that_meet_are_part_of_the_graph(tmp_path: Any, items: str) -> None:
    body = f"""d = dict.fromkeys({items}, x)
        return list(d.keys() & {items}), [k for k in {items} | {{32}}], list({items} - {{43, 62, 27}}), x"""
    outcome = compare(load(tmp_path, PROGRAM.format(body=body)), CALLS, grad=False, rounds=6)
    assert outcome.report["callables"][0]["mode"] == "whole"


def test_keys_of_tables_with_tensors_are_part_of_the_graph(tmp_path: Any) -> None:
    body = """d = {"w": x, "b": x + 1, "s": 2}
        return [k for k in set(d) - {"s"}], list(d.keys() & {"b", "w", "z"}), x"""
    outcome = compare(load(tmp_path, PROGRAM.format(body=body)), CALLS, grad=False, rounds=6)
    assert outcome.report["callables"][0]["mode"] == "whole"
