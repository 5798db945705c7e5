"""The `__dict__` of classes that the call sets attributes of."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "inc all": (
        """
        class A:
            n = 0
            @classmethod
            def inc(cls):
                cls.n += 1
        class B(A):
            pass
        class C(B):
            pass
        """,
        """
        A.n = 0
        A.inc()
        A.inc()
        r = (A.n, B.n, C.n)
        """,
    ),
    "instance shadows": (
        """
        class A:
            n = 0
            @classmethod
            def inc(cls):
                cls.n += 1
        class B(A):
            pass
        class C(B):
            pass
        """,
        """
        A.n = 0
        b = B()
        b.n = 9
        A.n = 4
        r = (b.n, B().n, C.n)
        """,
    ),
    "vars after write": (
        """
        class H:
            a = 1
        """,
        """
        H.b = 2
        r = ("b" in vars(H), H.b)
        del H.b
        """,
    ),
    "dict after write": (
        """
        class H:
            a = 1
        """,
        """
        H.a = 2
        r = (H.__dict__["a"], H.a)
        H.a = 1
        """,
    ),
    "held proxy": (
        """
        class H:
            a = 1
        """,
        """
        d = H.__dict__
        H.a = d["a"] + 1
        r = d["a"]
        """,
    ),
    "per-class cache": (
        """
        class H:
            def get(s):
                cls = type(s)
                if "_c" not in cls.__dict__:
                    cls._c = []
                cls._c.append(1)
                return len(cls._c)
        class K(H):
            pass
        """,
        """
        r = (H().get(), K().get(), H().get())
        """,
    ),
    "per-class once": (
        """
        class H:
            def get(s):
                cls = type(s)
                if "_c" not in cls.__dict__:
                    cls._c = 1
                return cls._c
        """,
        """
        r = H().get()
        """,
    ),
    "class counter ids": (
        """
        class H:
            count = 0
            def __init__(s):
                H.count += 1
                s.id = H.count
        class K(H):
            pass
        """,
        """
        H.count = 0
        r = [H().id, K().id, H().id, K.count]
        """,
    ),
    "cls counter via type(self)": (
        """
        class H:
            count = 0
            def __init__(s):
                type(s).count += 1
        class K(H):
            pass
        """,
        """
        r = [H().count, K().count, H.count, K.count]
        """,
    ),
    "delattr": (
        """
        class H:
            v = 1
        class K(H):
            v = 2
        """,
        """
        K.v = 3
        a = K.v
        del K.v
        b = K.v
        K.v = 2
        r = (a, b)
        """,
    ),
    "property on class": (
        """
        class H:
            _v = 1
            @property
            def v(s):
                return s._v
        class K(H):
            pass
        """,
        """
        H._v = 2
        a = K().v
        K._v = 3
        r = (a, K().v, H().v)
        H._v = 1
        del K._v
        """,
    ),
    "items of vars": (
        """
        class H:
            a = 1
            b = 2
        """,
        """
        r = sorted((k for k in vars(H) if not k.startswith("_")))
        """,
    ),
    "multiple inheritance": (
        """
        class P:
            v = 1
        class Q:
            v = 2
        class R(P, Q):
            pass
        """,
        """
        Q.v = 7
        a = R.v
        P.v = 5
        r = (a, R.v, R().v)
        Q.v = 2
        P.v = 1
        """,
    ),
    "nn.Module class attr": (
        """
        class M(torch.nn.Module):
            calls = 0
            def forward(s, x):
                M.calls += 1
                return x * s.calls
        class N(M):
            pass
        m = N()
        """,
        """
        M.calls = 0
        x = m(x)
        r = (m.calls, M.calls, "calls" in vars(N), "calls" in M.__dict__)
        """,
    ),
}
WHOLE = frozenset(("inc all", "class counter ids", "items of vars", "multiple inheritance"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
