"""Symbol tables equal those of the Python that runs the tests."""

from __future__ import annotations
import __future__

import json
from pathlib import Path

import cpython
import pytest


def check(executable: str, path: Path, data: bytes) -> None:
    """graphmend has the tables that Python has, and rejects what Python rejects."""
    path.write_bytes(data)
    expected = cpython.symbols_of(data)
    got = json.loads(cpython.graphmend_symbols(executable, [path])[0])
    if expected is None:
        assert got["error"] and got["line"] >= 1 and got["column"] >= 0
    else:
        assert got == json.loads(expected)


@pytest.mark.parametrize("path", cpython.standard_files(40), ids=lambda path: str(path.relative_to(cpython.STDLIB)))
def test_standard_library(executable: str, tmp_path: Path, path: Path) -> None:
    check(executable, tmp_path / "file.py", path.read_bytes())


FUTURE = "from __future__ import annotations"

SNIPPETS = {
    "function": "def f(a, b=c, *d, e, **g) -> h:\n i = a; j: k = b; del i; global l; l = 1; import m.n, o as p\n",
    "closure": "def f(a):\n def g():\n  nonlocal a; a += b; return lambda c=a: c + a + d\n b = 1; return g\n",
    "class": "class A(B, metaclass=C):\n x = y; __z = x\n def f(self): super(); return __class__, self.__z, __z, x\n",
    "nested class": "def f(x):\n class A:\n  x = x; y: x\n  def g(self): return x, y\n  class _B: __c = x\n",
    "private names": "class __A:\n def f(self, __b, __c__, __d_=1): import __e.f, __g; self.__h; global __i\n",
    "list comprehensions": "def f(a):\n return [b for b in a if c], [[d for d in e] for e in a], [*a]\n",
    "comprehensions": "def f(a):\n {b: c for b, c in a for c in b}, {d for d in a}, (e for e in (f for f in a))\n",
    "comprehension in a class": "class A:\n b = 1; c = [b for d in b]; e = [[b for f in d] for d in b]\n",
    "lambda in a class": "class A:\n b = 1; c = lambda: b\n",
    "assignment expressions": "def f():\n (a := 1); [b := c for c in d if (e := c)]; lambda: (g := 1)\n",
    "assignment expression at the top": "[a := 1 for b in c]; (d := 1)\n",
    "locals": "def f(a):\n locals(); vars(); eval('a'); exec('a'); dir()\n def g(): return a\n",
    "statements": "try: a\nexcept B as c: c\nfinally: del c\nwith d as (e, [*g]): pass\nfor h.i, j in k: pass\n",
    "match": "match a:\n case {'b': c, **d} | [c, *d]: e\n case F(g, h=i) as j if k: pass\n case l: m\n",
    "type parameters": "class A[T: B, *U, **V](C[T]):\n __x: T\n def f[W](self, a: T, b: W = T) -> V: return T\n",
    "type alias": "type X[Y] = Y | Z\nclass A:\n b = 1\n type C = b\n def f[D: b](): return b\n",
    "defaults": "class A[T = int]: pass\ndef f[*U = a](): pass\n",
    "annotations": "def f(a: b, *c: d, **e: g) -> h:\n i: j; k: l = m; (n): o\nq: r\n",
    "future annotations": f"{FUTURE}\ndef f(a: b, *c: (d for d in d)) -> lambda: h:\n i: j; k: l = m; (n): o\nq: r\n",
    "walrus in annotations": f"{FUTURE}\ndef f(a: (b := 1)): pass\n",
    "decorators": "@a(lambda b: c)\n@d\nclass E(g := 1):\n @h\n def i(self): pass\n",
    "asynchronous": "async def f():\n async for a in b: await c\n return [d async for d in e], (await g for g in h)\n",
    "format strings": "def f(a):\n b = 1; return f'{a} {b!r:{c}} {(lambda: a)()}' f'{d=}'\n",
    "nonlocal at the top": "nonlocal a\n",
    "nonlocal of nothing": "def f():\n nonlocal a\n",
    "global parameter": "def f(a): global a\n",
    "global after use": "def f():\n a = 1; global a\n",
    "nonlocal and global": "def f(a):\n def g(): nonlocal a; global a\n",
    "star import in a function": "def f(): from a import *\n",
    "duplicate argument": "def f(a, *, a): pass\n",
    "duplicate type parameter": "def f[T, T](): pass\n",
    "walrus on an iteration variable": "[a := 1 for a in b]\n",
    "walrus in an iterable": "[a for a in (b := c)]\n",
    "walrus in a class": "class A: [a := 1 for b in c]\n",
    "yield in a comprehension": "def f(): return [(yield a) for a in b]\n",
    "unknown feature": "from __future__ import nothing\n",
    "every feature": "".join(f"from __future__ import {name}\n" for name in __future__.all_feature_names),
    "late feature": f"import a\n{FUTURE}\n",
    "late feature on the same line": f"{FUTURE}; import a; {FUTURE}\n",
    "late feature behind a docstring": f"'a'\n'b'; {FUTURE}\n",
    "late feature with a line between": f"'a'\nb = 1\nc; {FUTURE}\n",
    "feature behind a docstring": f"'a'; {FUTURE}; from __future__ import division\n\ndef f(a: b): pass\n",
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets(executable: str, tmp_path: Path, name: str) -> None:
    check(executable, tmp_path / "file.py", SNIPPETS[name].encode())


def test_late_feature_in_any_version(executable: str, tmp_path: Path) -> None:
    """Without a target a late import is refused, on its line: no compiler takes it."""
    path = tmp_path / "file.py"
    for text, place in ((f"import a\n{FUTURE}\n", (2, 0)), (f"def f():\n  {FUTURE}\n", (2, 2))):
        path.write_text(text, encoding="utf-8")
        got = json.loads(cpython.graphmend_lines(executable, ["scopes", "--symtable"], [path], target="")[0])
        assert (got["line"], got["column"]) == place
