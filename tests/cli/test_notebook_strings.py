"""What stands in a string of a cell decides nothing: the magic behind it is one, and what is Python is checked."""

from __future__ import annotations

import json
from typing import Any

import pytest

INSIDE = [
    "",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "#",
    "# (",
    "%",
    "!",
    "%time (",
    "!ls (",
    "= %a (",
    "= !a",
    "?",
    "a?",
    "\\\\",
    "\\\\(",
]
INSIDE += ["\\(", "'", '"', "''", '""', "'(", '"(', "(#", ")#(", "\\'(", '\\"(', ",", ";", "\\n(", "\u00e9("]
LONG = ["\n", "\n(", "(\n", "\n%time (\n", "\n!ls (\n", "'\n", '"\n', "\\\n", "#\n(", "''\n(", '""\n(']
QUOTES = ["'", '"', "'''", '"""']
FORMS = ["a = {}", "f({})", "f(1, {}, [2])", "a = {} + {}", "a = b'' + {}  # ( '", "a = [\n    {},\n    {}\n    ]"]
HEAD = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n"


def literals(quote: str) -> list[str]:
    texts = INSIDE + (LONG if len(quote) == 3 else ["\\\n", "\\\n("])
    made = [f"{quote}{text}{quote}" for text in texts]
    return [literal for literal in made if is_text(literal)]


def is_text(literal: str) -> bool:
    try:
        return isinstance(eval(literal), str)
    except SyntaxError:
        return False


def cell(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "source": text, "metadata": {}, "outputs": []}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("magic", ["%time {(", "!echo {( '", "b = !echo {(", "b = %time {( '"])
@pytest.mark.parametrize("quote", QUOTES)
def test_strings(cli: Any, quote: str, magic: str) -> None:
    lines = [form.replace("{}", literal) for form in FORMS for literal in literals(quote)]
    cells = [cell(f"{HEAD}    {line}\n    {magic}\n    print(x.sum())\n") for line in lines]
    cli.write("a.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    ended = cli("check", "--no-cache", "--isolated", "--output-format", "json", "a.ipynb")
    (report,) = json.loads(ended.out)
    assert report["diagnostics"] == []
    found = [(finding["cell"], finding["line"]) for finding in report["findings"]]
    assert found == [(number, 5 + line.count("\n") + 3) for number, line in enumerate(lines, 1)]
