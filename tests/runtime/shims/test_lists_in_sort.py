"""Lists that the key function of their own `sort` looks at."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "len in key": (
        "",
        """
        l = [3, 1, 2]
        seen = []
        l.sort(key=lambda v: (seen.append(len(l)), v)[1])
        r = (l, seen)
        """,
    ),
    "plain key": (
        "",
        """
        l = [3, 1, 2]
        l.sort(key=lambda v: -v)
        m = sorted(l, key=lambda v: (len(l), v))
        r = (l, m)
        """,
    ),
    "append in key": (
        "",
        """
        l = [3, 1, 2]
        try:
            l.sort(key=lambda v: (l.append(v), v)[1])
            r = 0
        except ValueError as e:
            r = "v"
        """,
    ),
    "in key": (
        "",
        """
        l = [3, 1, 2]
        l.sort(key=lambda v: v in l)
        r = l
        """,
    ),
    "key from dict and other list": (
        "",
        """
        l = ["b", "a"]
        o = ["a", "b"]
        l.sort(key=o.index)
        q = list(l)
        l.sort(key={"a": 2, "b": 1}.get, reverse=True)
        r = (q, l)
        """,
    ),
    "key tensors": (
        "",
        """
        l = [x.sum(), x.max(), x.mean()]
        l.sort(key=lambda v: v.item())
        x = l[0]
        r = 0
        """,
    ),
    "key raises": (
        "",
        """
        l = [3, 0, 2]
        try:
            l.sort(key=lambda v: 1 // v)
        except ZeroDivisionError:
            pass
        l.append(1)
        r = l
        """,
    ),
}
WHOLE = frozenset(("plain key", "key from dict and other list"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
