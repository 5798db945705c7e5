"""Objects of types.SimpleNamespace that a call makes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

from graphmend.runtime.base import torch_names

PROGRAM = """
    from types import SimpleNamespace as Space

    KEPT = Space(a=1)

    class Derived(Space):
        def total(self):
            return self.loss + 1

    class Deciding(Space):
        def __init__(self, loss):
            super().__init__(loss=loss, steps=0)

    def text(error):
        return type(error).__name__

    def f(x):
        {body}
    """

WHOLE = {
    "results": "a = Space(loss=x.sum(), inner=Space(k='v')); return vars(a), vars(a.inner), a.inner",
    "keywords": "a = Space(**{'u': x, 'v': 2}); return a.u * a.v, hasattr(a, 'w'), getattr(a, 'w', 5)",
    "writes": "a = Space(); a.k = x * 2; a.k = a.k + 1; setattr(a, 'm', 3); return a.k, a.m, vars(a)",
    "classes": "a = Space(k=1); return x, type(a) is Space, isinstance(a, Space), bool(a)",
    "numbers": "a = Space(m=x.mean().item()); a.sign = 1 if a.m > 0 else -1; print(a.m); return a, x * a.sign",
    "kept": "KEPT.inner = Space(x=x.shape[0]); KEPT.a = KEPT.a + 1; return x * KEPT.a, KEPT.inner.x",
}

TABLES = {
    "sizes": "a = Space(p=x, q=2); return len(vars(a)), len(a.__dict__), list(a.__dict__), x",
    "new names": "a = Space(p=x, q=2); a.r = 4; return bool(vars(a)), 'r' in vars(a), len(vars(a)), x",
    "new items": "a = Space(p=x, q=2); d = vars(a); d['z'] = 5; return a.z, len(d), list(d), x",
    "views": "a = Space(p=x, q=2); d = vars(a); a.y = 1; return d['y'], len(d), d, {**vars(a)}",
    "updates": "a = Space(p=x, q=2); b = Space(); vars(b).update(vars(a)); return vars(b), len(vars(b))",
}

OTHER = {
    "deleted": "a = Space(p=x, q=2); del a.p; return list(vars(a)), 'p' in vars(a), hasattr(a, 'p'), x",
    "equal": "a, b = Space(a=1), Space(a=1); return x, a == b, a is b, a != b, [KEPT == b]",
    "texts": "a = Space(a=1, s='t'); return x, repr(a), str(a), f'{a}'",
    "missing": """
        try:
            return Space(u=x).w
        except AttributeError as error:
            return x, str(error)""",
    "unhashable": """
        try:
            return {Space(u=1): x}
        except TypeError as error:
            return x, str(error)""",
    "unordered": """
        try:
            return Space(u=1) < Space(u=2)
        except TypeError as error:
            return x, str(error)""",
    "position": """
        try:
            return Space(3)
        except TypeError as error:
            return x, text(error)""",
    "derived": "s, o = Derived(loss=x), Deciding(3); return s.total(), o.loss, type(s).__name__, vars(s), vars(o)",
}

CALLS = [lambda n=n: ((n - 3.5) * torch.ones(n, 2),) for n in (3, 4, 4)]


def ran(folder: Any, body: str) -> str:
    outcome = compare(load(folder, PROGRAM.format(body=body)), CALLS, rounds=3)
    return str(outcome.report["callables"][0]["mode"])


@pytest.mark.parametrize("body", WHOLE.values(), ids=list(WHOLE))
def test_namespace_is_part_of_the_graph(tmp_path: Any, body: str) -> None:
    assert ran(tmp_path, body) == "whole" or torch_names.release().version < (2, 10)


@pytest.mark.parametrize("body", TABLES.values(), ids=list(TABLES))
def test_table_of_attributes(tmp_path: Any, body: str) -> None:
    assert ran(tmp_path, body) == "whole" or torch_names.release().version < (2, 10)


@pytest.mark.parametrize("body", OTHER.values(), ids=list(OTHER))
def test_what_a_trace_does_not_see(tmp_path: Any, body: str) -> None:
    ran(tmp_path, body)
