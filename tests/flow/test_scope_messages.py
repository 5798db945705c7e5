"""What scopes refuse, each with its whole message and place, and what stands close to it and is allowed.

CPython says whether a program is refused (programs of Python 3.12 apart); the texts stand in `stated` and are read as a
diff.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from stated_texts import hold

DECLARED = [
    f"def f({parameter}):\n{before}    {word} x\n{after}"
    for word in ("global", "nonlocal")
    for parameter, before, after in (
        ("", "", ""),
        ("x", "", ""),
        ("*x", "", ""),
        ("", "    print(x)\n", ""),
        ("", "    x = 1\n", ""),
        ("", "    x: int = 1\n", ""),
        ("", "    x: int\n", ""),
        ("", "", "    x: int = 1\n"),
        ("", "", "    x: int\n"),
        ("", "", "    (x): int = 1\n"),
        ("", "", "    x = 1\n"),
        ("", "    import x\n", ""),
        ("", "    for x in (): pass\n", ""),
        ("", "    global x\n", ""),
        ("", "    nonlocal x\n", ""),
        ("", "    def x(): pass\n", ""),
        ("", "    del x\n", ""),
        ("", "    y = lambda: x\n", ""),
        ("", "", "    class x: pass\n"),
    )
]
WITHIN = [
    f"def outer():\n    x = 0\n{''.join(f'    {line}{chr(10)}' for line in text.splitlines())}" for text in DECLARED
]
COMPREHENSIONS = [
    f"{head}    y = {value}\n"
    for head in ("def f(a):\n", "class C:\n", "if 1:\n")
    for value in (
        "[(x := 1) for x in ()]",
        "[[(x := 1) for z in ()] for x in ()]",
        "[x for x in (x := [])]",
        "[x for z in (x := 1, 2)]",
        "[x for x in () if (x := 1)]",
        "[x for x in () if (z := 1)]",
        "[z for x in () for z in (w := ())]",
        "[(z := 1) for x in () for z in ()]",
        "[(yield x) for x in ()]",
        "{x: (yield) for x in ()}",
        "((yield from x) for x in ())",
        "lambda: [(z := x) for x in ()]",
        "[lambda: (x := 1) for x in ()]",
        "[lambda: (yield) for x in ()]",
    )
]
OTHERS = [
    "def f(x, x): pass\n",
    "def f(x, *, x): pass\n",
    "def f(*x, **x): pass\n",
    "lambda x, x: x\n",
    "def f(x, y): pass\n",
    "def f():\n    from os import *\n",
    "class C:\n    from os import *\n",
    "from os import *\n",
    "global x\n",
    "nonlocal x\n",
    "x: int = 1\nglobal x\n",
    "global x\nx: int = 1\n",
    "class C:\n    x = 1\n    nonlocal x\n",
    "class C:\n    global x\n    x = 1\n",
    "class C:\n    global x\n    x: int = 1\n",
    "class C:\n    __a = 1\n    def f(self, __a, _C__a): pass\n",
    "from __future__ import annotations\n",
    "from __future__ import nothing\n",
    "from __future__ import braces\n",
    "from __future__ import division, nothing as other\n",
    "import os\nfrom __future__ import annotations\n",
    '"""Words."""\nfrom __future__ import annotations\n',
    '"""Words."""\n"more"\nfrom __future__ import annotations\n',
    "def f():\n    from __future__ import annotations\n",
    "async def f():\n    return [await x async for x in y]\n",
    "def f():\n    def g():\n        nonlocal x\n    x = 1\n",
    "def f():\n    class C:\n        x = 1\n        def g(self):\n            nonlocal x\n",
    "def f(x):\n    def g():\n        nonlocal x\n        x = 1\n        del x\n",
    "def f():\n    x = 1\n    def g():\n        global x\n        def h():\n            nonlocal x\n",
]
TYPED = [
    "def f[T, T](): pass\n",
    "class C[T, *T]: pass\n",
    "type A[T, **T] = T\n",
    "def f[T]():\n    nonlocal T\n",
    "class C[T]:\n    nonlocal T\n",
    "def f[T]():\n    def g():\n        nonlocal T\n",
    "def f[T: (yield 1)](): pass\n",
    "def f[T: (x := 1)](): pass\n",
    "type A[T] = (yield 1)\n",
    "type A = (x := 1)\n",
    "type A = [await x]\n",
    "class C[T](x := 1): pass\n",
    "class C[T]((yield 1)): pass\n",
    "def f[T](x: (y := 1)): pass\n",
    "def f[T](x: (yield 1)): pass\n",
    "def f[T]() -> (yield 1): pass\n",
    "def f(x: (y := 1)): pass\n",
]


def refused_by_python(text: str) -> bool:
    try:
        compile(text, "a.py", "exec")
    except SyntaxError:
        return True
    return False


def told_of(executable: str, folder: Path, texts: list[str]) -> list[str]:
    """What is said of the scopes of each program, "" for one that is allowed; a file behind each tells its end."""
    (folder / "end.py").write_text("end_of_a_program = 1\n")
    names = []
    for number, text in enumerate(texts):
        (folder / f"{number}.py").write_text(text)
        names += [f"{number}.py", "end.py"]
    done = subprocess.run([executable, "debug", "scopes", *names], cwd=folder, capture_output=True, text=True)
    parts = done.stdout.split("    end_of_a_program: local a\n")[:-1]
    assert len(parts) == len(texts), done.stderr
    lines = [[line for line in part.splitlines() if line.startswith('{"line"')] for part in parts]
    return ["".join(f"    {line}\n" for line in some) for some in lines]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="names other places")
def test_they_are_where_python_has_them(executable: str, tmp_path: Path) -> None:
    """Line and column; a feature that there is not is told at its name."""
    texts = [text for text in [*DECLARED, *WITHIN, *COMPREHENSIONS, *OTHERS] if "__future__" not in text]
    seen = 0
    for text, words in zip(texts, told_of(executable, tmp_path, texts)):
        try:
            compile(text, "a.py", "exec")
        except SyntaxError as error:
            first = json.loads(words.splitlines()[0])
            assert (first["line"], first["column"] + 1) == (error.lineno, error.offset), (text, words)
            seen += 1
    assert seen > 50


def test_scopes_refuse_what_python_refuses(executable: str, tmp_path: Path) -> None:
    texts = [*DECLARED, *WITHIN, *COMPREHENSIONS, *OTHERS]
    told = told_of(executable, tmp_path, [*texts, *TYPED])
    assert [text for number, text in enumerate(texts) if refused_by_python(text) != bool(told[number])] == []
    stated = "".join(f"{text}{told[number]}\n" for number, text in enumerate([*texts, *TYPED]))
    hold(Path(__file__).parent / "stated" / "scope_messages.txt", stated)
