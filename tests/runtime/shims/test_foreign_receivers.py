"""Methods of built-in classes, called with an object of another class."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "int add str": (
        "",
        """
        try:
            r = int.__add__("a", 1)
        except Exception as e:
            r = (type(e).__name__, str(e))
        """,
    ),
    "str lower int": (
        "",
        """
        try:
            r = str.lower(5)
        except TypeError:
            r = "T"
        """,
    ),
    "list append tuple": (
        "",
        """
        try:
            r = list.append((1,), 2)
        except TypeError:
            r = "T"
        """,
    ),
    "dict get list": (
        "",
        """
        try:
            r = dict.get([], 1)
        except TypeError:
            r = "T"
        """,
    ),
    "good receivers": (
        """
        class L(list):
            pass
        """,
        """
        l = L()
        list.append(l, 2)
        d = {}
        dict.update(d, a=1)
        r = (
            str.upper("a"),
            int.__add__(1, 2),
            l,
            dict.get(d, "a"),
            int.__add__(True, 1),
            float.__mul__(1.5, 2.0),
            list.__len__(l),
            dict.fromkeys([1]),
            str.join(",", ["a"]),
            tuple.__len__((1,)),
            object.__eq__(l, l),
            object.__repr__(3) == repr(3),
            set.union({1}, {2}),
            str.maketrans("a", "b"),
            bytes.fromhex("00"),
            type.mro(int)[0],
        )
        """,
    ),
    "map str wrong": (
        "",
        """
        try:
            r = list(map(str.strip, [1]))
        except TypeError:
            r = "T"
        """,
    ),
    "int with number": (
        "",
        """
        try:
            r = int.__add__(1.5, 1)
        except TypeError:
            r = "T"
        """,
    ),
    "object setattr": (
        """
        class O:
            pass
        """,
        """
        o = O()
        object.__setattr__(o, "a", 1)
        r = (o.a, object.__getattribute__(o, "a"))
        """,
    ),
}
WHOLE = frozenset[str]()


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
