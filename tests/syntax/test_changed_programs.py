"""What CPython refuses is refused, what it takes is the same tree: changed programs, layouts, literals, names.

Each text is a file of its own; one process of graphmend reads them all.
"""

from __future__ import annotations

import io
import random
import sys
import tokenize
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

import cpython
import pytest

STATEMENTS = [
    "x = y = (a, *b), [c, *d], {e, *f}, {g: h, **i}\n",
    "x: int = 1; (y): str; z.a: b = c; z[0]: d\n",
    "x += 1; x -= 1; x *= 1; x /= 1; x //= 1; x %= 1; x @= 1; x &= 1; x |= 1; x ^= 1; x >>= 1; x <<= 1; x **= 1\n",
    "a or b and not c < d <= e > f >= g == h != i is j is not k in l not in m\n",
    "a | b ^ c & d << e >> f + g - h * i / j // k % l @ m ** -n ** +o, ~p\n",
    "a if b else c if d else e; lambda: 0; lambda a, /, b=1, *c, d, e=2, **f: (yield)\n",
    "f(a, *b, c=d, *e, **g, h=i); f(a for a in b); f(a)(b)[c].d[e:f, g:h:i, ::, ...]\n",
    "[a for b in c if d if e for f in g]; {a async for b in c}; {a: b for c, d in e}; (a for (b) in c)\n",
    "(a := b), f(c := d), [e := g], (yield), (yield a), (yield from b), (await c)\n",
    "a = yield b; c = yield; d += yield e; return a, *b\n",
    "del a, b.c, (d, [e]), f[g]; pass; assert a, b; raise; raise a from b; return; break; continue\n",
    "global a, b; nonlocal c; import a.b as c, d; from . import e; from ...f import (g as h, i,); from j import *\n",
    "if a:\n    b\nelif c:\n    d\nelif e: f\nelse:\n    g\n",
    "while a:\n    break\nelse:\n    continue\nfor a, *b in c, d:\n    pass\nelse:\n    e\n",
    "try:\n    a\nexcept b as c:\n    d\nexcept (e, f):\n    g\nexcept:\n    h\nelse:\n    i\nfinally:\n    j\n",
    "with a as b, c as (d, e), f:\n    g\nwith (h): i\nwith (j as k, l as m,):\n    n\n",
    "def f(a, b: c = d, /, e=g, *h: i, j, k: l = m, **n: o) -> p:\n    '''q'''\n    return r\n",
    "@a.b(c)\n@(d := e)\nclass F(g, *h, metaclass=i, **j):\n    k: l\n    def m(self): ...\n",
    "async def f():\n    async for a in b: await c\n    async with d as e, g: pass\n    return [h async for i in j]\n",
    "f'{a} {b!r:>{c}} {{}} {d=} {e:%Y-%m}' 'g' rb'h'\n",
    "x = 'a' \"b\" '''c\nd''' r'\\e' u'f'\ny = b'g' B'h' rb'i'\n",
    "x = 1 + 2.5e3 - 0x1F * 0o17 / 0b11 + 1_000 + .5j + 1.\n",
    "(\n  a # b\n  , c\n)\n# d\n\n\\\ne = \\\n  f\n",
    "if a: b; c\nif d:\n\te\n\tif f:\n\t\tg\nh\n",
]
NEWER = {
    (3, 10): "match a, *b:\n    case 1 | -2.5 | 3 + 4j | 'c' | None:\n        d\n    case [e, *_] if f: g\n"
    "    case {'h': i, 1: o, **j}: k\n    case L.m(n, s, o=p, t=u) as q: r\n    case (s): t\n    case _: u\n",
    (3, 11): "try:\n    a\nexcept* b as c:\n    d\nx[*e, f]\ndef g(*args: *h): pass\n",
    (3, 12): "def f[T: int, *U, **P](a: T) -> T: pass\ntype A[T] = b\nclass C[T](d): pass\nf'{a['b']!r:{c}}'\n",
    (3, 13): "def f[T = int, *U = *a, **P = b](): pass\n",
    (3, 14): "t'{a} {b!r}'\ntry: a\nexcept b, c: d\n",
}
STATEMENTS += [text for version, text in NEWER.items() if sys.version_info >= version]
EXTRA = [*"()[]{},:.;@=*~!", "->", ":=", "**", "==", "+", "-", "not", "in", "is", "if", "else", "for", "async", "await"]
EXTRA += [
    "lambda",
    "yield",
    "from",
    "import",
    "as",
    "with",
    "match",
    "case",
    "_",
    "type",
    "None",
    "x",
    "1",
    "'s'",
    "...",
]


def agree(executable: str, folder: Path, texts: Iterable[str]) -> tuple[int, int]:
    """Hold all texts against CPython; how many are taken, and how many refused."""
    files = []
    for number, text in enumerate(dict.fromkeys(texts)):
        files.append(folder / f"{number}.py")
        files[-1].write_bytes(text.encode("utf-8", "surrogatepass"))
    taken = refused = 0
    for path, line in zip(files, cpython.graphmend_trees(executable, files)):
        data = path.read_bytes()
        wrong = cpython.difference(data, line)
        assert wrong is None, wrong
        rejected = line.startswith("rejected ")
        taken, refused = taken + (not rejected), refused + rejected
    return taken, refused


def tokens_of(text: str) -> list[str]:
    """The tokens of a text, each with the blanks in front of it."""
    lines, at, found = text.splitlines(keepends=True), (1, 0), []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.start < at or token.type == tokenize.ENDMARKER or token.start == token.end:
            continue
        before = "".join(lines[at[0] - 1 : token.start[0] - 1])[at[1] :] if token.start[0] > at[0] else ""
        start = at[1] if token.start[0] == at[0] else 0
        found.append(before + lines[token.start[0] - 1][start : token.start[1]] + token.string)
        at = token.end
    return found


def changed(chance: random.Random, tokens: list[str]) -> str:
    """A program of which one or two tokens are gone, stand twice, are others, or stand in another place."""
    tokens = list(tokens)
    for _ in range(chance.choice([1, 1, 1, 2])):
        at = chance.randrange(len(tokens))
        blanks = tokens[at][: len(tokens[at]) - len(tokens[at].lstrip())]
        way = chance.randrange(5)
        if way == 0:
            del tokens[at]
        elif way == 1:
            tokens.insert(at, tokens[at])
        elif way == 2:
            tokens[at] = f"{blanks} {chance.choice(EXTRA)}"
        elif way == 3:
            tokens.insert(at, f" {chance.choice(EXTRA)} ")
        else:
            other = chance.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        if not tokens:
            return "\n"
    return "".join(tokens)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_programs_changed_by_a_token(executable: str, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    programs = [tokens_of(text) for text in STATEMENTS]
    texts = [changed(chance, chance.choice(programs)) for _ in range(1500)]
    taken, refused = agree(executable, tmp_path, [*STATEMENTS, *texts])
    assert min(taken, refused) > 150


def test_every_token_gone_or_twice(executable: str, tmp_path: Path) -> None:
    texts = []
    for text in STATEMENTS:
        tokens = tokens_of(text)
        for at in range(len(tokens)):
            before, behind = "".join(tokens[:at]), "".join(tokens[at + 1 :])
            texts += [f"{before}{behind}", f"{before}{tokens[at] * 2}{behind}", f"{before} , {tokens[at]}{behind}"]
            texts += [f"{before}{tokens[at]} {other}{behind}" for other in ("x", "*", ")")]
    assert min(agree(executable, tmp_path, texts)) > 300


def test_programs_that_end_anywhere(executable: str, tmp_path: Path) -> None:
    texts = [text[:end] for text in STATEMENTS for end in range(len(text))]
    assert min(agree(executable, tmp_path, texts)) > 100


def layouts() -> Iterator[str]:
    chance = random.Random(5)
    parts = [" ", "  ", "    ", "\t", "\t\t", " \t", "\t ", "        ", "\f", "", "", "    \t"]
    for _ in range(1200):
        lines, column = [], [""]
        for _ in range(chance.randint(2, 7)):
            indent = chance.choice([*column, chance.choice(column) + chance.choice(parts), chance.choice(parts)])
            text = chance.choice(["if a:", "if b:", "c", "c", "", "# d", "if e: f", "(g,\nh)", "i \\\n  + j", "else:"])
            if text in ("if a:", "if b:") or chance.random() < 0.2:
                column.append(indent)
            lines.append(indent + text)
        yield chance.choice(["\n", "\n", "\r\n", "\r"]).join(lines) + chance.choice(["\n", "\n", "", "\n\n  ", "\n\t#"])
    for depth in (1, 2, 98, 99, 100, 101):
        for unit in (" ", "\t"):
            yield "".join(f"{unit * level}if a:\n" for level in range(depth)) + f"{unit * depth}b\n"


def test_layouts(executable: str, tmp_path: Path) -> None:
    assert min(agree(executable, tmp_path, layouts())) > 100


def numbers() -> Iterator[str]:
    chance = random.Random(6)
    for head in ("0", "1", "09", "0x", "0o", "0b", "1_", "1.", ".", "1e", "00", "0_", "1__", "._", ".5", "1j", "0xf"):
        for tail in (
            "",
            "0",
            "1",
            "7",
            "8",
            "9",
            "a",
            "f",
            "g",
            "_",
            "_1",
            ".",
            "e",
            "E+1",
            "e-",
            "j",
            "J",
            "x",
            ".e1",
        ):
            yield head + tail
    for _ in range(1500):
        yield "".join(chance.choice("0011789_.eE+-jJxXoObBaf") for _ in range(chance.randint(1, 7)))


def test_numbers(executable: str, tmp_path: Path) -> None:
    assert min(agree(executable, tmp_path, (f"x = {text}\n" for text in numbers()))) > 100


def strings() -> Iterator[str]:
    chance = random.Random(7)
    parts = ["a", "\\", "\\n", "\\x41", "\\x4", "\\u0041", "\\u004", "\\U0001f600", "\\U00110000", "\\N{DIGIT ONE}"]
    parts += [
        "\\N{nothing}",
        "\\N{",
        "\\7",
        "\\101",
        "\\400",
        "\\\n",
        "\n",
        "'",
        '"',
        "''",
        '""',
        "\u00e9",
        "\\'",
        "\\q",
    ]
    parts += [
        "{",
        "}",
        "{{",
        "}}",
        "{a}",
        "{a!r}",
        "{a:b}",
        "{a=}",
        "{a:{b}}",
        "{'b'}",
        "{a!}",
        "{}",
        "{a b}",
        "\\{",
        "#",
    ]
    for _ in range(2500):
        prefix = chance.choice(["", "", "r", "b", "rb", "f", "f", "F", "rf", "u", "bR", "ur", "fb", "bb"])
        quote = chance.choice(["'", '"', "'''", '"""'])
        yield f"x = {prefix}{quote}{''.join(chance.choice(parts) for _ in range(chance.randint(0, 4)))}{quote}\n"


def test_strings(executable: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert min(agree(executable, tmp_path, strings())) > 100


def edges() -> list[int]:
    """Characters at and next to the places where the answers of `str.isidentifier` change."""
    kinds = [(chr(code).isidentifier(), f"a{chr(code)}".isidentifier()) for code in range(sys.maxunicode + 1)]
    changes = [code for code in range(1, len(kinds)) if kinds[code] != kinds[code - 1]]
    found = {code + step for code in changes for step in (-1, 0)} | set(range(128, 0x370))
    found -= {0x30FB, 0xFF65}  # middle dots of Katakana, which stand in names since Unicode 15.1
    return sorted(code for code in found if unicodedata.category(chr(code)) not in ("Cn", "Cs"))


def test_characters_of_names(executable: str, tmp_path: Path) -> None:
    """Every character that the Python that runs the tests knows, at the start and inside of a name."""
    for before in ("", "a"):
        codes = edges()
        path = tmp_path / "names.py"
        path.write_text("".join(f"{before}{chr(code)}\n" for code in codes), encoding="utf-8")
        names = cpython.graphmend_names(executable, path)
        for number, code in enumerate(codes, 1):
            name = f"{before}{chr(code)}"
            assert (names.get(number) == [name]) == name.isidentifier(), (hex(code), names.get(number))


def test_names_are_normalized(executable: str, tmp_path: Path) -> None:
    """NFKC, with marks in any order, syllables in parts, and characters that stand for others."""
    chance = random.Random(8)
    letters = [chr(code) for code in range(0xA0, 0x30000) if chr(code).isidentifier()]
    changing = [letter for letter in letters if unicodedata.normalize("NFKC", letter) != letter]
    marks = [chr(code) for code in range(0x300, 0x1E000) if unicodedata.combining(chr(code))]
    parts = [
        [chr(code) for code in codes] for codes in (range(0x1100, 0x1113), range(0x1161, 0x1176), range(0x11A8, 0x11C3))
    ]
    names = []
    for _ in range(1500):
        name = chance.choice([*"aeouAEOUnc", *chance.sample(letters, 4), *chance.sample(changing, 4)])
        name += "".join(chance.choice(marks) for _ in range(chance.randint(0, 4)))
        name += "".join(chance.choice(part) for part in parts[: chance.randint(0, 3)])
        names += [name] if name.isidentifier() else []
    assert len(names) > 700
    agree(
        executable, tmp_path, ["".join(f"{name}\n" for name in names[at : at + 50]) for at in range(0, len(names), 50)]
    )
