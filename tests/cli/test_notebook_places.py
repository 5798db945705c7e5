"""Findings in the cells of a notebook stand where they stand in a file that has the cells one behind the other.

In every format that tells places, and with cells of other kinds, magics and blank lines between them.
"""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

HEAD = "import torch\nfrom torch import Tensor"
CELLS = [
    "@torch.compile\ndef f{0}(x: Tensor):\n    print(x)\n    return x",
    "\n\n@torch.compile\ndef f{0}(x: Tensor):\n    if x.sum() > 0:\n        x = x + 1\n    return x\n\n",
    "y = 1",
    "",
    "# nothing\n\n",
    "@torch.compile\ndef f{0}(x: Tensor):\n    return [\n        x.tolist(),\n        x.item(\n        ),\n    ]",
    "@torch.compile\ndef f{0}(x: Tensor):\n    '''\u00e9\u20ac'''; print('\U0001f600', x); return int(x.sum())",
]


def cells_of(chance: random.Random) -> list[str]:
    return [HEAD, *(chance.choice(CELLS).format(at) for at in range(chance.randint(1, 8)))]


def write(cli: Any, chance: random.Random, cells: list[str]) -> list[tuple[int, int]]:
    """A notebook and a file; of each line of the file the cell and the line in it."""
    shown: list[dict[str, Any]] = []
    places: list[tuple[int, int]] = []
    for text in cells:
        for _ in range(chance.choice([0, 0, 1, 2])):
            shown.append(
                {"cell_type": chance.choice(["markdown", "raw"]), "source": ["print(x)\n", "# a"], "metadata": {}}
            )
        source: Any = text if chance.random() < 0.5 else text.splitlines(keepends=True)
        shown.append({"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None})
        places += [(len(shown), line + 1) for line in range(text.count("\n") + 1)]
    notebook = {"cells": shown, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    cli.write("a.ipynb", json.dumps(notebook))
    cli.write("a.py", "\n".join(cells) + "\n")
    return places


def findings(cli: Any, name: str, how: str = "json-lines") -> list[dict[str, Any]]:
    out = cli("check", "--no-cache", "--isolated", "--output-format", how, name).out
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.parametrize("seed", range(12))
def test_places_are_those_of_the_file(cli: Any, seed: int) -> None:
    chance = random.Random(seed)
    cells = cells_of(chance)
    places = write(cli, chance, cells)
    inside, outside = findings(cli, "a.ipynb"), findings(cli, "a.py")
    assert len(inside) == len(outside)
    for one, other in zip(inside, outside):
        assert (one["cell"], one["line"]) == places[other["line"] - 1]
        assert (one["cell"], one["end_line"]) == places[other["end_line"] - 1]
        same = ("code", "message", "column", "end_column", "run", "fix")
        assert [one[key] for key in same] == [other[key] for key in same]
    concise = cli("check", "--no-cache", "--isolated", "--output-format", "concise", "a.ipynb").out.splitlines()
    told = [f"a.ipynb:cell {one['cell']}:{one['line']}:{one['column']}: {one['code']}" for one in inside]
    assert [line[: len(begin)] for line, begin in zip(concise, told)] == told, concise
