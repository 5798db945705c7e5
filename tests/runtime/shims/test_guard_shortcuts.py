"""Lists as default values and kept dictionaries, under the options of Dynamo that older releases have on."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAMS = {
    "a list by position": """
        def record(x, seen=[], last={}):
            seen.append(x.sum().item())
            last[len(seen)] = seen[-1]
            return x * len(seen)
        def f(x):
            return record(x), record.__defaults__
        """,
    "a list by name": """
        def record(x, *, seen=[1, 2]):
            if x.sum() > 0:
                seen.append(len(seen))
            return x * len(seen)
        def f(x):
            return record(x), record.__kwdefaults__
        """,
}
CALLS = [lambda: (torch.ones(2),), lambda: (torch.zeros(2),)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_appended_items_are_kept(name: str, tmp_path: Any) -> None:
    with torch._dynamo.config.patch(skip_guards_on_constant_func_defaults=True):
        outcome = compare(load(tmp_path, PROGRAMS[name]), CALLS, rounds=2)
    assert outcome.report["callables"][-1]["mode"] == "whole", outcome.report


CACHE = """
    import torch
    import collections
    class Users(collections.OrderedDict):
        def fetch(self, key, row):
            if key in self:
                self.move_to_end(key)
            else:
                self[key] = row * 2
                if len(self) > 2:
                    self.popitem(last=False)
            return self[key]
    class Ranker(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.users = Users()
        def forward(self, ids, rows):
            return torch.stack([self.users.fetch(key.item(), row) for key, row in zip(ids, rows)])
    ranker = Ranker()
    def f(ids, rows):
        return ranker(ids, rows), list(ranker.users)
    """


def test_keys_of_a_kept_dictionary_are_looked_at_in_each_call(tmp_path: Any) -> None:
    calls = [lambda keys=keys: (torch.tensor(keys), torch.rand(2, 3)) for keys in ([3, 5], [5, 5], [8, 3])]
    with torch._dynamo.config.patch(use_recursive_dict_tags_for_guards=True):
        outcome = compare(load(tmp_path, CACHE), calls, grad=False, rounds=6)
    assert outcome.report["callables"][-1]["mode"] == "whole", outcome.report
