"""Notebooks whose cells are spelled in every way that JSON has: findings and mends are those of the plain spelling."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

CELL = """import torch
from torch import Tensor

WORDS = "{words}"  # {words}


@torch.compile
def f(x: Tensor):
    x = x.float().detach()
    if x.mean() > 0:  # {words}
        y = x * 2
    else:
        y = x * 3
    print("{words}", y)
    return y
"""
WORDS = [
    "plain",
    "\u00e9\u20ac",
    "\U0001f600",
    "tab\\t/",
    "a/b",
    "\x7f\u2028",
    "\\\\",
    "\ud7ff\ue000\uffff\U00010000\U0010ffff",
]
SHORT = {"\n": "n", "\t": "t", '"': '"', "\\": "\\", "/": "/", "\b": "b", "\f": "f", "\r": "r"}


def spelled(chance: random.Random, text: str) -> str:
    """A text as JSON, each character in a spelling by chance."""
    out = []
    for letter in text:
        units = letter.encode("utf-16-be").hex()
        whole = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
        ways = [json.dumps(letter)[1:-1]] * 6 + [whole, whole.upper().replace("\\U", "\\u")]
        ways += [f"\\{SHORT[letter]}"] if letter in SHORT else []
        ways += [letter] if letter >= " " and letter not in '"\\' else []
        out.append(chance.choice(ways))
    return f'"{"".join(out)}"'


def notebook(chance: random.Random, cells: list[str]) -> str:
    def source(text: str) -> str:
        if chance.random() < 0.5:
            return spelled(chance, text)
        gap = chance.choice(["", " ", "\n  "])
        return f"[{f',{gap}'.join(spelled(chance, line) for line in text.splitlines(keepends=True))}]"

    gap = chance.choice(["", " ", "\n    ", "\t"])
    shown = []
    for text in cells:
        members = [
            f'"source":{gap}{source(text)}',
            '"cell_type": "code"',
            f'{gap}"outputs": []',
            '"metadata": {"a": [1, {}]}',
        ]
        chance.shuffle(members)
        shown.append("{" + f",{gap}".join(members) + "}")
    shown.insert(0, '{"cell_type": "markdown", "source": ["# import torch\\n"], "metadata": {}}')
    ends = ['"nbformat": 4', '"metadata": {"language_info": {"name": "python"}}', '"nbformat_minor": 5']
    parts = [f'"cells":{gap}[{f",{gap}".join(shown)}]', *ends]
    chance.shuffle(parts)
    return "{" + f",{gap}".join(parts) + "}" + chance.choice(["", "\n"])


def found(cli: Any, name: str) -> list[dict[str, Any]]:
    told = json.loads(cli("check", "--no-cache", "--output-format", "json", name).out)
    return [finding for report in told for finding in report["findings"]]


def texts_of(text: str) -> list[str]:
    cells = [cell["source"] for cell in json.loads(text)["cells"]]
    return ["".join(source) if isinstance(source, list) else source for source in cells]


def test_spellings_of_the_same_cells(cli) -> None:
    chance = random.Random(1)
    for number in range(30):
        cells = [CELL.format(words=chance.choice(WORDS)), "y = f(x)\n%time y\n", "x = 1"][: chance.randint(1, 3)]
        plain = {"cells": [], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
        plain["cells"] = [{"cell_type": "markdown", "source": ["# import torch\n"], "metadata": {}}]
        plain["cells"] += [{"cell_type": "code", "source": cell, "outputs": [], "metadata": {}} for cell in cells]
        cli.write("plain.ipynb", json.dumps(plain))
        cli.write("other.ipynb", notebook(chance, cells))
        before = (cli.folder / "other.ipynb").read_text(encoding="utf-8")
        assert texts_of(before) == texts_of((cli.folder / "plain.ipynb").read_text(encoding="utf-8"))
        expected = found(cli, "plain.ipynb")
        assert expected, number
        keys = ("rule", "line", "column", "end_line", "end_column", "cell", "message", "reason")
        told = [[{key: one.get(key) for key in keys} for one in some] for some in (expected, found(cli, "other.ipynb"))]
        assert told[0] == told[1], before
        for name in ("plain.ipynb", "other.ipynb"):
            cli("fix", "--unsafe", "--no-cache", name)
        mended, after = [(cli.folder / name).read_text(encoding="utf-8") for name in ("plain.ipynb", "other.ipynb")]
        assert texts_of(after) == texts_of(mended) != texts_of(before), before
        assert [{**cell, "source": ""} for cell in json.loads(after)["cells"]] == [
            {**cell, "source": ""} for cell in json.loads(before)["cells"]
        ]


EDGES = [0x1, 0x7, *range(0x8, 0xE), 0x1F, 0x20, 0x22, 0x2F, 0x5C, 0x7E, 0x7F, 0x80, 0x81, 0x7FF, 0x800, 0x2028]
EDGES += [0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10001, 0x103FF, 0x10400, 0xFFFFF, 0x10FFFF]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("ascii", [False, True])
def test_what_is_written_is_spelled_as_python_does(cli: Any, ascii: bool, lines: bool) -> None:
    """A line with each character at the limits of JSON and UTF-16, in a notebook of ASCII and in one that is not."""
    words = [chr(code) for code in EDGES if code not in (0xA, 0xC, 0xD)]
    rows = ["import torch\n", "@torch.compile\n", "def f(x: torch.Tensor):\n"]
    rows += [f"    print(x, r''' {word} ''')\n" for word in words]
    source = rows if lines else "".join(rows)
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = cli.write("a.ipynb", json.dumps(notebook, ensure_ascii=ascii, indent=1) + "\n")
    cli("check", "--add-ignore", "--no-cache", "--isolated", "a.ipynb")
    after = path.read_text(encoding="utf-8")
    assert after == json.dumps(json.loads(after), ensure_ascii=ascii, indent=1) + "\n"
    (written,) = texts_of(after)
    assert written.count("# graphmend: ignore[GM301]") == len(words)
    assert [line.partition("  # graphmend")[0] + "\n" for line in written.split("\n")[:-1]] == rows


UNITS = ["0041", "d7ff", "d800", "d801", "dbff", "dc00", "dc01", "dfff", "e000", "d83d", "de00"]


def test_pairs_of_escapes(cli: Any) -> None:
    """Two escapes beside each other are one character, two, or none, as in Python's json; behind them columns go on."""
    pairs = [(first, second) for first in UNITS for second in [*UNITS, ""]]
    for at, (first, second) in enumerate(pairs):
        escapes = f"\\u{first}" + (f"\\u{second}" if second else "x")
        source = f"\"import torch\\ndef f(x: torch.Tensor):\\n    y = '{escapes}', x.item()\""
        cell = f'{{"cell_type": "code", "metadata": {{}}, "outputs": [], "source": {source}}}'
        cli.write(f"{at}.ipynb", f'{{"cells": [{cell}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}')
    told = cli("check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", ".").out
    rows = [json.loads(line) for line in told.splitlines()]
    found = {Path(row["path"]).stem: row["column"] for row in rows if row.get("code") == "GM201"}
    for at, (first, second) in enumerate(pairs):
        text = json.loads((cli.folder / f"{at}.ipynb").read_text())["cells"][0]["source"].split("\n")[2]
        whole = not any("\ud800" <= letter <= "\udfff" for letter in text)
        assert found.get(str(at)) == (text.index("x.item") + 1 if whole else None), (first, second)
