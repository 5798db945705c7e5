"""Random documents of TOML: where `tomllib` reads a list of names to exclude, that list is in force."""

from __future__ import annotations

import importlib
import random
import sys
from typing import Any

import pytest

DOCUMENTS = 250
LETTERS = [
    "a",
    "B",
    "7",
    "-",
    "_",
    ".",
    "*",
    "/",
    "\u00e9",
    "\U0001f600",
    "#",
    "=",
    "[",
    "]",
    ",",
    "'",
    '"',
    "\\",
    "  x",
]
SHORT = {'"': '\\"', "\\": "\\\\"}


class Writer:
    """Writes one document, in a spelling by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def gap(self) -> str:
        return self.chance.choice(["", "", " ", "\t ", "  "])

    def gap_in_list(self) -> str:
        return self.chance.choice([self.gap(), self.gap(), "\n", "\n  # a, ] b\n", " # \u00e9\n\n", "\r\n"])

    def escaped(self, text: str) -> str:
        told = []
        for letter in text:
            ways = [f"\\U{ord(letter):08x}", f"\\u{ord(letter):04X}" if ord(letter) < 0x10000 else ""]
            told.append(self.chance.choice([*([SHORT.get(letter, letter)] * 6), *filter(None, ways)]))
        return "".join(told)

    def string(self, text: str) -> str:
        ways = [f'"{self.escaped(text)}"', f'"""{self.escaped(text)}"""', f'"""\n{self.escaped(text)}"""']
        middle = self.chance.randrange(len(text) + 1)
        if not text[middle:].startswith(" "):
            joint = self.chance.choice(["\\\n", "\\  \n\n \t", "\\\r\n "])
            ways.append(f'"""{self.escaped(text[:middle])}{joint}{self.escaped(text[middle:])}"""')
        if "'" not in text:
            ways += [f"'{text}'", f"'''{text}'''", f"'''\n{text}'''"]
        return self.chance.choice(ways)

    def text(self) -> str:
        return "".join(self.chance.choice(LETTERS) for _ in range(self.chance.randint(1, 5)))

    def key(self, name: str) -> str:
        return self.chance.choice([name, name, f'"{name}"', f"'{name}'"])

    def path(self, *names: str) -> str:
        return f"{self.gap()}.{self.gap()}".join(map(self.key, names))

    def list_of(self, texts: list[str]) -> str:
        items = [f"{self.gap_in_list()}{self.string(text)}{self.gap_in_list()}" for text in texts]
        tail = self.chance.choice(["", ",", f",{self.gap_in_list()}"]) if items else self.gap_in_list()
        return f"[{','.join(items)}{tail}]"

    def value(self, depth: int = 0) -> str:
        pair = f"{{{self.gap()}a{self.gap()}={self.gap()}1, b.'c' = [[], {{}}]{self.gap()}}}"
        texts = [self.text() for _ in range(self.chance.randint(0, 3))]
        scalars = [
            "1",
            "-1_000",
            "0xF",
            "1.5e-3",
            "inf",
            "true",
            "false",
            "1979-05-27",
            "1979-05-27 07:32:00.5",
            "07:32:00",
        ]
        return self.chance.choice([pair, self.list_of(texts), self.string(self.text()), *scalars])

    def line(self, key: str, value: str) -> str:
        return f"{self.gap()}{key}{self.gap()}={self.gap()}{value}{self.gap()}{self.chance.choice(['', '', '# x = 1'])}"

    def others(self) -> list[str]:
        return [
            self.line(f"{name}{self.chance.choice(['', '.x'])}", self.value()) for name in self.chance.sample("pqrs", 2)
        ]

    def document(self) -> str:
        texts = [self.text() for _ in range(self.chance.randint(1, 4))]
        before = self.others() if self.chance.random() < 0.5 else []
        header = f"{self.gap()}[{self.gap()}{self.path('tool', 'graphmend')}{self.gap()}]{self.gap()}"
        whole = f"{{{self.gap()}{self.key('exclude')}{self.gap()}={self.gap()}{self.list_of(texts)}{self.gap()}}}"
        ways = [
            [header, self.line(self.key("exclude"), self.list_of(texts))],
            [header, self.line(self.key("exclude"), self.list_of(texts))],
            [f"[{self.path('tool')}]", self.line(self.path("graphmend", "exclude"), self.list_of(texts))],
            [f"[{self.path('tool')}]", self.line(self.key("graphmend"), whole)],
        ]
        around = [["[[a]]", *self.others()], ["[[a]]", "[a.b]", *self.others()], ["[tool.other]", *self.others()]]
        ends = ["\n", "\n", "\n\n", "\r\n", "\n# c\n"]
        lines = [*before, *self.chance.choice(ways), *self.chance.choice([[], *around])]
        return "".join(f"{line}{self.chance.choice(ends)}" for line in lines)


def read_by_python(text: str) -> Any:
    try:
        return importlib.import_module("tomllib").loads(text)
    except ValueError:
        return None


def excluded(out: str) -> list[str]:
    return [line.partition(" = ")[2] for line in out.splitlines() if line.startswith("  exclude = ")]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has no tomllib")
def test_lists_are_those_of_tomllib(cli) -> None:
    cli.write("a.py", "x = 1\n")
    chance, damaged_well = random.Random(1), 0
    for seed in range(DOCUMENTS):
        text = Writer(seed).document()
        expected = read_by_python(text)
        assert expected is not None, text
        cli.write("pyproject.toml", text)
        ended = cli("check", "--show-settings", "a.py")
        assert ended.status == 0 and excluded(ended.out) == expected["tool"]["graphmend"]["exclude"], (text, ended)
        at = chance.randrange(len(text))
        damaged = text[:at] + chance.choice(["", *'[]{}"\\=.,#\n']) + text[at + 1 :]
        read = read_by_python(damaged)
        told = (read or {}).get("tool", {}).get("graphmend")
        if isinstance(told, dict) and list(told) == ["exclude"] and all(map(str.isprintable, told["exclude"])):
            cli.write("pyproject.toml", damaged)
            ended = cli("check", "--show-settings", "a.py")
            damaged_well += 1
            assert ended.status == 0 and excluded(ended.out) == told["exclude"], (damaged, ended)
    assert damaged_well > DOCUMENTS // 8


def test_the_line_of_what_is_wrong(cli) -> None:
    """Behind values of every kind, and in them."""
    cli.write("a.py", "x = 1\n")
    for seed in range(20):
        writer = Writer(seed)
        before = "".join(f"{line}\n" for line in writer.others())
        for wrong in ("x = ", "x y = 1", "= 1", "x = [1 2]", "x = 'a", 'x = "\\q"', "x = {a}", "[x", "x = 1 1"):
            cli.write("pyproject.toml", f"{before}{wrong}\n")
            line = before.count("\n") + 1
            ended = cli("check", "a.py")
            assert ended.status == 2 and f"line {line}: " in ended.err, (before, wrong, ended)
