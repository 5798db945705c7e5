"""Every sequence of parts of parameters and arguments, every expression as every target, each statement many times.

CPython says which programs there are, and what their trees are; what is said of the others stands in `stated`.
"""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import cpython
import pytest
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
PARAMETERS = ["a", "b=1", "*", "*c", "/", "**d", "e: int", "*f: int = 2", "**g=3"]
ARGUMENTS = ["a", "b=1", "*c", "**d", "e for e in f", "(g := 2)", "h := 3", "4=5"]
EXPRESSIONS = [
    "a",
    "(a)",
    "a.b",
    "a[0]",
    "a[1:2]",
    "*a",
    "(*a)",
    "a, b",
    "(a, b)",
    "[a, b]",
    "[a, *b]",
    "()",
    "[]",
    "a,",
]
EXPRESSIONS += ["1", "'t'", "None", "...", "f'{a}'", "a + b", "-a", "not a", "a and b", "a < b", "a if b else c", "f()"]
EXPRESSIONS += [
    "lambda: a",
    "[a for a in b]",
    "{a}",
    "{a: b}",
    "(a for a in b)",
    "(a := b)",
    "yield",
    "(yield)",
    "a.b, c[d]",
]
EXPRESSIONS += ["__debug__", "a.__debug__", "(a, [b, *c])", "(a, f())", "[*a, *b]", "{**a}", "`a`", "await a", "a b"]
PLACES = ["{} = x", "x = {} = y", "{} += x", "{}: int", "{}: int = 1", "del {}", "del x, {}", "for {} in x: pass"]
PLACES += ["with x as {}: pass", "with (x as {}): pass", "with x as {}, y as z: pass", "[x for {} in y]", "({} := x)"]
PLACES += [
    "import x as {}",
    "from x import {}",
    "try: pass\nexcept x as {}: pass",
    "match x:\n case {}: pass",
    "class C({}): pass",
]
PLACES += [
    "f({})",
    "f(x={})",
    "x[{}]",
    "return {}",
    "raise {} from {}",
    "assert {}, {}",
    "@{}\nclass C: pass",
    "print({}, end={})",
]
PIECES = [
    "a",
    "{a}",
    "{{",
    "}}",
    "{a!r}",
    "{a:b}",
    "{a:{b}}",
    "{a:{b}c}",
    "{a=}",
    "{a!x}",
    "{",
    "}",
    "{}",
    "\\n",
    "\\N{DASH}",
]
STATEMENTS = [
    *(
        "a = 1",
        "def f(a, *b, c=1, **d): return a",
        "class C(B, metaclass=M): x: int = 1",
        "if a: b\nelif c: d\nelse: e",
    ),
    *(
        "while a:\n    if b: break\nelse: c",
        "for a, *b in c: continue",
        "try: a\nexcept B as c: d\nelse: e\nfinally: f",
    ),
    *(
        "with a as b, c as d: e",
        "async def f():\n    async with a: await b",
        "lambda a, *b: (yield)",
        "del a[b:c, ...]",
    ),
    *(
        "x = [a for b in c if d for e in f]",
        "f'{a!r:{b}}' 'c'",
        "assert a, b",
        "global g",
        "import a.b as c, d",
        "@a\n@b\ndef f(): pass",
    ),
    "x = {**a, b: c}, {*d}, (e,), -f ** g, not h, i if j else k, l < m <= n",
    "if a:\n    if b:\n        if c:\n            d",
]


def sequences(form: str, parts: list[str], most: int) -> list[str]:
    rows = itertools.chain.from_iterable(itertools.product(parts, repeat=count) for count in range(most + 1))
    return [form.format(", ".join(row)) for row in rows]


def joined(form: str, parts: list[str], most: int) -> list[str]:
    return [text.replace(", ", "") for text in sequences(form, parts, most)]


PROGRAMS = {
    "strings": joined("f'{}'", PIECES, 3)
    + joined("rf'{}'", PIECES, 2)
    + joined("f'{{x:{}}}'", PIECES, 2)
    + joined("f'{{x!r:{{y:{}}}}}'", PIECES, 1),
    "parameters": sequences("def f({}): pass", PARAMETERS, 3) + sequences("lambda {}: 0", PARAMETERS, 2),
    "arguments": sequences("f({})", ARGUMENTS, 3) + sequences("class C({}): pass", ARGUMENTS, 2),
    "targets": [place.replace("{}", expression) for place in PLACES for expression in EXPRESSIONS],
}
# Of those that are refused, what is said of them.
SAID = {**PROGRAMS, "strings": joined("f'{}'", PIECES, 2)}


def written(folder: Path, texts: list[str]) -> list[Path]:
    paths = [folder / f"{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_text(f"{text}\n")
    return paths


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_python_takes(executable: str, tmp_path: Path, name: str) -> None:
    paths = written(tmp_path, PROGRAMS[name])
    lines = cpython.graphmend_trees(executable, paths)
    wrong = [cpython.difference(path.read_bytes(), line) for path, line in zip(paths, lines)]
    assert not any(wrong), next(filter(None, wrong))


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(executable: str, tmp_path: Path, name: str) -> None:
    written(tmp_path, SAID[name])
    names = [f"{number}.py" for number in range(len(SAID[name]))]
    done = subprocess.run([executable, "debug", "tree", *names], cwd=tmp_path, capture_output=True, text=True)
    said: dict[str, list[str]] = {}
    for line in done.stderr.splitlines():
        path, _, words = line.removeprefix("graphmend: ").partition(".py:")
        said.setdefault(path, []).append(words)
    assert len(said) > 100
    told = [
        f"{SAID[name][int(number)]!r}: {' | '.join(words)}\n"
        for number, words in sorted(said.items(), key=lambda row: int(row[0]))
    ]
    hold(STATED / f"matrices.{name}.txt", "".join(told))


def test_the_same_many_times(executable: str, tmp_path: Path) -> None:
    """Nothing that a statement leaves behind adds up."""
    texts = ["\n".join([text] * 700) for text in STATEMENTS]
    paths = written(tmp_path, texts)
    for path, line in zip(paths, cpython.graphmend_trees(executable, paths)):
        assert cpython.difference(path.read_bytes(), line) is None, path.read_text()[:80]


@pytest.mark.parametrize("target", ["3.12", "3.14"])
def test_strings_of_newer_versions(executable: str, tmp_path: Path, target: str) -> None:
    """Trees of specs, whose braces versions read in their own ways, as this Python may not make them."""
    texts = joined("f'{{x:{}}}'", ["a", "{a}", "{{", "}}", "{a:{b}c}", "\\n"], 2)
    trees = cpython.graphmend_lines(executable, ["tree", "--cpython"], written(tmp_path, texts), target)
    hold(STATED / f"matrices.specs.{target}.txt", "".join(f"{text}\n{tree}\n" for text, tree in zip(texts, trees)))
