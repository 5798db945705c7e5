"""Dictionaries from before the call whose keys go or move: they are as in eager behind the call."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, 2, 3)]

PROGRAM = """
    import collections
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = collections.OrderedDict(a=torch.zeros(3), b=torch.ones(3), c=torch.ones(3) * 2)

        def shown(self):
            return repr([(key, value.tolist()) for key, value in self.table.items()])

        def forward(self, x):
            BODY
            return x + self.table["a"]

    make = Model
    """

BODIES = {
    "last": "self.table.move_to_end('a')",
    "first": "self.table.move_to_end('c', last=False)",
    "decided": "self.table.move_to_end('b') if x.sum() > 4 else self.table.move_to_end('a')",
    "two": "self.table.move_to_end('a'); self.table.move_to_end('b')",
    "with a new value": "self.table.move_to_end('a'); self.table['b'] = x * 2",
    "there and back": "self.table.move_to_end('c', last=False); self.table.move_to_end('c')",
}


@pytest.mark.parametrize("name", BODIES)
def test_keys_stand_as_in_eager(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, PROGRAM.replace("BODY", BODIES[name])), CALLS, grad=False)
    assert outcome.graphs >= 1


def test_a_cache_of_the_least_recently_used(tmp_path: Any) -> None:
    """The key is a number from data: the trace looks for it in the dictionary, and the oldest one has to go."""
    body = """key = int(x.sum())
            if key in self.table:
                self.table.move_to_end(key)
                return self.table[key]
            self.table[key] = x * 2
            if len(self.table) > 4:
                self.table.popitem(last=False)
            return self.table[key]"""
    program = PROGRAM.replace('BODY\n            return x + self.table["a"]', body)
    calls = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, 2, 1, 3, 2)]
    compare(load(tmp_path, program), calls, grad=False)


CHANGED = """
    import collections
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.calls = KIND(a=1, b=2, c=3), 0

        def shown(self):
            return repr(list(self.table.items()))

        def step(self, x):
            BODY

        @torch.compiler.disable
        def between(self):
            contents = [dict(a=1, z=2, c=3), dict(c=3, z=2, a=1), dict(a=1, z=2, c=3, y=4), dict(a=1)][self.calls % 4]
            self.calls += 1
            self.table.clear()
            self.table.update(contents)

        def forward(self, x):
            self.between()
            return self.step(x)

    make = Model
    """

REMOVALS = {
    "pop": "self.table.pop('a'); return x + 1",
    "popitem": "key, value = self.table.popitem(); return x + value + len(self.table)",
    "del": "del self.table['a']; return x * 2",
    "pop and set": "self.table['a'] = self.table.pop('a'); return x + 3",
    "clear and set": "self.table.clear(); self.table['n'] = 5; return x - 1",
}


@pytest.mark.parametrize("kind", ["dict", "collections.OrderedDict"])
@pytest.mark.parametrize("name", REMOVALS)
def test_keys_that_come_between_calls_stay(name: str, kind: str, tmp_path: Any) -> None:
    """A graph holds for the keys that it has met; plain torch.compile loses those that the program has added since."""
    program = CHANGED.replace("BODY", REMOVALS[name]).replace("KIND", kind)
    compare(load(tmp_path, program), CALLS[:1], grad=False, rounds=8)
