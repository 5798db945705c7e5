"""Properties that raise an AttributeError in front of `__getattr__`."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "getattr err": (
        """
        class B:
            @property
            def p(self):
                return self.missing
            def __getattr__(self, k):
                raise AttributeError("no " + k)
        """,
        """
        try:
            B().p
        except AttributeError as e:
            r = (str(e), hasattr(B(), "p"), getattr(B(), "q", 1), getattr(B(), "p", 5))
        """,
    ),
    "getattr default for property": (
        """
        class B:
            @property
            def p(self):
                raise AttributeError("x")
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = (B().p, B().q)
        """,
    ),
    "property ok": (
        """
        class B:
            @property
            def p(self):
                return self.q
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = B().p
        """,
    ),
    "property key error": (
        """
        class B:
            @property
            def p(self):
                raise KeyError("k")
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        try:
            r = B().p
        except KeyError as e:
            r = e.args
        """,
    ),
    "module property err": (
        """
        class M(torch.nn.Module):
            @property
            def p(self):
                return self.nothing
            @property
            def q(self):
                return self.lin.weight.shape[0]
            def __init__(s):
                super().__init__()
                s.lin = torch.nn.Linear(2, 3)
        m = M()
        """,
        """
        try:
            m.p
        except AttributeError as e:
            r = str(e)
        r = (r, hasattr(m, "p"), m.q, hasattr(m, "zz"))
        """,
    ),
    "descriptor err": (
        """
        class D:
            def __get__(s, o, t):
                raise AttributeError("d")
        class B:
            d = D()
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = B().d
        """,
    ),
    "cached property err": (
        """
        import functools
        class B:
            @functools.cached_property
            def p(self):
                raise AttributeError("x")
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = B().p
        """,
    ),
}
WHOLE = frozenset(("getattr err", "getattr default for property", "property ok", "module property err"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
