"""Magics, commands and questions in cells, in every place of code: findings are in what IPython leaves as Python."""

from __future__ import annotations

import ast
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

CALL = "x.item()"
# Lines of the body of a function; `%` and `!` begin a magic or a command at the start of a statement and behind `=`.
PIECES = [
    f"a = {CALL}",
    f"%time {CALL}",
    f"!echo {CALL}",
    f"%time {CALL}\n",
    "x.item?",
    "?x.item",
    "x.item??",
    f"a = %time {CALL}",
    f"a =!echo {CALL}",
    f"a =   %time {CALL}  ",
    f"%time {CALL} \\\n    {CALL}",
    f"!echo {CALL} \\\n {CALL} \\\n{CALL}",
    f"a = !echo {CALL} \\\n    {CALL}",
    f"a = {CALL} \\\n% 3",
    f"a = {CALL} \\\n    % {CALL}",
    f"a = ({CALL}\n% {CALL})",
    f"a = [{CALL},  # ( ' \" ?\n{CALL}]",
    f"a = {{'%': {CALL}, \"!\": {CALL}}}\n    %time {CALL}",
    f"a = '''\n%time {CALL}\n'''\n    %time {CALL}",
    f'a = """ \' ""\n!echo {CALL}\n\\""" {CALL}\n""" + str({CALL})',
    f"a = 'b\\\n%c {CALL}' + str({CALL})",
    f"a = '\\\\'\n    %time {CALL}",
    f"a = '\\'' + \"'\"\n    !echo {CALL}",
    f"a = ''\n    %time {CALL}",
    f'a = ""; b = "\\""\n    !echo {CALL}',
    f"# ' \" ( [ {{ \\\n    %time {CALL}",
    f"a = {CALL} != 3",
    f"a = {CALL} % 3 == 1 != 2",
    f"a = {CALL}  # what?",
    f"a = '{CALL}?'",
    f"a = f(b={CALL}, c=-1)[0]\n    %time {CALL}",
    f"for b in (1, 2):\n        %time {CALL}\n        a = {CALL}\n    else:\n        !echo {CALL}",
    f"a = (lambda: 1)() + {CALL}\n    !echo {CALL}",
]
# What a cell may begin with, and whether its rest is Python.
HEADS = [("", True)] * 8 + [
    ("%%time\n", True),
    ("\n \n%%capture a\n", True),
    ("%%timeit -n 1\n", True),
    ("%%prun\n", True),
    ("%%bash\n", False),
    ("%%html\n", False),
    ("%%timer\n", False),
    ("%%\n", False),
]
ENDS = ["", "", "\n", "\n\n", "\n  # end", "\n%time"]


def cell(chance: random.Random, number: int) -> tuple[str, str]:
    """A cell, and what of it may be Python."""
    head, is_python = chance.choice(HEADS)
    some = chance.sample(PIECES, chance.randint(1, 3))
    body = f"@torch.compile\ndef f{number}(x: torch.Tensor, f):\n    " + "\n    ".join(some) + "\n    return a"
    body += chance.choice(ENDS)
    return head + body, body if is_python else ""


def calls_of(manager: Any, text: str) -> int:
    """The calls in what IPython makes of a cell, but for the texts that it hands to magics."""
    found = [node for node in ast.walk(ast.parse(manager.transform_cell(text))) if isinstance(node, ast.Call)]
    return sum(ast.unparse(node) == CALL for node in found)


def test_what_is_python_in_a_cell(cli: Any) -> None:
    transformer = pytest.importorskip("IPython.core.inputtransformer2")
    chance, manager = random.Random(1), transformer.TransformerManager()
    cells = [cell(chance, number) for number in range(300)]
    sources = ["import torch\n", *(text for text, _ in cells)]
    made = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in sources]
    kernel = {"language_info": {"name": "python"}}
    cli.write("a.ipynb", json.dumps({"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}))
    told = cli("check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", "a.ipynb")
    rows = [json.loads(line) for line in told.out.splitlines()]
    wrong = [(row, cells[row["cell"] - 2][0]) for row in rows if row.get("code") != "GM201"]
    for row, text in wrong[:4]:
        print(row, text)
    assert not wrong
    found = Counter(row["cell"] for row in rows)
    for number, (text, python) in enumerate(cells, 2):
        assert found[number] == calls_of(manager, python), text


def test_stated_magics(cli: Any) -> None:
    """What is found in each piece and head alone, line by line."""
    body = f"@torch.compile\ndef g(x: torch.Tensor):\n    return {CALL}\n"
    heads = [f"{head}{body}" for head in dict.fromkeys(head for head, _ in HEADS)]
    alone = ["a =%time b", "a=!b", "a =  %b", "a = %", "a =!", "a = ! b", "a != b", "a = != b", "a == %b", "a += %b"]
    alone += [
        "a: int = %b",
        "a, b = !c",
        "a[0] = %b",
        "f(a=%b)",
        "a = b = %c",
        "%",
        "!",
        "?",
        "a ?",
        "a ??",
        "??a",
        "%a?",
    ]
    texts = [*PIECES, *alone, *(f"if n:\n        {text}" for text in alone)]
    texts += [text.replace("\n", " \t\n") for text in PIECES if "\\\n" in text and "'" not in text]
    functions = [f"@torch.compile\ndef f(x: torch.Tensor, n):\n    {text}\n    {CALL}\n" for text in texts]
    ending = [text.replace("\n", "\r\n") for text in (*functions[: len(PIECES)], *heads)]
    kernel = {"language_info": {"name": "python"}}
    for at, text in enumerate((*functions, *heads, *ending)):
        made = [{"cell_type": "code", "source": one, "metadata": {}, "outputs": []} for one in ("import torch\n", text)]
        notebook = {"cells": made, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
        cli.write(f"{at}.ipynb", json.dumps(notebook))
    told = cli("check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", ".")
    found: dict[str, list[str]] = {}
    for row in map(json.loads, told.out.splitlines()):
        words = f"    {row['cell']}:{row['line']}:{row['column']} {row['message']}\n"
        found.setdefault(Path(row["path"]).stem, []).append(words)
    rows = [f"{text!r}\n{''.join(found.get(str(at), []))}" for at, text in enumerate((*texts, *heads, *ending))]
    hold(Path(__file__).parent / "stated" / "magics.txt", "".join(rows))
