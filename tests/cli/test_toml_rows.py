"""Every short row of TOML's signs, in a list, in a table, as a header, as a statement: what `tomllib` takes is taken.

Documents that it takes stand in folders of their own and are asked for together. What is said of some that are drawn by
chance stands in a file.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

SIGNS = [
    "'a'",
    '"b\\tc"',
    ",",
    "\n",
    "# c\n",
    "'''x\ny'''",
    '"""y\\\n z"""',
    "{",
    "}",
    "=",
    "k",
    ".",
    "[",
    "]",
    "1",
    " ",
    "\r\n",
]
AROUND = {
    "list": "[tool.graphmend]\nexclude = [{}]\n",
    "list of one": "[tool.graphmend]\nexclude = ['p'{}]\n[k]\n",
    "table": "[tool.graphmend]\nexclude = ['p']\n[k]\nt = {{{}}}\n",
    "pair": "[tool.graphmend]\nexclude = ['p']\n[k]\nk.t = {{k = 1{}}}\n",
    "header": "[tool.graphmend]\nexclude = ['p']\n[{}]\nx = 1\n",
    "headers": "[tool.graphmend]\nexclude = ['p']\n[[k{}]]\nx = 1\n[[k]]\n",
    "statement": "[tool.graphmend]\nexclude = ['p']\n[other]\n{}\n",
    "value": "[tool.graphmend]\nexclude = ['p']\n[other]\nx = {}\ny = 2\n",
    "behind": "[tool.graphmend]\nexclude = ['p'] {}\n[k]\n",
}
ASKED = 250  # folders in one run
STATED = 450
pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="has no tomllib")


@functools.cache
def documents() -> dict[str, Any]:
    """Texts, and what tomllib reads; None for what it refuses."""
    found: dict[str, Any] = {}
    for size in range(4):
        for row in itertools.product(SIGNS, repeat=size):
            for around in AROUND.values():
                text = around.format("".join(row))
                try:
                    found[text] = importlib.import_module("tomllib").loads(text)
                except ValueError:
                    found[text] = None
    return found


def names_of(read: Any) -> Any:
    """What is excluded; None where the settings are of another kind."""
    told = (read or {}).get("tool", {}).get("graphmend")
    if not isinstance(told, dict) or list(told) != ["exclude"] or not isinstance(told["exclude"], list):
        return None
    names = told["exclude"]
    return names if all(isinstance(name, str) and name.isprintable() and name.strip() for name in names) else None


def test_what_tomllib_takes_is_taken(cli: Any) -> None:
    taken = {text: names_of(read) for text, read in documents().items() if names_of(read) is not None}
    assert len(taken) > 700
    for start in range(0, len(taken), ASKED):
        some = list(taken.items())[start : start + ASKED]
        for number, (text, _) in enumerate(some):
            cli.write(f"d{number:03}/pyproject.toml", text.encode())
            cli.write(f"d{number:03}/a.py", "x = 1\n")
        ended = cli("check", "--show-settings", *(f"d{number:03}/a.py" for number in range(len(some))))
        assert ended.status == 0, (some[ended.out.count("settings of ") - 1], ended.err)
        parts = ended.out.split("settings of ")[1:]
        for (text, names), part in zip(some, parts):
            said = [line.partition(" = ")[2] for line in part.splitlines() if line.startswith("  exclude = ")]
            assert said == names, text


def test_stated_rows(cli: Any) -> None:
    cli.write("a.py", "x = 1\n")
    lines = []
    for text in random.Random(1).sample(list(documents()), STATED):
        cli.write("pyproject.toml", text.encode())
        ended = cli("check", "--show-settings", "a.py")
        said = ended.err.partition("pyproject.toml`: ")[2].strip() or "taken"
        lines.append(f"{text!r}\n    {said}\n")
    hold(Path(__file__).parent / "stated" / "toml_rows.txt", "".join(lines))
