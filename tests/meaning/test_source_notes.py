"""What is written about definitions in a file: docstrings, notes of fields and of parameters, and where they are.

Docstrings are held against `inspect.cleandoc`, less blanks at the ends of lines, and names and lines against `ast`; of
notes the writer of a program knows which of its comments are notes.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import random
from typing import Any, Optional

import pytest

from graphmend import core

PRAGMAS = ["type: ignore", "noqa", "noqa: E501", "pylint: disable", "pragma: no cover", "fmt: off", "ruff: noqa"]
PRAGMAS += ["mypy: ignore", "pyright: ignore", "isort: skip", "nosec", ""]
WORDS = [
    "a",
    "note",
    "of it",
    "  with  blanks ",
    "typed",
    "no",
    "typ: e",
    "\tafter a tab\t",
    "#",
    "caf\u00e9: \U0001f600",
]


def definitions(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = core.meaning_notes("a.py", text.encode())["definitions"]
    return found


def doc_of(text: str) -> Optional[str]:
    return "\n".join(line.rstrip() for line in inspect.cleandoc(text).split("\n")).strip() or None


def test_docstrings_are_those_of_inspect() -> None:
    """Lines of blanks, tabs in front, and letters: all short ones, and random longer ones."""
    lines = ["", " ", "a", " b", "   c ", "\td", " \te", "  \t\tf  ", "        g"]
    chance = random.Random(1)
    texts = ["\n".join(some) for size in (1, 2, 3) for some in itertools.product(lines, repeat=size)]
    texts += ["\n".join(chance.choices(lines, k=chance.randint(4, 9))) for _ in range(500)]
    written = "".join(f"class C{at}:\n    {text!r}\n" for at, text in enumerate(texts))
    found = definitions(written)
    assert len(found) == len(texts)
    for text, entry in zip(texts, found):
        assert entry.get("doc") == doc_of(text), repr(text)
        assert entry["kind"] == "class" and entry["members"] == []


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_docstrings_with_every_line_end(end: str) -> None:
    text = f'def f():{end}    """First.{end}{end}      Second.  {end}    Third.{end}    """{end}    pass{end}'
    assert definitions(text)[0]["doc"] == "First.\n\n  Second.\nThird."


def words(text: str) -> list[str]:
    return text.split()


class FieldWriter:
    """Writes the fields of a class, and knows their notes."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lines: list[str] = []
        self.notes: list[dict[str, str]] = []

    def above(self) -> list[str]:
        """Lines in front of a field; the notes of those directly above it."""
        said: list[str] = []
        for _ in range(self.chance.choice([0, 0, 1, 2, 3])):
            word, kind = self.chance.choice(WORDS), self.chance.choice(["#:", "#:", "# ", "# :", ""])
            self.lines.append(f"    {self.chance.choice(['', '  '])}{kind}{word}" if kind else "")
            said = [*said, *words(word)] if kind == "#:" else []
        return said

    def field(self, name: str) -> None:
        said = self.above()
        written = self.chance.choice(
            [f"{name}: int", f"{name}: int = 3", f"{name} = 3", f"{name}: int = f(  # {name}\n    1)"]
        )
        kind, word = self.chance.choice(["", "  #:", "#:", "  # ", "\t#:"]), self.chance.choice(WORDS)
        self.lines.append(f"    {written}{kind}{word if kind else ''}")
        said += words(word) if kind.strip() == "#:" else []
        if self.chance.random() < 0.3:
            word = self.chance.choice([*WORDS, "two\n   lines"])
            self.lines += self.chance.choice([[], ["    # between"]])
            self.lines.append(f"    {word!r}")
            said += words(word)
        if said:
            self.notes.append({"name": name, "note": " ".join(said)})

    def other(self) -> None:
        """A statement that is no field, and may have what would be a note of one; it is not that of the next one."""
        self.lines.append(
            f"    {self.chance.choice(['pass', 'a.b = 1', 'a = b = 2', 'f()', 'x[1]: int'])}  #: of another"
        )


def test_notes_of_fields() -> None:
    text, expected = "", []
    for seed in range(300):
        writer = FieldWriter(seed)
        for at in range(writer.chance.randint(1, 4)):
            if writer.chance.random() < 0.2:
                writer.other()
            writer.field(f"a{at}")
        text += f"class C{seed}:\n    pass\n" + "\n".join(writer.lines) + "\n"
        expected.append(writer.notes)
    ast.parse(text)
    found = definitions(text)
    for seed, (entry, notes) in enumerate(zip(found, expected)):
        assert entry["members"] == notes, text.partition(f"class C{seed}:\n")[2].partition("class ")[0]
    assert len(found) == len(expected) and sum(map(len, expected)) > 400


def parameters(chance: random.Random) -> tuple[str, list[dict[str, str]]]:
    """Parameters, one a line, and what is noted of those that have a name of their own."""
    lines, notes, defaults = [], [], False
    names = [f"p{at}" for at in range(chance.randint(1, 5))]
    marks = sorted(chance.choices(range(len(names) + 1), k=2))
    for at, name in enumerate(names):
        if at == marks[0] and 0 < at < marks[1]:
            lines.append("/,  # of nothing")
        if at == marks[1]:
            lines += chance.choice([[], ["*,  # of nothing"], ["*rest: int,  # of the rest"]])
        defaults = defaults or chance.random() < 0.3
        hint, value = chance.choice(["", ": int", ": Dict[str, int]"]), " = (1, 2)" if defaults else ""
        mark, pragma = chance.choice(["  # ", "#", "  #:", "", "\t#: "]), chance.random() < 0.3
        word = chance.choice(PRAGMAS if pragma else WORDS)
        lines.append(f"{name}{hint}{value}{chance.choice([',', ' ,'])}{mark}{word if mark else ''}")
        if mark and not pragma:
            notes.append({"name": name, "note": " ".join(words(word))})
    if chance.random() < 0.3:
        lines.append("**more: int,  # of all others")
    return "\n    ".join(lines), notes


def test_notes_of_parameters() -> None:
    chance, text, expected = random.Random(2), "", list[Any]()
    while len(expected) < 300:
        written, notes = parameters(chance)
        function = f"{chance.choice(['def', 'async def'])} f{len(expected)}(\n    {written}\n): pass\n"
        try:
            ast.parse(function)
        except SyntaxError:
            continue
        text += function
        expected.append(notes)
    found = definitions(text)
    for entry, notes in zip(found, expected):
        assert entry["members"] == notes, text.partition(f" {entry['name']}(")[2].partition("): pass")[0]
        assert entry["kind"] == "function" and "doc" not in entry
    assert len(found) == len(expected) and sum(map(len, expected)) > 300
    assert definitions("def f(x  # of x\n): pass")[0]["members"] == [{"name": "x", "note": "of x"}]
    assert definitions("def f(x, y): pass  # of f")[0]["members"] == []


def nested(chance: random.Random, depth: int) -> list[str]:
    """Statements, some of them with definitions inside."""
    lines = []
    for _ in range(chance.randint(1, 3)):
        head = chance.choice(
            ["class A:", "def f():", "async def g():", "if x:", "try:", "with x:", "for x in y:", "while x:", ""]
        )
        inner = [f"    {line}" for line in nested(chance, depth + 1)] if depth < 4 else ["    pass"]
        other = [f"    {line}" for line in nested(chance, depth + 1)] if depth < 3 else ["    pass"]
        rest = {"if x:": ["else:", *other], "try:": ["except A:", "    pass", "else:", *other]}
        rest["try:"] = chance.choice([rest["try:"], ["finally:", *other], ["except A:", *other]])
        lines += (
            [head, *inner, *(rest.get(head, []) if chance.random() < 0.7 or head == "try:" else [])]
            if head
            else ["x = 1"]
        )
    return lines


def expected_of(body: list[ast.stmt], prefix: str) -> list[tuple[str, str, int]]:
    """Definitions in classes and functions, and under conditions, `try`, `else` and `with`; their kinds and lines."""
    found: list[tuple[str, str, int]] = []
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            is_class = isinstance(node, ast.ClassDef)
            found.append((f"{prefix}{node.name}", "class" if is_class else "function", node.lineno))
            found += expected_of(node.body, f"{prefix}{node.name}{'.' if is_class else '.<locals>.'}")
        elif isinstance(node, (ast.If, ast.Try)):
            found += expected_of(node.body, prefix) + expected_of(node.orelse, prefix)
        elif isinstance(node, ast.With):
            found += expected_of(node.body, prefix)
    return found


def test_names_and_lines_of_definitions() -> None:
    count = 0
    for seed in range(150):
        text = "\n".join(nested(random.Random(seed), 0)) + "\n"
        found = [(entry["name"], entry["kind"], entry["line"]) for entry in definitions(text)]
        assert found == expected_of(ast.parse(text).body, ""), text
        count += len(found)
    assert count > 1000


def test_definitions_nest_up_to_a_limit() -> None:
    """The fiftieth is listed, and one deeper is not."""
    for depth in (49, 50, 51, 60):
        text = "".join(f"{' ' * at}class A{at}:\n" for at in range(depth)) + f"{' ' * depth}pass\n"
        assert len(definitions(text)) == min(depth, 50), depth
    assert definitions("class A:\n  def (") == []
