"""Deques that change while a loop goes over their items, and other containers."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "deque append in for": (
        """
        from collections import deque
        """,
        """
        d = deque([1])
        try:
            for v in d:
                d.append(2)
            r = 0
        except RuntimeError as e:
            r = "rt"
        """,
    ),
    "deque popleft in for": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2, 3])
        r = []
        try:
            for v in d:
                r.append(v)
                d.popleft()
        except RuntimeError as e:
            r.append("rt")
        """,
    ),
    "deque append then break": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        r = []
        for v in d:
            d.append(v)
            break
        r = list(d)
        """,
    ),
    "deque maxlen append in for": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2], maxlen=2)
        r = []
        try:
            for v in d:
                r.append(v)
                d.append(v + 10)
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "deque iter then append then next": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        it = iter(d)
        r = [next(it)]
        d.append(3)
        try:
            r.append(next(it))
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "deque clear at end": (
        """
        from collections import deque
        """,
        """
        d = deque([1])
        r = []
        try:
            for v in d:
                d.clear()
            r.append("ok")
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "deque comprehension": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        try:
            r = [d.append(v) for v in d]
        except RuntimeError:
            r = "rt"
        """,
    ),
    "deque while": (
        """
        from collections import deque
        """,
        """
        d = deque([1])
        r = []
        while d:
            v = d.popleft()
            r.append(v)
            if v < 4:
                d.append(v + 1)
                d.append(v + 2)
        """,
    ),
    "deque list copy": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        for v in list(d):
            d.append(v)
        r = list(d)
        """,
    ),
    "deque extend self": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        d.extend(d)
        r = list(d)
        d += d
        r = (r, list(d))
        """,
    ),
    "deque append and pop in for": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2, 3])
        r = []
        try:
            for v in d:
                r.append(v)
                d.append(5)
                d.pop()
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "list append in for": (
        "",
        """
        l = [1, 2]
        r = []
        for v in l:
            r.append(v)
            if len(l) < 6:
                l.append(v + 1)
        """,
    ),
    "list remove in for": (
        "",
        """
        l = [1, 2, 3, 4]
        r = []
        for v in l:
            r.append(v)
            l.remove(v)
        r = (r, l)
        """,
    ),
    "dict add in for": (
        "",
        """
        d = {1: 2}
        r = []
        try:
            for k in d:
                r.append(k)
                d[k + 1] = 0
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "set add in for": (
        "",
        """
        s = {1}
        r = []
        try:
            for v in s:
                r.append(v)
                s.add(v + 1)
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "module-level deque": (
        """
        from collections import deque
        D = deque([1])
        """,
        """
        r = []
        try:
            for v in D:
                D.append(v)
        except RuntimeError:
            r.append("rt")
        D.clear()
        D.append(1)
        """,
    ),
    "map over deque": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        try:
            r = list(map(lambda v: d.append(v), d))
        except RuntimeError:
            r = "rt"
        """,
    ),
    "deque reversed": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        r = []
        try:
            for v in reversed(d):
                r.append(v)
                d.appendleft(1)
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "deque enumerate zip": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        r = []
        try:
            for i, v in enumerate(d):
                r.append(i)
                d.append(1)
        except RuntimeError:
            r.append("rt")
        """,
    ),
    "deque unpack star": (
        """
        from collections import deque
        """,
        """
        d = deque([1, 2])
        a, *b = d
        d.append(3)
        r = (a, b, [*d], max(d), 3 in d)
        """,
    ),
}
WHOLE = frozenset(("deque append then break", "deque while", "deque list copy", "list append in for"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
