"""Functions that compiled code takes out of a table of the module and calls are part of what `check` reports on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

FUNCTIONS = "import torch\n\n\n" + "\n\n\n".join(
    f"def {name}(x):\n    if x.sum() > 0:\n        return x + 1\n    return x" for name in ("one", "two", "three")
)
TABLES = {
    "dict": "TABLE = {'a': one, 'b': two}",
    "list": "TABLE = [one, two]",
    "tuple": "TABLE = (one, two)",
    "annotated": "TABLE: dict = {'a': one, 'b': two}",
}
OTHER = "OTHER = {'c': three}"


@pytest.mark.parametrize("table", TABLES)
def test_items_that_are_called(executable: str, tmp_path: Path, table: str) -> None:
    run = "@torch.compile\ndef run(x: torch.Tensor, key):\n    return TABLE[key](x)\n"
    path = tmp_path / "tables.py"
    path.write_text("\n\n\n".join((FUNCTIONS, TABLES[table], OTHER, run)))
    command = [executable, "check", "--isolated", "--no-cache", "--output-format", "concise", path.name]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    lines = [int(line) for line in re.findall(r"^tables.py:(\d+):", told, re.MULTILINE)]
    assert lines == [5, 11], told  # in `one` and `two`, and not in `three`
