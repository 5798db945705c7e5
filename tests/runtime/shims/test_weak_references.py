"""Weak references to objects that the call makes, and to older objects."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

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


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
