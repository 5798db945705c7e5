"""Texts that versions of Python read in their own ways, and what stands at the limits of tokens: trees and messages.

Each text is read as each version reads it, and as no version in particular; the texts in `stated` are read as a diff.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from stated_texts import hold

Stage = Callable[[str, Path, list[str], list[str]], list[str]]
TARGETS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", ""]
LAYOUTS = [
    "if a:\n    b\n\\\n    c\n",
    "if a:\n\\\n    b\n",
    "\\\na\n",
    "if a:\n    b\n  \\\n  c\n",
    "a\\\n\nb\n",
    "a \\\n",
]
LAYOUTS += [
    "((a[)\nb)\nc\n",
    "[[a(]\nb]\nc\n",
    "{{a(}\nb}\nc\n",
    "(a[(b{)\nc])\nd\n",
    "(a]\nb)\nc\n",
    "a)\nb\n",
    "f'{(a[(b})}'\nc\n",
]
NUMBERS = [f"0x1{word} b\n" for word in ("and", "else", "for", "if", "in", "is", "or", "not", "an", "notin")]
NUMBERS += [f"[1{word} b]\n" for word in ("and", "else", "for", "if", "in", "is", "or", "not in", "i", "forx")]
FIELDS = ["f'{a for a in b}'\n", "f'{a async for a in b}'\n", "f'{(a for a in b)}'\n", "f'{a:\n}'\n", "f'{a:{b:\n}}'\n"]
FIELDS += [
    "f'''{a:\n}'''\n",
    "f'{a\n}'\n",
    "f'{a # b\n}'\n",
    "f'{\"\\\\\" # b}'\n",
    "f'{\"#\"}'\n",
    "f'{a = }'\n",
    "f'{a =\t!r:>4}'\n",
]
FIELDS += [
    "f'{*a}'\n",
    "f'{yield}'\n",
    "f'{a, b = }'\n",
    "f'{\"\\n\"}'\n",
    "f'{\"\\'\"}'\n",
    "f'{a!r}{b!s:}{c!a:d}'\n",
    "f'{a!x}'\n",
]
FIELDS += [
    "t'{a = }'\n",
    "t'{ a  =  !r:b}'\n",
    "t'{a\n =\n}'\n",
    "t'{(a, b) = :{c = }}'\n",
    "f'{lambda: 0}'\n",
    "f'{a:=5}'\n",
]
FIELDS += [
    "f'{(a}'\n",
    "f'{[a}} b'\nc\n",
    "f'{a:{(b}}'\n",
    "f'{(a]}'\n",
    "f'{a)}'\n",
    "(f'{a)}')\n",
    "f'{(a[}'\nb)\n",
    "f'{{(}'\n",
]
FIELDS += [
    f"{prefix}'''{{{field}}}'''\n"
    for prefix in "ft"
    for field in (
        "a # b\n",
        "a # b\n = ",
        "# b\na",
        "a # b\n + c # d\n = ",
        "a\n# b\n = # c\n",
        "a # b\n!r",
        "a # b\n:c",
        "a # b\n=!r:c",
        "# b\n# c\na =",
        "a # '\n = # '\n",
    )
]
NAMES = [
    "CJK UNIFIED IDEOGRAPH-4E00",
    "CJK UNIFIED IDEOGRAPH-4E0",
    "CJK UNIFIED IDEOGRAPH-20000",
    "CJK UNIFIED IDEOGRAPH-2A6E0",
]
NAMES += [
    "CJK UNIFIED IDEOGRAPH-4e00",
    "CJK UNIFIED IDEOGRAPH-4E0G",
    "CJK UNIFIED IDEOGRAPH-04E00",
    "CJK UNIFIED IDEOGRAPH-",
]
NAMES += [
    "CJK UNIFIED IDEOGRAPH-3400",
    "CJK UNIFIED IDEOGRAPH-33FF",
    "CJK UNIFIED IDEOGRAPH-004E00",
    "HANGUL SYLLABLE GAG",
]
NAMES += [
    "HANGUL SYLLABLE GAGX",
    "HANGUL SYLLABLE ",
    "HANGUL SYLLABLE XA",
    "HANGUL SYLLABLE HIH",
    "HANGUL SYLLABLE A",
    "hangul syllable ga",
]
NAMES += [
    "A" * 87,
    "A" * 88,
    "A" * 89,
    "A" * 400,
    "",
    "digit one",
    "LATIN SMALL LETTER A ",
    "NULL",
    "LINE FEED",
    "SPACE",
]
PATTERNS = [
    "None",
    "True",
    "False",
    "-1",
    "1 + 2j",
    "-1 - 2j",
    "1 + 2",
    "a.b",
    "a.b()",
    "'a' 'b'",
    "f'a'",
    "*a",
    "(a)",
    "()",
    "(a,)",
    "[]",
]
PATTERNS += [
    "{}",
    "{**a}",
    "{'a': b, **c}",
    "{a: b}",
    "{a.b: c}",
    "{-1: a}",
    "{**a, 'b': c}",
    "a | b",
    "_ as b",
    "a as _",
    "a(b=c, d)",
]
PATTERNS += [
    "a(b, c=d,)",
    "a(*b)",
    "a(b=c, b=d)",
    "-a",
    "+1",
    "a, *b, *c",
    "{1: a, 1: b}",
    "a as b.c",
    "(a | b) as c",
    "not a",
    "a if b",
]
CLASSES = [
    "class C[T]:\n    type A = [x for x in T]\n",
    "class C[T]:\n    type A[U: (lambda: T)] = U\n",
    "class C[T]:\n    def f[U: [x for x in T]](): pass\n",
]
CLASSES += [
    "class __:\n    __a = 1\n    def f(self): return __a, __b__, self.__c\n",
    "class _A:\n    __a = 1\n    def f(self, __d): global __e\n",
]
CLASSES += [
    "class A[__T]:\n    __a: __T\n    def f[__U: __T](self): return __U, __a\n",
    "def f():\n    [0 for a in b if (i := a) for i in c]\n",
]
CLASSES += [
    "[0 for a in b if (i := a) for i in c]\n",
    "def f():\n    global i\n    [(i := a) for a in b]\n",
    "class C:\n    [(i := a) for a in b]\n",
]
CLASSES += [
    "class A[T: __U](__B, k=__c):\n    x: __d\n    def f(self, a: __e = __f): return __g\n",
    "class A[__T: __U](__T, __B, k=lambda __c: (__c, __T, __d)):\n    pass\n",
    "class A:\n    class B[__T](__C, __T): pass\n    def f[__T: __C](self, a: __T): return __T\n",
    "class A:\n    type D[__T] = __E\n",
]
TEXTS = [*LAYOUTS, *NUMBERS, *FIELDS, *(f"'\\N{{{name}}}'\n" for name in NAMES), *CLASSES]
TEXTS += [f"match a:\n    case {pattern}: b\n" for pattern in PATTERNS]
TEXTS += [
    f"{'(' * 60}{'a.b' * 2000}$\n",
    f"x = {'a.' * 6000}b $\n",
    "a b\n" * 300,
    f"x = {'[' * 300}\ny = {'-' * 300}1\n",
]
# Brackets of every kind at the limit of them, the last that is taken and the first that is refused.
INSIDE = ["(a)", "[a]", "{a}", "a[b]", "a(b)", "f'{b}'", "f'a{b}c{d}'", "f'{b:{c}}'", "f'{b!r:c}'", "f'{{{b}}}'"]
TEXTS += [f"x = {'(' * count}{text}{')' * count}\ny\n" for text in INSIDE for count in (197, 198, 199, 200, 201)]
TEXTS += [f"x = {'(' * 201}a)\ny\n", f"x = {'(' * 201}\ndef f(): pass\n", f"x = {'[' * 202}a]{']' * 200}\ny\n"]


def trees(executable: str, folder: Path, target: list[str], names: list[str]) -> list[str]:
    """Of each file its messages, and its tree unless it is long."""
    command = [executable, "debug", "tree", *target, *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    said: dict[str, list[str]] = {name: [] for name in names}
    for line in done.stderr.splitlines():
        name, _, words = line.removeprefix("graphmend: ").partition(":")
        said[name].append(f"{words}\n")
    found = re.split(r"^Module .*\n", done.stdout, flags=re.M)[1:]
    assert len(found) == len(names)
    return ["".join(said[name]) + (tree if len(tree) < 3000 else "") for name, tree in zip(names, found)]


def scopes(executable: str, folder: Path, target: list[str], names: list[str]) -> list[str]:
    """Of each file its scopes, or what is wrong with them."""
    found = []
    for name in names:
        done = subprocess.run([executable, "debug", "scopes", *target, name], cwd=folder, capture_output=True)
        found.append((done.stdout + done.stderr).decode())
    return found


@pytest.mark.parametrize("stage", [trees, scopes])
def test_stated_versions(executable: str, tmp_path: Path, stage: Stage) -> None:
    texts = TEXTS if stage is trees else CLASSES
    names = [f"{number}.py" for number in range(len(texts))]
    for name, text in zip(names, texts):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found: list[dict[str, list[str]]] = [{} for _ in texts]
    for target in TARGETS:
        asked = ["--target", target] if target else []
        for outcomes, outcome in zip(found, stage(executable, tmp_path, asked, names)):
            outcomes.setdefault(outcome, []).append(target or "any")
    rows = []
    for text, outcomes in zip(texts, found):
        shown = re.sub(r"(\W)\1{99,}", lambda run: f"{run[1]}{{{len(run[0])}}}", text)
        rows += [f"\n{shown if len(shown) < 300 else repr(text[:30])}\n"]
        rows += [f"{' '.join(targets)}:\n{outcome}" for outcome, targets in outcomes.items()]
    hold(Path(__file__).parent / "stated" / f"versions.{stage.__name__}.txt", "".join(rows))
