"""Properties that raise an AttributeError in front of `__getattr__`."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare_in_loop, load

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "getattr err": (
        """
        class B:
            @property
            def p(self):
                return self.missing
            def __getattr__(self, k):
                raise AttributeError("no " + k)
        """,
        """
        try:
            B().p
        except AttributeError as e:
            r = (str(e), hasattr(B(), "p"), getattr(B(), "q", 1), getattr(B(), "p", 5))
        """,
    ),
    "getattr default for property": (
        """
        class B:
            @property
            def p(self):
                raise AttributeError("x")
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = (B().p, B().q)
        """,
    ),
    "property ok": (
        """
        class B:
            @property
            def p(self):
                return self.q
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = B().p
        """,
    ),
    "property key error": (
        """
        class B:
            @property
            def p(self):
                raise KeyError("k")
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        try:
            r = B().p
        except KeyError as e:
            r = e.args
        """,
    ),
    "module property err": (
        """
        class M(torch.nn.Module):
            @property
            def p(self):
                return self.nothing
            @property
            def q(self):
                return self.lin.weight.shape[0]
            def __init__(s):
                super().__init__()
                s.lin = torch.nn.Linear(2, 3)
        m = M()
        """,
        """
        try:
            m.p
        except AttributeError as e:
            r = str(e)
        r = (r, hasattr(m, "p"), m.q, hasattr(m, "zz"))
        """,
    ),
    "descriptor err": (
        """
        class D:
            def __get__(s, o, t):
                raise AttributeError("d")
        class B:
            d = D()
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = B().d
        """,
    ),
    "cached property err": (
        """
        import functools
        class B:
            @functools.cached_property
            def p(self):
                raise AttributeError("x")
            def __getattr__(self, k):
                return "dyn " + k
        """,
        """
        r = B().p
        """,
    ),
}
WHOLE = frozenset(("getattr err", "getattr default for property", "property ok", "module property err"))


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)


READS = """
import torch

class Meter:
    def __init__(self):
        self.reads = 0

    @property
    def level(self):
        self.reads += 1
        if self.reads == 3:
            raise AttributeError("exhausted")
        return self.reads / 2

class Open:
    def __init__(self):
        self.reads, self.kept = 0, 5.0

    def __getattr__(self, name):
        self.reads += 1
        if name != "level":
            raise AttributeError(name)
        return 3.0

class Counted:
    def __init__(self):
        self.reads, self.kept = 0, 5.0

    def __getattribute__(self, name):
        if name == "level":
            self.reads += 1
            return 2.0
        return super().__getattribute__(name)

owner = KIND()

def f(x):
    y = x * getattr(owner, "level", 7.0) + getattr(owner, "kept", 1.0)
    return y, getattr(owner, "absent", None), owner.reads
"""


WRITES = """
class Config:
    def __init__(self):
        self.calls = 0

    def __getattr__(self, name):
        return 3.0

    def count(self):
        self.calls += 1

config = Config()

def f(x):
    config.count()
    return x * config.scale, config.calls
"""


def test_counts_of_objects_with_a_look_up_of_their_own(tmp_path: Any) -> None:
    """The call reads what it has counted: the count is no effect that can wait for the end of the call."""
    compiled = torch.compile(load(tmp_path, WRITES)(), backend="eager")
    assert [compiled(torch.ones(2))[1] for _ in range(4)] == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", ["Meter", "Open", "Counted"])
def test_look_ups_with_a_default_run_once(kind: str, tmp_path: Any) -> None:
    """Each call reads `level` once, counts the read, and takes the default where the read fails."""
    text = READS.replace("KIND", kind)
    eager, other = load(tmp_path, text)(), load(tmp_path, text)()
    compiled = torch.compile(other, backend="eager")
    for _ in range(5):
        found, expected = compiled(torch.ones(2)), eager(torch.ones(2))
        assert found[1:] == expected[1:] and torch.equal(found[0], expected[0])
