"""What stands side by side is not nested: each construct many times in a row, and as deep as CPython takes it.

However often a construct is repeated in a file, a body or an expression, it is read as the first of them is; nested,
it is read up to a depth, and what is deeper is refused in words.
"""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

BESIDE = 3200  # more than there are levels
STATEMENTS = {
    "if": "if a:\n    pass\n",
    "elif": "if a:\n    pass\nelif b:\n    pass\nelse:\n    pass\n",
    "for": "for a in b:\n    pass\nelse:\n    pass\n",
    "while": "while a:\n    pass\nelse:\n    pass\n",
    "with": "with a as b, c:\n    pass\n",
    "with brackets": "with (a as b, c as d,):\n    pass\n",
    "try": "try:\n    pass\nexcept a as b:\n    pass\nelse:\n    pass\nfinally:\n    pass\n",
    "def": "def f(a, /, b=1, *c, d: e = 2, **g) -> h:\n    return a\n",
    "async": "async def f():\n    async with a:\n        await b\n    async for c in d:\n        pass\n",
    "class": "@a\n@b(c)\nclass A(B, metaclass=C):\n    x: int = 1\n",
    "match": "match a:\n    case [b, *c] if g:\n        pass\n    case A(1, x=(2 | 3)) as h:\n        pass\n",
    "keys": "match a:\n    case {'d': [e], **f} | (d.e | None):\n        pass\n    case _:\n        pass\n",
    "lambda": "f = lambda a, *b, c=1, **d: (a, b)\n",
    "brackets": "a = ((1), [2, (3,)], {4: {5}, **b}, f(g(h), *i, **j))\n",
    "comprehensions": "a = [b for c in d if e for f in g], {h: i for j in k}, {l for m in n}, (o for p in q)\n",
    "unary": "a = not -+~b ** -c\n",
    "power": "a = b ** c ** d ** -e\n",
    "conditional": "a = b if c else d if e else f\n",
    "strings": "a = f'{b!r:{c}} {d[\"e\"]}' 'g' r'h' if i else f'''{j\n}'''\n",
    "subscripts": "a = b[c:d, ...][e[f]](g)[::h].i\n",
    "chains": "a = b = c < d <= e is not f not in g and h or not i\n",
    "one line": "if a: b = 1; c = 2\n",
    "walrus": "if (a := (b := c)):\n    d = [e := 1]\n",
    "assignments": "a, (b, *c) = d; e.f[g] += 1; h: i[j] = k; (l): m\n",
    "others": "global a\ndel (b, [c]), d.e, f[0]\nassert g, h\nraise i from j\nimport k.l as m, n\n",
}
NESTED = {
    "brackets": ("(", ")"),
    "lists": ("[", "]"),
    "calls": ("f(", ")"),
    "dicts": ("{1: ", "}"),
    "minus": ("-", ""),
    "not": ("not ", ""),
    "power": ("a ** ", ""),
    "lambda": ("lambda: ", ""),
    "else": ("a if b else ", ""),
    "index": ("a[", "]"),
}


def diagnostics(executable: str, path: Path) -> str:
    done = subprocess.run(
        [executable, "check", "--no-cache", "--isolated", "--output-format", "concise", str(path)], capture_output=True
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("inside", [False, True])
def test_many_side_by_side(executable: str, tmp_path: Path, name: str, inside: bool) -> None:
    text = STATEMENTS[name]
    if inside:
        text = "".join(f"    {line}\n" for line in text.splitlines())
        if name == "strings":
            pytest.skip("a string over two lines has no indentation")
    whole = f"{'async def outer():' + chr(10) if inside else ''}{text * BESIDE}"
    ast.parse(whole)
    path = tmp_path / "a.py"
    path.write_text(whole)
    assert diagnostics(executable, path) == ""


@pytest.mark.parametrize("name", STATEMENTS)
def test_many_in_one_expression_or_line(executable: str, tmp_path: Path, name: str) -> None:
    """Expressions of the statement beside one another in a list."""
    found = [ast.unparse(node.value) for node in ast.walk(ast.parse(STATEMENTS[name])) if isinstance(node, ast.Assign)]
    row = f"a = [{', '.join(f'({one})' for one in found * (BESIDE // max(len(found), 1)))}]\n"
    path = tmp_path / "a.py"
    path.write_text(f"{row}\nb = 1\n")
    assert diagnostics(executable, path) == ""


@pytest.mark.parametrize("name", NESTED)
def test_nested(executable: str, tmp_path: Path, name: str) -> None:
    """As deep as eighty it is read; a thousand times as deep it is refused, and what stands behind is read."""
    before, behind = NESTED[name]
    path = tmp_path / "a.py"
    for depth in (1, 20, 80):
        text = f"a = {before * depth}1{behind * depth}\n"
        ast.parse(text)
        path.write_text(text)
        assert diagnostics(executable, path) == "", depth
    path.write_text(f"a = {before * 80_000}1{behind * 80_000}\nb = 1\n")
    told = diagnostics(executable, path)
    assert told.count("\n") == 1 and "nest" in told, told[:300]
