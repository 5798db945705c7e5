"""`isinstance` with classes whose metaclass answers."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "instcheck both": (
        """
        class M(type):
            def __instancecheck__(cls, o):
                return getattr(o, "k", 0) == 3
        class A(metaclass=M):
            pass
        class B:
            k = 3
        class C(A):
            pass
        """,
        """
        r = (isinstance(B(), A), isinstance(A(), A), isinstance(C(), A), isinstance(3, A), isinstance(C(), C))
        """,
    ),
    "instcheck tuple": (
        """
        class M(type):
            def __instancecheck__(cls, o):
                return getattr(o, "k", 0) == 3
        class A(metaclass=M):
            pass
        class B:
            k = 3
        """,
        """
        r = (isinstance(B(), (int, A)), isinstance(A(), (int, A)), isinstance(3, (int, A)))
        """,
    ),
    "instcheck state of object set in call": (
        """
        class M(type):
            def __instancecheck__(cls, o):
                return getattr(o, "k", 0) == 3
        class A(metaclass=M):
            pass
        class B:
            pass
        """,
        """
        b = B()
        q = isinstance(b, A)
        b.k = 3
        r = (q, isinstance(b, A))
        """,
    ),
    "instcheck not bool": (
        """
        class M(type):
            def __instancecheck__(cls, o):
                return "yes"
        class A(metaclass=M):
            pass
        class B:
            pass
        """,
        """
        r = (isinstance(B(), A), isinstance(3, A))
        """,
    ),
    "instcheck side effect": (
        """
        L = []
        class M(type):
            def __instancecheck__(cls, o):
                L.append(1)
                return True
        class A(metaclass=M):
            pass
        class B:
            pass
        """,
        """
        L.clear()
        q = isinstance(B(), A)
        r = (q, len(L))
        """,
    ),
    "instcheck inherited meta": (
        """
        class M(type):
            def __instancecheck__(cls, o):
                return True
        class N(M):
            pass
        class A(metaclass=N):
            pass
        class B:
            pass
        """,
        """
        r = (isinstance(B(), A), isinstance([], A), isinstance(x, A))
        """,
    ),
    "subclasscheck": (
        """
        class M(type):
            def __subclasscheck__(cls, o):
                return o is int
        class A(metaclass=M):
            pass
        class B(A):
            pass
        """,
        """
        r = (
            issubclass(int, A),
            issubclass(B, A),
            issubclass(A, A),
            isinstance(B(), A),
            issubclass(str, (A, int)),
        )
        """,
    ),
    "abc register": (
        """
        import abc
        class A(abc.ABC):
            pass
        class B:
            pass
        A.register(B)
        class H(abc.ABC):
            @classmethod
            def __subclasshook__(cls, o):
                return hasattr(o, "zip")
        class Z:
            zip = 1
        """,
        """
        r = (isinstance(B(), A), issubclass(B, A), isinstance(Z(), H), isinstance(B(), H))
        """,
    ),
    "runtime protocol": (
        """
        from typing import Protocol, runtime_checkable
        @runtime_checkable
        class P(Protocol):
            def go(self): ...
        class Q:
            def go(self):
                return 1
        class S:
            pass
        """,
        """
        s = S()
        a = isinstance(s, P)
        s.go = lambda: 1
        r = (isinstance(Q(), P), a, isinstance(s, P))
        """,
    ),
    "collections abc": (
        """
        from collections.abc import Iterable, Sized, Mapping, Callable, Hashable
        class Q:
            def __iter__(s):
                return iter([])
            def __call__(s):
                pass
            __hash__ = None
        """,
        """
        r = (
            isinstance(Q(), Iterable),
            isinstance(Q(), Sized),
            isinstance({}, Mapping),
            isinstance(Q(), Callable),
            isinstance([], Hashable),
            isinstance(Q(), Hashable),
            isinstance(x, Iterable),
        )
        """,
    ),
    "__class__ property lies": (
        """
        class L:
            @property
            def __class__(s):
                return int
        """,
        """
        r = (isinstance(L(), int), isinstance(L(), L), type(L()).__name__)
        """,
    ),
    "except clause with instancecheck": (
        """
        class M(type):
            def __instancecheck__(cls, o):
                return True
        class E(Exception, metaclass=M):
            pass
        """,
        """
        try:
            try:
                raise ValueError("v")
            except E:
                r = "e"
        except ValueError:
            r = "v"
        """,
    ),
}
WHOLE = frozenset(
    (
        "instcheck both",
        "instcheck tuple",
        "instcheck inherited meta",
        "subclasscheck",
        "abc register",
        "collections abc",
    )
)


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
