"""Notebooks whose cells are spelled in every way that JSON has: findings and mends are those of the plain spelling."""

from __future__ import annotations

import json
import random
from typing import Any

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
