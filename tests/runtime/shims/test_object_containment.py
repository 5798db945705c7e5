"""`in` with objects of the program."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "contains truthy": (
        """
        class C:
            def __contains__(s, v):
                return "yes"
        class D:
            def __contains__(s, v):
                return []
        class E:
            def __contains__(s, v):
                return None
        x_ = torch.ones(1)
        """,
        """
        r = (1 in C(), 1 not in C(), 1 in D(), 1 not in D(), 1 in E(), 1 not in E())
        """,
    ),
    "contains number": (
        """
        class C:
            def __contains__(s, v):
                return 2
        """,
        """
        r = ((3 in C()) + 1, (3 in C()) == True, 5 if 3 in C() else 6, [3 in C()])
        """,
    ),
    "contains tensor result": (
        """
        class C:
            def __init__(s, t):
                s.t = t
            def __contains__(s, v):
                return (s.t == v).any()
        """,
        """
        r = (0.5 in C(x.detach()), isinstance(7 in C(x), bool), 7 not in C(x))
        """,
    ),
    "contains obj with bool": (
        """
        class T:
            def __bool__(s):
                return False
        class C:
            def __contains__(s, v):
                return T()
        """,
        """
        r = (1 in C(), 1 not in C())
        """,
    ),
    "contains via iter": (
        """
        class C:
            def __iter__(s):
                return iter([1, 2])
        class G:
            def __getitem__(s, i):
                if i > 3:
                    raise IndexError
                return i
        """,
        """
        r = (1 in C(), 5 in C(), 2 in G(), 9 in G())
        """,
    ),
    "contains in list subclass": (
        """
        class L(list):
            def __contains__(s, v):
                return 1
        """,
        """
        r = (5 in L(), [] in L())
        """,
    ),
    "operator contains": (
        """
        import operator
        class C:
            def __contains__(s, v):
                return "yes"
        """,
        """
        r = (operator.contains(C(), 1), C().__contains__(1))
        """,
    ),
    "contains raise": (
        """
        class C:
            def __contains__(s, v):
                raise KeyError(v)
        """,
        """
        try:
            3 in C()
            r = 0
        except KeyError as e:
            r = e.args
        """,
    ),
    "identity in list": (
        """
        class A:
            def __eq__(self, o):
                return False
            __hash__ = None
        """,
        """
        a = A()
        b = A()
        r = (
            a in [a],
            a in (b, a),
            a in [b],
            [a].index(a),
            [a].count(a),
            [a] == [a],
            (a,) == (a,),
            {1: a} == {1: a},
            a in [b, b],
            [a].count(b),
        )
        """,
    ),
    "identity eq recorded": (
        """
        L = []
        class A:
            def __init__(s, n):
                s.n = n
            def __eq__(self, o):
                L.append((self.n, getattr(o, "n", o)))
                return self.n == getattr(o, "n", o)
            def __hash__(s):
                return 1
        """,
        """
        L.clear()
        a = A(1)
        b = A(2)
        r = (a in [a], a in [b, a], b in [a], 2 in [a, b], list(L))
        """,
    ),
    "identity remove": (
        """
        class A:
            def __eq__(self, o):
                return False
        """,
        """
        a = A()
        l = [1, a]
        l.remove(a)
        r = len(l)
        """,
    ),
    "identity dict eq list ne": (
        """
        class A:
            def __eq__(self, o):
                return False
        """,
        """
        a = A()
        r = ([a] != [a], {"k": a} != {"k": a}, (1, a) == (1, a), [a] < [a], [[a]] == [[a]], a == a)
        """,
    ),
    "eq nonbool in list": (
        """
        class A:
            def __eq__(self, o):
                return "y"
            __hash__ = None
        class B:
            def __eq__(self, o):
                return []
            __hash__ = None
        """,
        """
        r = (
            3 in [A()],
            A() in [3],
            3 in [B()],
            [A()] == [3],
            [B()] == [3],
            [3].count(A()),
            A() == 3,
            [A()].index(3),
        )
        """,
    ),
    "eq NotImplemented": (
        """
        class A:
            def __eq__(self, o):
                return NotImplemented
            __hash__ = None
        """,
        """
        a = A()
        r = (a in [a], a in [A()], a == a, a == A(), [a] == [a], a in [3])
        """,
    ),
    "identity with deque and set": (
        """
        from collections import deque
        class A:
            def __eq__(self, o):
                return False
            def __hash__(s):
                return 5
        """,
        """
        a = A()
        r = (
            a in deque([a]),
            a in {a},
            a in {a: 1},
            a in [a],
            a in {1: a}.values(),
            (1, a) in {1: a}.items(),
            deque([a]).count(a),
        )
        """,
    ),
    "in generator identity": (
        """
        class A:
            def __eq__(self, o):
                return False
        """,
        """
        a = A()
        r = (a in (v for v in [a]), a in iter([a]), a in map(lambda v: v, [a]))
        """,
    ),
}
WHOLE = frozenset(
    (
        "contains truthy",
        "contains number",
        "contains tensor result",
        "contains obj with bool",
        "identity in list",
        "identity eq recorded",
        "in generator identity",
    )
)


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
