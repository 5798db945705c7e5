"""Weak references to objects that the call makes, and to older objects."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, in_loop, load

from graphmend.runtime.base import torch_names

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "weak del": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        """,
        """
        a = A()
        w = weakref.ref(a)
        q = w() is a
        del a
        r = (q, w() is None)
        """,
    ),
    "weak kept": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        KEEP = A()
        W = weakref.ref(KEEP)
        """,
        """
        r = (W() is KEEP, weakref.ref(KEEP)() is KEEP)
        """,
    ),
    "weak value dict": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        """,
        """
        d = weakref.WeakValueDictionary()
        a = A()
        d["a"] = a
        q = len(d)
        del a
        r = (q, len(d))
        """,
    ),
    "weak set": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        """,
        """
        s = weakref.WeakSet()
        a = A()
        s.add(a)
        q = len(s)
        del a
        r = (q, len(s))
        """,
    ),
    "weak method": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        """,
        """
        a = A()
        m = weakref.WeakMethod(a.f)
        q = m()()
        del a
        r = (q, m() is None)
        """,
    ),
    "weak finalize": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        L = []
        """,
        """
        L.clear()
        a = A()
        weakref.finalize(a, L.append, 1)
        del a
        r = list(L)
        """,
    ),
    "weak module attr": (
        """
        import weakref
        class A:
            def f(s):
                return 3
        class M(torch.nn.Module):
            def __init__(s):
                super().__init__()
                s.w = weakref.ref(KEEP2)
            def forward(s, x):
                return x * (2 if s.w() is not None else 3)
        KEEP2 = A()
        m = M()
        """,
        """
        x = m(x)
        r = m.w() is KEEP2
        """,
    ),
}
WHOLE = frozenset(("weak kept",))
CALLS = [lambda n=n: (torch.full((4, 2), n),) for n in (0.5, -1.0, 0.7)]


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, in_loop(*CASES[name])), CALLS, grad=False, rounds=3)
    if name in WHOLE and torch_names.release().version >= (2, 13):
        assert outcome.graphs and [entry["mode"] for entry in outcome.report["callables"]] == ["whole"]
