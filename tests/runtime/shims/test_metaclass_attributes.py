"""Attributes that a class finds in its metaclass, and metaclasses that answer writes."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "metaclass counter": (
        """
        class S(type):
            count = 0
            def __call__(cls):
                S.count += 1
                return super().__call__()
        class A2(metaclass=S):
            pass
        """,
        """
        A2()
        r = (A2.count, S.count)
        """,
    ),
    "metaclass setattr": (
        """
        class S(type):
            def __setattr__(cls, k, v):
                super().__setattr__(k, v * 2)
        class A2(metaclass=S):
            n = 1
        """,
        """
        A2.n = 3
        r = A2.n
        """,
    ),
    "metaclass shadow": (
        """
        class S(type):
            v = 1
        class A2(metaclass=S):
            pass
        """,
        """
        q = A2.v
        A2.v = 5
        r = (q, A2.v, S.v)
        del A2.v
        """,
    ),
    "meta mro attr": (
        """
        class S(type):
            limit = 5
            def lim(cls):
                return cls.limit
        class A(metaclass=S):
            pass
        """,
        """
        r = (A.lim(), A.limit, hasattr(A(), "limit"))
        """,
    ),
    "meta property and getitem": (
        """
        class S(type):
            @property
            def nick(cls):
                return cls.__name__.lower()
            def __getitem__(cls, k):
                return (cls.__name__, k)
            def __len__(cls):
                return 7
            def __iter__(cls):
                return iter([1, 2])
            def __contains__(cls, v):
                return v == 1
        class A(metaclass=S):
            pass
        """,
        """
        r = (A.nick, A[3], len(A), list(A), 1 in A, 2 in A)
        """,
    ),
}
WHOLE = frozenset(("metaclass counter", "meta mro attr"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
