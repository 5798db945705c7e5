"""Objects that get a new `__dict__`."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "objdict replace": (
        """
        class O:
            pass
        """,
        """
        o = O()
        o.a = 1
        o.__dict__ = {"b": 2}
        r = (hasattr(o, "a"), o.b)
        """,
    ),
    "objdict share": (
        """
        class O:
            pass
        """,
        """
        o = O()
        p = O()
        o.__dict__ = p.__dict__
        o.a = 3
        r = p.a
        """,
    ),
    "objdict attrdict": (
        """
        class AD(dict):
            def __init__(s, *a, **k):
                super().__init__(*a, **k)
                s.__dict__ = s
        """,
        """
        d = AD(a=1)
        d.b = 2
        r = (d.a, d["b"], d.get("b"))
        """,
    ),
    "borg": (
        """
        class Borg:
            _s = {}
            def __init__(s):
                s.__dict__ = s._s
        """,
        """
        a = Borg()
        a.v = 1
        b = Borg()
        r = getattr(b, "v", None)
        Borg._s.clear()
        """,
    ),
    "shared reads": (
        """
        class Shared:
            state = {"count": 2, "is_forked": False}
            limit = 3
            def __init__(self):
                self.__dict__ = self.state
                self.is_forked = False
            @property
            def is_ready(self):
                return self.state != {}
            def scaled(self):
                return self.count * self.limit
        """,
        """
        a = Shared()
        r = (a.scaled(), a.is_ready, hasattr(a, "other"), getattr(a, "third", 4), sorted(vars(a)))
        """,
    ),
    "shared with an older object": (
        """
        class Shared:
            state = {"count": 2}
            def __init__(self):
                self.__dict__ = self.state
        older = Shared()
        """,
        """
        a = Shared()
        older.count += 7
        r = (a.count, older.count, Shared().count)
        older.count = 2
        """,
    ),
    "objdict update": (
        """
        class O:
            pass
        """,
        """
        o = O()
        o.a = 1
        o.__dict__.update(b=2, a=5)
        r = (o.a, o.b, vars(o))
        """,
    ),
    "objdict assign empty": (
        """
        class O:
            pass
        """,
        """
        o = O()
        o.a = 1
        o.__dict__ = {}
        r = (hasattr(o, "a"), vars(o))
        """,
    ),
    "objdict of module-level": (
        """
        class O:
            pass
        o = O()
        o.a = 1
        """,
        """
        o.__dict__ = {"b": o.__dict__.get("a", 9)}
        r = (hasattr(o, "a"), o.b)
        """,
    ),
    "setattr __dict__": (
        """
        class O:
            pass
        """,
        """
        o = O()
        o.a = 1
        setattr(o, "__dict__", {"b": 2})
        r = (hasattr(o, "a"), hasattr(o, "b"))
        """,
    ),
    "object.__setattr__ dict": (
        """
        class O:
            pass
        """,
        """
        o = O()
        o.a = 1
        object.__setattr__(o, "__dict__", {"b": 2})
        r = (hasattr(o, "a"), hasattr(o, "b"))
        """,
    ),
    "del dict": (
        """
        class O:
            pass
        """,
        """
        o = O()
        o.a = 1
        del o.__dict__
        r = hasattr(o, "a")
        """,
    ),
}
WHOLE = frozenset(["shared reads"])


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
