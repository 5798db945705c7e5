"""Records of tensors: a list of the program gets the tensor itself, and one graph serves every length of the list."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, 2, 3)]

START = """
    import collections
    import torch

    KEPT = []

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 3)
            self.kept = []
            self.queue = collections.deque()
            self.short = collections.deque(maxlen=2)
            self.step = 0
            self.last = None
            KEPT.clear()

        def shown(self):
            kept = (self.kept, list(self.queue), list(self.short), KEPT)
            same = [row is self.last for rows in kept for row in rows]
            all_rows = [row for rows in kept for row in rows]
            parts = [part for row in all_rows for part in (row if isinstance(row, (tuple, list)) else [row])]
            tensors = [part for part in parts if isinstance(part, torch.Tensor)]
            facts = [(part.tolist(), part.requires_grad, part.grad_fn is None, part._is_view()) for part in tensors]
            return repr((self.step, same, facts, [part for part in parts if not isinstance(part, torch.Tensor)]))

        def forward(self, x):
            y = self.linear(x)
            BODY
            return y * 2

    make = Model
    """

DEFERRED = {
    "detached": "self.kept.append(y.detach())",
    "with history": "self.kept.append(y.sum())",
    "the argument": "self.kept.append(x)",
    "a global list": "KEPT.append(y)",
    "a queue": "self.queue.append(y); self.queue.appendleft(x)",
    "a tuple": "self.step += 1; self.kept.append((self.step, y.detach(), 'text'))",
    "with a number": "self.kept.append((y.sum().item(), y))",
    "written to later": "z = y.detach() * 1; self.kept.append(z); z.add_(1)",
    "the object that is kept elsewhere": "self.last = y; self.kept.append(y)",
    "beside a print": "print(y.sum().item()); self.kept.append(y.detach()); print('kept')",
    "without gradients": "\n            with torch.no_grad():\n                self.kept.append(y * 2)",
    "twice": "self.kept.append(y); self.kept.append(y)",
    "with a limit": "self.short.append(y.detach()); self.short.appendleft(x)",
    "a printed length": "self.kept.append(y.detach()); print(f'{len(self.kept)} kept'); self.kept.append(x)",
    "the printed length of a queue with a limit": "self.short.append(y.sum()); print(len(self.short), y.sum().item())",
    "comparisons": "self.kept.append(y > 0); self.kept.append(y.argmax())",
    "a list that grows later": "rows = [y]; self.kept.append(rows); rows.append(x)",
    "an attribute that is set next": "self.last = x; self.kept.append(self.last); self.last = y",
}
FOLLOWED = {
    "asked for its length": "self.kept.append(y.detach()); y = y * len(self.kept)",
    "known by another name": "rows = self.kept; self.kept.append(y.detach()); y = y + rows[-1]",
    "replaced": "self.kept = []; self.kept.append(y.detach())",
    "a length that decides": "self.kept.append(y); print(len(self.kept)); y = y * 2 if len(self.kept) > 3 else y",
    "a length and an item": "self.kept.append(y.detach()); print(len(self.kept), self.kept[0].sum().item())",
    "on one side": "\n            if y.sum() > 0:\n                self.kept.append(y.detach())",
}


@pytest.mark.parametrize("name", DEFERRED)
def test_one_graph_for_all_lengths(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, START.replace("BODY", DEFERRED[name])), CALLS)
    assert outcome.mended("GM304")
    assert outcome.graphs <= 2


@pytest.mark.parametrize("name", FOLLOWED)
def test_nobody_can_tell_where_the_list_is_followed(name: str, tmp_path: Any) -> None:
    compare(load(tmp_path, START.replace("BODY", FOLLOWED[name])), CALLS)


@pytest.mark.parametrize("raising", ["print('{:d}'.format(y.sum().item()))", "print(f'{y.sum().item():d}')"])
def test_an_effect_that_raises(raising: str, tmp_path: Any) -> None:
    """The call is undone and runs again: the list has the tensor that the attribute has."""
    body = f"""self.kept.append(y.detach())
            self.last = y
            self.kept.append(y); self.queue.appendleft((1, y)); self.short.append(y); self.short.appendleft(x)
            try:
                {raising}
            except ValueError as error:
                print("caught", error)
            self.kept.append(x)"""
    compare(load(tmp_path, START.replace("BODY", body)), CALLS)
