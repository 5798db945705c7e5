"""Values of `yield from`, and generators that an exception has left."""

from __future__ import annotations

from typing import Any

import pytest
from harness import compare_in_loop

# Code of the module, and code that sets `r` in a loop with a branch on data.
CASES = {
    "ident ret nested": (
        """
        def a():
            yield 1
            return "a"
        def b():
            v = yield from a()
            yield v
            return (yield from a())
        def c():
            v = yield from b()
            yield ("c", v)
        """,
        """
        r = list(c())
        """,
    ),
    "ret while recursion": (
        """
        def a(n):
            if n == 0:
                return 0
            yield n
            v = yield from a(n - 1)
            return v + n
        def b():
            t = yield from a(3)
            yield t
        """,
        """
        r = list(b())
        """,
    ),
    "yield from list value": (
        """
        def b():
            v = yield from [1, 2]
            yield v
        """,
        """
        r = list(b())
        """,
    ),
    "yield from iterator of class": (
        """
        class It:
            def __init__(s):
                s.n = 0
            def __iter__(s):
                return s
            def __next__(s):
                s.n += 1
                if s.n > 2:
                    raise StopIteration("it")
                return s.n
        def b():
            v = yield from It()
            yield v
        """,
        """
        r = list(b())
        """,
    ),
    "throw at start": (
        """
        def a():
            yield 1
            yield 2
        """,
        """
        g = a()
        r = []
        try:
            g.throw(ValueError("v"))
        except ValueError as e:
            r.append(str(e))
        r.append(next(g, "end"))
        r.append(list(g))
        """,
    ),
    "throw caught inside": (
        """
        def a():
            try:
                yield 1
            except KeyError:
                yield "caught"
            yield 2
        """,
        """
        g = a()
        r = [next(g), g.throw(KeyError("k")), next(g), next(g, "e")]
        """,
    ),
    "throw then throw": (
        """
        def a():
            yield 1
        """,
        """
        g = a()
        next(g)
        r = []
        for _ in range(2):
            try:
                g.throw(ValueError("v"))
            except ValueError as e:
                r.append(str(e))
        r.append(next(g, "end"))
        """,
    ),
    "close then next": (
        """
        def a():
            yield 1
            yield 2
        """,
        """
        g = a()
        next(g)
        g.close()
        r = [next(g, "end"), g.close()]
        """,
    ),
    "pep479 next inside": (
        """
        def a(it):
            while True:
                yield next(it)
        """,
        """
        try:
            r = list(a(iter([1, 2])))
        except RuntimeError as e:
            r = (str(e), type(e.__cause__).__name__, e.__cause__ is e.__context__)
        """,
    ),
    "pep479 then next": (
        """
        def a():
            yield 1
            raise StopIteration
        """,
        """
        g = a()
        r = [next(g)]
        try:
            next(g)
        except RuntimeError as e:
            r.append(str(e))
        r.append(next(g, "end"))
        """,
    ),
    "pep479 caught inside": (
        """
        def a(it):
            try:
                while True:
                    yield next(it)
            except StopIteration:
                return
        """,
        """
        r = list(a(iter([1, 2])))
        """,
    ),
    "contextmanager exception swallowed": (
        """
        import contextlib
        @contextlib.contextmanager
        def cm(l):
            try:
                yield
            except KeyError as e:
                l.append(str(e))
        """,
        """
        l = []
        with cm(l):
            raise KeyError("a")
        r = l
        """,
    ),
    "exception in yield from": (
        """
        def a():
            yield 1
            raise ValueError("in")
        def b():
            try:
                yield from a()
            except ValueError as e:
                yield str(e)
            yield "more"
        """,
        """
        r = list(b())
        """,
    ),
    "return in finally": (
        """
        def a():
            try:
                yield 1
            finally:
                return 3
        def b():
            v = yield from a()
            yield v
        """,
        """
        r = list(b())
        """,
    ),
    "finally in handler": (
        """
        L = []
        def a():
            try:
                yield 1
            except KeyError:
                try:
                    yield "caught"
                finally:
                    L.append("f")
            yield 2
        """,
        """
        L.clear()
        g = a()
        r = [next(g), g.throw(KeyError("k")), list(L), next(g), list(L), next(g, "e")]
        """,
    ),
    "except Exception in handler": (
        """
        L = []
        def a():
            try:
                yield 1
            except KeyError:
                try:
                    yield "caught"
                except Exception:
                    L.append("f")
                    yield 9
            yield 2
        """,
        """
        L.clear()
        g = a()
        r = [next(g), g.throw(KeyError("k")), list(L), next(g), list(L), next(g, "e")]
        """,
    ),
    "loop retry": (
        """
        L = []
        def a():
            n = 0
            while n < 3:
                try:
                    n += 1
                    yield n
                except ValueError as e:
                    L.append(str(e))
        """,
        """
        L.clear()
        g = a()
        r = [next(g), g.throw(ValueError("v")), next(g), next(g, "e"), list(L)]
        """,
    ),
    "handler re-raises other": (
        """
        L = []
        def a():
            try:
                yield 1
            except KeyError as e:
                raise ValueError("w") from e
        """,
        """
        g = a()
        next(g)
        try:
            g.throw(KeyError("k"))
        except ValueError as e:
            r = (str(e), repr(e.__cause__))
        r = (r, next(g, "end"))
        """,
    ),
    "finally runs then gone": (
        """
        L = []
        def a():
            try:
                yield 1
            finally:
                L.append("fin")
        """,
        """
        L.clear()
        g = a()
        next(g)
        try:
            g.throw(KeyError("k"))
        except KeyError as e:
            r = str(e)
        r = (r, next(g, "end"), list(L))
        """,
    ),
    "throw into unstarted with try": (
        """
        L = []
        def a():
            try:
                yield 1
            except KeyError:
                yield 2
        """,
        """
        g = a()
        try:
            g.throw(KeyError("k"))
        except KeyError as e:
            r = str(e)
        r = (r, next(g, "end"))
        """,
    ),
    "ret tensor": (
        """
        L = []
        def a(x):
            yield x
            return x * 2
        def b(x):
            v = yield from a(x)
            yield (v + 1)
        """,
        """
        g = b(x)
        next(g)
        y = next(g)
        x = y
        r = 0
        """,
    ),
    "ret tuple dict": (
        """
        L = []
        def a():
            yield 1
            return (1, [2], {"a": 3})
        def b():
            v, w, z = yield from a()
            w.append(v)
            yield (v, w, z)
        """,
        """
        r = list(b())[-1]
        """,
    ),
    "ret none after caught stop": (
        """
        L = []
        def a():
            try:
                next(iter([]))
            except StopIteration:
                pass
            yield 1
        def b():
            v = yield from a()
            yield v
        """,
        """
        r = list(b())
        """,
    ),
    "nested stop left over": (
        """
        L = []
        def b():
            try:
                raise StopIteration("old")
            except StopIteration:
                pass
            v = yield from [1]
            yield v
        """,
        """
        try:
            r = list(b())
        except RuntimeError:
            r = "rt"
        """,
    ),
    "yield from map": (
        """
        L = []
        def b():
            v = yield from map(str, [1, 2])
            w = yield from zip([1], [2])
            yield (v, w)
        """,
        """
        r = list(b())
        """,
    ),
    "flatten": (
        """
        L = []
        def walk(t):
            n = 0
            for i in t:
                if isinstance(i, list):
                    n += yield from walk(i)
                else:
                    n += 1
                    yield i
            return n
        def top(t):
            n = yield from walk(t)
            yield ("n", n)
        """,
        """
        r = list(top([1, [2, 3, [4]], 5]))
        """,
    ),
    "context after yield from": (
        """
        L = []
        def a():
            yield 1
            return 3
        def b():
            v = yield from a()
            try:
                raise ValueError("q")
            except ValueError as e:
                yield (v, e.__context__ is None)
        """,
        """
        r = list(b())
        """,
    ),
}
WHOLE = frozenset(
    (
        "ident ret nested",
        "yield from list value",
        "yield from iterator of class",
        "throw at start",
        "contextmanager exception swallowed",
        "return in finally",
        "ret tensor",
        "ret tuple dict",
        "flatten",
    )
)


@pytest.mark.parametrize("name", CASES)
def test_cases_are_as_in_python(name: str, tmp_path: Any) -> None:
    compare_in_loop(tmp_path, *CASES[name], is_whole=name in WHOLE)
