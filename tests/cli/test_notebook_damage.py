"""A notebook with a character gone or another one: it is one where Python reads it as JSON that has cells of text."""

from __future__ import annotations

import json
import re
from typing import Any

NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "source": ["a = 1\n", "b\u00e9 = '\\\\'"],
            "execution_count": 1.5,
        },
        {"source": "c = 2", "cell_type": "code", "metadata": {"t": [True, None, -1e3, {}]}},
        {"source": [1, {}], "cell_type": "markdown"},
        {"source": [], "cell_type": "code"},
    ],
    "metadata": {"kernelspec": {"language": "python", "name": "any"}, "language_info": {"name": "python"}},
    "nbformat": 4,
}
OTHERS = '{}[]",:\\0x-.'
REFUSED = "is no notebook"


def is_notebook(text: str) -> bool:
    """Numbers and words are read over, whatever they are."""
    scalars = re.sub(r'("(?:\\.|[^"\\])*")|[^\s\[\]{},:"]+', lambda found: found[1] or "0", text)
    try:
        made = json.loads(scalars)
    except ValueError:
        return False
    cells = made.get("cells") if isinstance(made, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        return False
    sources = [cell["source"] for cell in cells if cell.get("cell_type") == "code" and "source" in cell]
    return all(
        isinstance(source, str) or (isinstance(source, list) and all(isinstance(piece, str) for piece in source))
        for source in sources
    )


def test_damaged_notebooks(cli: Any) -> None:
    text = json.dumps(NOTEBOOK)
    assert is_notebook(text)
    texts = [text, f"\ufeff{text}", f" {text}\n", f"{text}x", ""]
    texts += [text[:at] + text[at + 1 :] for at in range(len(text))]
    texts += [text[:at] + OTHERS[at % len(OTHERS)] + text[at + 1 :] for at in range(len(text))]
    texts += [text[:at] + OTHERS[(at + 5) % len(OTHERS)] + text[at:] for at in range(len(text))]
    texts += [
        text.replace(old, new, 1)
        for old in ("1.5", "true", "null", "{}", "[]", '"t"')
        for new in ("1", "{}", "[]", "tru", "-", '"')
    ]
    for number, one in enumerate(texts):
        cli.write(f"{number}.ipynb", one)
    told = cli("check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", ".").out
    refused = {row["path"] for row in map(json.loads, told.splitlines()) if REFUSED in row.get("message", "")}
    wrong = [one for number, one in enumerate(texts) if is_notebook(one) == (f"{number}.ipynb" in refused)]
    assert not wrong, (len(wrong), wrong[:5])
    assert 100 < len(refused) < len(texts) - 100
