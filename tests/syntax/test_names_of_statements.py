"""Symbol tables of every statement when all its names differ, and when two of them are one, at every pair of places."""

from __future__ import annotations

import io
import json
import keyword
import random
import tokenize
from collections.abc import Iterator
from pathlib import Path

import cpython
import pytest
from test_changed_programs import STATEMENTS

SOFT = {"match", "case", "type", "print"}
MORE = [
    "x = [a for b in c if d for e in f if g if h for i, (j, *k) in l[m] if n]\n",
    "x = {a: b for c in d if e for f.g in h if i}, {j for k in l for m in n if o}, (p async for q in r if s)\n",
    "def f(a: b = c, *d: e, g: h = i, **j: k) -> l:\n    m: n = o\n    p: q\n",
    "return lambda a=b, c, /, *d, e=f, g, **h: (i, j)\nx = lambda a=b, *c, d=e, **f: (g, h)\n",
    "class A(B, *C, d=E, **F):\n    g = h\n    def i(j, k=g): return super, j.l, m\n    n: o = g\n",
    "for a in b:\n    c = a\nelse:\n    d = c\nwhile e:\n    f += g\nelse:\n    h\n",
    "with a as b, c as (d, e.f), g as h[i]:\n    j\ntry:\n    k\nexcept (l, m) as n:\n    n\n",
    "x = lambda a: [b for c in a if (d := c)]\ny = (lambda e: (f for g in e if h))(i)\n",
    "import a, b.c, d as e, f.g as h\nfrom i import j, k as l\nfrom . import m\n",
    "@a\n@b.c(d)\ndef f(): yield g\n@h\nasync def i(): await j; yield k\n",
    "global a, b\na = c\ndel b, d, e.f, g[h]\nassert i, j\nraise k from l\nreturn m\n",
]
PLACES = {
    "module": "{}",
    "function": "def outer(p, q):\n{}",
    "method": "class Outer:\n    def outer(self, p):\n        r = s\n{}",
    "class": "class Outer:\n    p = q\n{}",
}
DEPTHS = {"module": 0, "function": 1, "method": 2, "class": 1}


def pieces(text: str) -> tuple[list[str], list[int]]:
    """The text in pieces, and which of them are names."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    found: list[str] = []
    names, at = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and not keyword.iskeyword(token.string) and token.string not in SOFT:
            start = starts[token.start[0] - 1] + token.start[1]
            found += [text[at:start], token.string]
            names.append(len(found) - 1)
            at = start + len(token.string)
    return [*found, text[at:]], names


def named(parts: list[str], names: list[int], same: tuple[int, ...]) -> str:
    """The text with a name of its own at every place, and one name at those that are the same."""
    new = dict(zip(names, (f"n{number}" for number in range(len(names)))))
    new.update((at, "one") for at in same)
    return "".join(new.get(number, part) for number, part in enumerate(parts))


def texts(place: str) -> Iterator[str]:
    chance = random.Random(place)
    for text in [*STATEMENTS, *MORE]:
        parts, names = pieces(text)
        pairs = [(one, other) for one in names for other in names if one < other]
        for same in [(), *chance.sample(pairs, min(len(pairs), 25))]:
            indent = "    " * DEPTHS[place]
            body = "".join(f"{indent}{line}\n" for line in named(parts, names, same).splitlines())
            yield PLACES[place].format(body)


@pytest.mark.parametrize("place", PLACES)
def test_names_of_statements(executable: str, tmp_path: Path, place: str) -> None:
    files = []
    for number, text in enumerate(texts(place)):
        files.append(tmp_path / f"{number}.py")
        files[-1].write_text(text)
    taken = 0
    for path, line in zip(files, cpython.graphmend_symbols(executable, files)):
        tables, told = cpython.symbols_of(path.read_bytes()), json.loads(line)
        assert ("error" in told) if tables is None else told == json.loads(tables), path.read_text()
        taken += tables is not None
    assert taken > len(files) // 3
