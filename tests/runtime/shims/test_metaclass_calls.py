"""Calls of classes whose metaclass has a `__call__` of its own."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "type.__call__": (
        """
        class S(type):
            def __call__(cls, *a, **k):
                o = type.__call__(cls, *a, **k)
                o.tag = "x"
                return o
        class A(metaclass=S):
            def __init__(s, v=3):
                s.n = v
        """,
        """
        r = (A().tag, A(5).n, A(v=7).n)
        """,
    ),
    "super two args": (
        """
        class S(type):
            def __call__(cls, *a, **k):
                o = super(S, cls).__call__(*a, **k)
                o.tag = cls.__name__
                return o
        class A(metaclass=S):
            pass
        """,
        """
        r = A().tag
        """,
    ),
    "returns other": (
        """
        class S(type):
            def __call__(cls, *a):
                return len(a)
        class A(metaclass=S):
            pass
        """,
        """
        r = A(1, 2)
        """,
    ),
    "inherited meta": (
        """
        class S(type):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.t = getattr(o, "t", 0) + 1
                return o
        class S2(S):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.t += 10
                return o
        class S3(S2):
            pass
        class A(metaclass=S3):
            pass
        class B(A):
            pass
        """,
        """
        r = (A().t, B().t)
        """,
    ),
    "cls.__new__ in meta": (
        """
        class S(type):
            def __call__(cls, *a):
                o = cls.__new__(cls)
                o.k = a
                o.__init__(*a)
                return o
        class A(metaclass=S):
            def __init__(s, v):
                s.v = v
        """,
        """
        r = (A(3).k, A(4).v)
        """,
    ),
    "object.__new__ in meta": (
        """
        class S(type):
            def __call__(cls, *a):
                o = object.__new__(cls)
                o.k = a
                return o
        class A(metaclass=S):
            def __init__(s, v):
                s.v = v
        """,
        """
        r = (A(3).k, hasattr(A(4), "v"))
        """,
    ),
    "abc meta with call": (
        """
        import abc
        class S(abc.ABCMeta):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.t = 1
                return o
        class A(metaclass=S):
            @abc.abstractmethod
            def f(self): ...
        class B(A):
            def f(self):
                return 2
        """,
        """
        r = (B().t, B().f())
        """,
    ),
    "post init": (
        """
        class PostInit(type):
            def __call__(cls, *a, **k):
                o = type.__call__(cls, *a, **k)
                o.__post_init__()
                return o
        class A(metaclass=PostInit):
            def __init__(s, v):
                s.v = v
            def __post_init__(s):
                s.v *= 2
        class B(A):
            def __post_init__(s):
                super().__post_init__()
                s.v += 1
        """,
        """
        r = (A(3).v, B(3).v)
        """,
    ),
    "enum": (
        """
        import enum
        class C(enum.Enum):
            A = 1
            B = 2
        class F(enum.Flag):
            A = 1
            B = 2
        class I(enum.IntEnum):
            X = 3
        """,
        """
        r = (C(1), C(2).name, F(3), I(3) + 1, C(1) is C.A)
        """,
    ),
    "own enum meta": (
        """
        import enum
        class M(enum.EnumMeta):
            def __call__(cls, value, *a, **k):
                if value == "dflt":
                    value = 1
                return super().__call__(value, *a, **k)
        class C(enum.Enum, metaclass=M):
            A = 1
            B = 2
        """,
        """
        r = (C("dflt"), C(2))
        """,
    ),
    "nn module instance with meta": (
        """
        class S(type(torch.nn.Module)):
            def __call__(cls, *a, **k):
                o = super().__call__(*a, **k)
                o.tag = 3
                return o
        class A(torch.nn.Module, metaclass=S):
            def __init__(s):
                super().__init__()
                s.n = 1
        """,
        """
        m = A()
        r = (m.tag, m.n)
        """,
    ),
    "meta call passes class as arg": (
        """
        class S(type):
            def __call__(cls, *a):
                if a and isinstance(a[0], cls):
                    return a[0]
                return super().__call__(*a)
        class A(metaclass=S):
            def __init__(s, v=None):
                s.v = v
        """,
        """
        a = A(3)
        r = (A(a) is a, A(4) is a, a.v)
        """,
    ),
    "meta call raises": (
        """
        class S(type):
            def __call__(cls, *a):
                raise TypeError("no instances of " + cls.__name__)
        class A(metaclass=S):
            pass
        """,
        """
        try:
            A()
            r = 1
        except TypeError as e:
            r = str(e)
        """,
    ),
    "registry counts": (
        """
        class S(type):
            made = []
            def __call__(cls, *a):
                o = super().__call__(*a)
                S.made.append(cls.__name__)
                return o
        class A(metaclass=S):
            pass
        class B(A):
            pass
        """,
        """
        A()
        B()
        r = (list(S.made), len(S.made))
        """,
    ),
    "counter on class": (
        """
        class S(type):
            def __call__(cls, *a):
                cls.count += 1
                return super().__call__(*a)
        class A(metaclass=S):
            count = 0
        """,
        """
        A()
        A()
        r = A.count
        """,
    ),
    "lambda in map": (
        """
        class S(type):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.tag = a
                return o
        class A(metaclass=S):
            def __init__(s, v):
                pass
        """,
        """
        r = ([o.tag for o in map(A, [1, 2])], (lambda c: c(5))(A).tag, A(*[6]).tag)
        """,
    ),
    "callable object as metaclass call": (
        """
        class Callit:
            def __call__(self, *a):
                return ("called", a)
        class S(type):
            __call__ = Callit()
        class A(metaclass=S):
            pass
        """,
        """
        r = A(3)
        """,
    ),
    "staticmethod call": (
        """
        class S(type):
            @staticmethod
            def __call__(*a):
                return ("st", a)
        class A(metaclass=S):
            pass
        """,
        """
        r = A(3)
        """,
    ),
    "classmethod call": (
        """
        class S(type):
            @classmethod
            def __call__(mcs, *a):
                return (mcs.__name__, a)
        class A(metaclass=S):
            pass
        """,
        """
        r = A(3)
        """,
    ),
    "exception with meta": (
        """
        class S(type):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.tag = 1
                return o
        class E(Exception, metaclass=S):
            pass
        """,
        """
        try:
            raise E("x")
        except E as e:
            r = (e.tag, e.args)
        """,
    ),
    "dataclass with meta": (
        """
        import dataclasses
        class S(type):
            def __call__(cls, *a, **k):
                o = super().__call__(*a, **k)
                object.__setattr__(o, "tag", 1)
                return o
        @dataclasses.dataclass
        class D(metaclass=S):
            a: int = 1
        @dataclasses.dataclass(frozen=True)
        class F(metaclass=S):
            a: int = 1
        """,
        """
        r = (D(2).a, D().tag, F(3).a, F(3).tag)
        """,
    ),
    "list subclass meta": (
        """
        class S(type):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.tag = len(o)
                return o
        class L(list, metaclass=S):
            pass
        class T(dict, metaclass=S):
            pass
        """,
        """
        r = (L([1, 2]).tag, T({1: 2}).tag)
        """,
    ),
    "tensor arg stored": (
        """
        class S(type):
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.s = o.v.sum().item() > 0
                return o
        class A(metaclass=S):
            def __init__(s, v):
                s.v = v
        """,
        """
        a = A(x)
        x = a.v + a.s
        r = a.s
        """,
    ),
    "class method of meta": (
        """
        class S(type):
            def make(cls, *a):
                return cls(*a)
            def __call__(cls, *a):
                o = super().__call__(*a)
                o.t = a
                return o
        class A(metaclass=S):
            def __init__(s, v):
                pass
        """,
        """
        r = A.make(3).t
        """,
    ),
    "new with singleton (no meta)": (
        """
        class A:
            _i = None
            def __new__(cls, *a):
                if cls._i is None:
                    cls._i = super().__new__(cls)
                return cls._i
            def __init__(s):
                s.n = getattr(s, "n", 0) + 1
        """,
        """
        A._i = None
        a = A()
        b = A()
        r = (a is b, a.n)
        """,
    ),
    "init subclass registry call": (
        """
        class R:
            reg = {}
            def __init_subclass__(cls, **k):
                R.reg[cls.__name__] = cls
        class A(R):
            v = 1
        class B(R):
            v = 2
        """,
        """
        r = (R.reg["A"]().v, R.reg["B"]().v)
        """,
    ),
    "metaclass instances": (
        """
        class S(type):
            _i = {}
            def __call__(cls, *a, **k):
                if cls not in cls._i:
                    cls._i[cls] = super().__call__(*a, **k)
                return cls._i[cls]
        class A2(metaclass=S):
            def __init__(s):
                s.n = 0
        class B2(A2):
            pass
        """,
        """
        a = A2()
        a.n += 1
        b = A2()
        r = (a is b, b.n, len(S._i), B2() is B2(), B2() is a)
        """,
    ),
}
WHOLE = frozenset(
    (
        "type.__call__",
        "super two args",
        "returns other",
        "inherited meta",
        "abc meta with call",
        "post init",
        "enum",
        "meta call passes class as arg",
        "registry counts",
        "exception with meta",
        "dataclass with meta",
        "metaclass instances",
    )
)


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
