"""Records of tensors behind keys: `self.table[name].append(loss)` puts the tensor in behind the graph."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import captured, compare, load, seed

CALLS = [lambda n=n: (torch.full((3,), float(n)), "ab"[n % 2]) for n in (1, 2, 3, 4)]

START = """
    import collections
    import torch

    KEPT = collections.defaultdict(list)

    class Lists(list):
        def append(self, value):
            print("own")
            super().append(value * 1)

    def made():
        print("made")
        return []

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.table = {"loss": [], "a": [], "b": []}
            self.rows = self.table["loss"]
            self.nested = {"train": {"loss": []}, "sides": [[], []], "step": 3}
            self.groups = collections.defaultdict(list)
            self.short = {"a": collections.deque(maxlen=2), "b": collections.deque()}
            self.own = {"a": Lists(), "b": []}
            self.making = collections.defaultdict(made)
            self.last = None
            KEPT.clear()

        def shown(self):
            kept = (self.table, self.nested, dict(self.groups), self.short, self.own, dict(self.making), dict(KEPT))
            return repr(torch.utils._pytree.tree_map(self.text, kept))

        def text(self, part):
            return (part.tolist(), part.requires_grad, part is self.last) if isinstance(part, torch.Tensor) else part

        def noted(self, x):
            print("noted")
            return x.detach()

        def note(self, name, value):
            self.groups[name].append(value)

        def forward(self, x, name):
            y = self.linear(x)
            BODY
            return y * 2

    make = Model
    """

DEFERRED = {
    "a constant key": "self.table['loss'].append(y.detach())",
    "a key that an argument gives": "self.last = y.sum(); self.table[name].append(self.last)",
    "two keys": "self.nested['train']['loss'].append((x.shape[0], y.detach()))",
    "a key and an index": "self.nested['sides'][0].append(y); self.nested['sides'][1].append(x)",
    "a key that may be new": "self.groups[name].append(y); self.groups[f'{name}/x'].append(x)",
    "an entry that may be new": "self.table.setdefault('new', []).append(y.detach())",
    "a global": "KEPT[name].append(y.detach())",
    "a queue": "self.short[name].append(y.detach()); self.short[name].appendleft(x)",
    "a method": "self.note('sum', y.sum()); self.note(y.dim(), y.detach())",
    "beside a print": "print(name); self.table['loss'].append(y.detach()); print('kept', y.sum().item())",
    "a number and a tensor": "self.note('n', y.sum().item()); self.note('t', y)",
}
FOLLOWED = {
    "another name": "self.table['loss'].append(y.detach()); y = y + sum(self.rows)",
    "asked for its length": "self.table['loss'].append(y.detach()); y = y * len(self.table['loss'])",
    "the length shown": "self.table['loss'].append(y.detach()); print(len(self.table['loss']))",
    "the table replaced": "self.table = {'a': [], 'b': []}; self.table[name].append(y)",
    "the list replaced": "self.table['loss'] = []; self.table['loss'].append(y.detach())",
    "a class of the program's": "self.own[name].append(y.detach())",
    "a maker of the program's": "self.making[name].append(y.detach())",
    "a call in what is kept": "self.table[name].append(self.noted(y))",
    "a key from the data": "self.groups[y.argmax().item()].append(y.detach())",
    "a tensor as a key": "self.groups[y].append(y.detach())",
    "iterated": "self.table[name].append(y.detach()); y = y + sum(len(rows) for rows in self.table.values())",
    "a key that the call puts in": "\n            if name not in self.groups: self.groups[name] = []\n"
    "            self.groups[name].append(y.detach())",
}


@pytest.mark.parametrize("name", DEFERRED)
def test_one_graph_for_all_lengths_and_keys(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START.replace("BODY", DEFERRED[name])), CALLS)
    assert outcome.mended("GM304")
    assert outcome.graphs <= 2


@pytest.mark.parametrize("name", FOLLOWED)
def test_nobody_can_tell_where_the_table_is_followed(name: str, tmp_path: Any) -> None:
    compare(load(tmp_path, START.replace("BODY", FOLLOWED[name])), CALLS)


@pytest.mark.parametrize("raising", ["print(f'{y.sum().item():d}')", "self.table['gone'].append(y)"])
def test_an_effect_that_raises(raising: str, tmp_path: Any) -> None:
    """The call is undone and runs again: tables lose the keys that it has put in."""
    body = f"""self.table['loss'].append(y.detach()); self.groups[name].append(y)
            self.short[name].append(y); self.short[name].append(x); self.nested['sides'][-1].append(x)
            try:
                {raising}
            except (KeyError, ValueError) as error:
                print("caught", type(error), error)
            self.groups['end'].append(x)"""
    compare(load(tmp_path, START.replace("BODY", body)), CALLS)


def test_a_key_that_is_missing(tmp_path: Any) -> None:
    """The error comes where it stands: what is printed behind it is not printed."""
    body = "print('before'); self.nested[name].append(y.detach()); print('behind')"
    compare(load(tmp_path, START.replace("BODY", body)), CALLS)


@pytest.mark.parametrize("body", ["self.table['loss'].append(z)", "self.rows.append(z)"])
def test_a_list_that_is_replaced_between_calls(body: str, tmp_path: Any) -> None:
    """A list of the program's own class copies what it is given, and may come after the trace."""
    make = load(tmp_path, START.replace("BODY", f"z = y.detach(); print('before'); {body}; z.add_(1)"))
    found = []
    for wrap in (lambda model: model, lambda model: torch.compile(model, backend="eager")):
        seed()
        model = make()
        function = wrap(model)
        with captured() as events:
            for number in range(6):
                if number == 4:
                    model.table["loss"] = model.rows = type(model.own["a"])()
                function(torch.ones(3) * number, "a")
        found.append((events, model.shown()))
    assert found[0] == found[1]
