"""Keys without a hash, of which the program asks a dictionary or a set."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "get list": (
        "",
        """
        try:
            r = {1: 2}.get([])
        except TypeError:
            r = "T"
        """,
    ),
    "get default dict key": (
        "",
        """
        try:
            r = {1: 2}.get({}, 3)
        except TypeError:
            r = "T"
        """,
    ),
    "get tuple of list": (
        "",
        """
        try:
            r = {1: 2}.get((1, []), 3)
        except TypeError:
            r = "T"
        """,
    ),
    "get obj with eq": (
        """
        class K:
            def __eq__(s, o):
                return True
        """,
        """
        try:
            r = {1: 2}.get(K(), 3)
        except TypeError:
            r = "T"
        """,
    ),
    "get obj hash none": (
        """
        class H:
            __hash__ = None
        """,
        """
        try:
            r = {1: 2}.get(H(), 3)
        except TypeError:
            r = "T"
        """,
    ),
    "pop list": (
        "",
        """
        try:
            r = {1: 2}.pop([], 3)
        except TypeError:
            r = "T"
        """,
    ),
    "pop no default": (
        """
        class K:
            def __eq__(s, o):
                return True
        """,
        """
        try:
            r = {1: 2}.pop([])
        except TypeError:
            r = "T"
        except KeyError:
            r = "K"
        """,
    ),
    "setdefault list": (
        "",
        """
        try:
            r = {1: 2}.setdefault([], 3)
        except TypeError:
            r = "T"
        """,
    ),
    "in list": (
        "",
        """
        try:
            r = [] in {1: 2}
        except TypeError:
            r = "T"
        """,
    ),
    "set discard remove": (
        """
        class K:
            def __eq__(s, o):
                return True
        """,
        """
        s = {1}
        r = []
        try:
            s.discard([])
            r.append("d")
        except TypeError:
            r.append("T")
        try:
            s.remove([])
            r.append("d")
        except TypeError:
            r.append("T")
        except KeyError:
            r.append("K")
        """,
    ),
    "set in set": (
        "",
        """
        r = ({1} in {1}, {1} in {frozenset([1])})
        """,
    ),
    "subclass get": (
        """
        class M(dict):
            pass
        """,
        """
        try:
            r = M(a=1).get([], 2)
        except TypeError:
            r = "T"
        """,
    ),
    "module dict": (
        """
        T = {1: 2}
        """,
        """
        try:
            r = T.get([], 3)
        except TypeError:
            r = "T"
        """,
    ),
    "plain obj keys": (
        """
        class Q:
            pass
        """,
        """
        q = Q()
        d = {q: 1}
        r = (d.get(q), d.get(Q(), "n"), q in d, Q() in d, d.setdefault(q, 5))
        """,
    ),
    "tensor keys": (
        "",
        """
        d = {x: 1}
        r = (d.get(x), x in d, d.get(x + 1, "no"))
        """,
    ),
    "size tuple keys": (
        "",
        """
        d = {(4, 2): 1}
        r = (d.get(tuple(x.shape)), d.get(x.shape))
        """,
    ),
    "enum keys": (
        """
        import enum
        class E(enum.Enum):
            A = 1
            B = 2
        """,
        """
        d = {E.A: 1}
        r = (d.get(E.A), d.get(E.B, 0), E.A in d)
        """,
    ),
    "dataclass keys unhash": (
        """
        import dataclasses
        @dataclasses.dataclass
        class D:
            a: int = 1
        """,
        """
        try:
            r = {1: 2}.get(D(), 3)
        except TypeError:
            r = "T"
        """,
    ),
    "dataclass frozen keys": (
        """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class D:
            a: int = 1
        """,
        """
        d = {D(1): 5}
        r = (d.get(D(1)), d.get(D(2), 0), D(1) in d)
        """,
    ),
    "namedtuple key": (
        """
        from typing import NamedTuple
        class N(NamedTuple):
            a: int
        """,
        """
        d = {N(1): 2}
        r = (d.get(N(1)), d.get((1,)), N(2) in d)
        """,
    ),
}
WHOLE = frozenset(("plain obj keys", "tensor keys", "enum keys", "dataclass frozen keys", "namedtuple key"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
