"""Scopes and flow of what only some versions of Python have, or scope apart; the texts stand in `stated`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from stated_texts import hold

PROGRAMS = [
    "def f(a):\n    b = [c for c in a]\n    def g(): return b\n    d = {e: e for e in a if (h := e)}\n"
    "    return lambda: (b, d, h)\n",
    "def f(a):\n"
    "    return [[lambda: (c, d) for c in d] for d in a], (lambda: a), (e for e in a), [(lambda: e) for e in a]\n",
    "class C:\n    a = [b for b in range(3)]\n    def f(self): return [c for c in self]\n"
    "    d = {e for e in a}\n    class D: pass\n",
    "[a for a in b]\ndef f(): pass\n[lambda: c for c in b]\nclass D: pass\n",
    "def f[T: int, *U, **P](a: T, *b: *U) -> T:\n    c: T = a\n    def g(): return T, U\n    return g\n",
    "class C[T = int](list[T]):\n    a: T\n    def f(self) -> T: return T\n    type D[V] = dict[T, V]\n",
    "type A[T] = list[T] | A[T]\ntype B = A\nprint(A, B)\n",
    "def f(x):\n    type A = x\n    type B[T] = tuple[T, x, A]\n    y = A\n    type y = B\n    del A\n    return y\n",
    "def f(x):\n    try:\n        y = x\n    except* ValueError as e:\n        y = e\n    match x:\n"
    "        case [a, *b] if a: return b\n        case {'k': c, **d}: return c, d\n"
    "        case (str() | int()) as g: return g\n    return y\n",
    "async def f(x):\n    async with x as y, y as z:\n"
    "        return [a async for a in y if await a], z\n    async for b in x:\n        yield b\n"
    "    else:\n        del b\n",
    "def f(x):\n    import a.b, c as d\n    from e import g as h, i\n    for j, k.l, m[x] in x:\n"
    "        continue\n    else:\n        n: int\n        o: int = x\n        (p): int = x\n"
    "    q += x\n    r, *s = t = x\n    return a, d, h, i, j, o, q, r, s, t\n",
    "def f(a, b):\n    class C:\n        global a\n        nonlocal b\n        a = b = c = d = 1\n"
    "        def g[T: (a, b, c, d, e)](x: T): return a, b, c, d, e\n        type A[U: c] = (a, b, c, d, e, U)\n"
    "        class D[V](c): d: V\n        h = [(a, b, c) for c in d]\n    return C\n",
    "def f(a, b, c, d, e, g, h, i):\n    def j(k: a, /, m: b = c, *n: d, o: e = g, **p: h) -> i: return k, m, n, o, p\n"
    "    return j, lambda q=a, /, r=b, *s, t=c, **u: (q, r, s, t, u)\n",
    "def f(a, b, c, d):\n    @a\n    @b.x(c)\n    async def g(*, e: d = a): await e\n"
    "    @c\n    class C(a, b, metaclass=d): pass\n    return g, C\n",
]
TARGETS = ["3.9", "3.11", "3.12", "3.13", "3.14"]
COMMANDS = [["scopes", "--symtable"], ["scopes"], ["cfg"], ["variables"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command))
def test_stated_targets(executable: str, tmp_path: Path, command: list[str]) -> None:
    stated = ""
    for number, text in enumerate(PROGRAMS):
        (tmp_path / f"{number}.py").write_text(text)
    for target in TARGETS if "--symtable" in command else [""]:
        options = [*command[1:], *(["--target", target] if target else [])]
        for number, text in enumerate(PROGRAMS):
            asked = [executable, "debug", command[0], *options, f"{number}.py"]
            done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True)
            stated += f"## {target}\n{text}{done.stdout}{done.stderr}= {done.returncode}\n\n"
    hold(Path(__file__).parent / "stated" / f"targets.{'-'.join(command)}.txt", stated)


CONSTANTS = ["True", "False", "None", "0", "1", "2", "00", "10", "0.0", "''", "'a'", "...", "(True)", "not 0", "-1"]


def test_stated_constants(executable: str, tmp_path: Path) -> None:
    """Where a loop or a branch with a constant test leads."""
    stated = ""
    for number, test in enumerate(CONSTANTS):
        text = f"def f(a):\n    while {test}:\n        b = a\n    if {test}: c = a\n    return c\n"
        (tmp_path / f"{number}.py").write_text(text)
        asked = [executable, "debug", "variables", f"{number}.py"]
        stated += text + subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True).stdout + "\n"
    hold(Path(__file__).parent / "stated" / "targets.constants.txt", stated)
