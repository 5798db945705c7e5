"""The memory of `check` and `fix` is bounded by the length of the file; the operating system keeps the bound."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_shapes import S as SHAPES  # noqa: E402

SIZE = 2_000_000
FREE, PER_BYTE, PROGRAM = 160 << 20, 48, 64 << 20  # the last is for the program, its libraries and its stack
TEXTS = {name: SHAPES[name] for name in ("one_line", "dups", "item_ifs", "lambda", "break", "cmp", "items", "lines")}
TEXTS["definitions"] = lambda n: "def f():a\n" * n
TEXTS["lambdas"] = lambda n: "lambda:0," * n + "\n"
TEXTS["errors"] = lambda n: "?\n" * n
COMMANDS = {
    "full": ["check", "--all"],
    "sarif": ["check", "--all", "--output-format", "sarif"],
    "ignore": ["check", "--all", "--add-ignore"],
    "baseline": ["check", "--all", "--write-baseline", "list.json"],
    "fix": ["fix", "--all", "--unsafe", "--diff"],
}


def long_text(name: str, size: int = SIZE) -> str:
    make = TEXTS[name]
    unit = max(1.0, (len(make(1100)) - len(make(100))) / 1000)
    return make(int(size / unit))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", TEXTS)
def test_a_file_is_done_or_told_within_its_memory(
    executable: str, limited: str, tmp_path: Path, name: str, command: str
) -> None:
    """Without sanitizers under the limit, and a tenth of it under the sanitizers."""
    for program, size in ((limited, SIZE), (executable, SIZE // 10)):
        text = long_text(name, size)
        (tmp_path / "a.py").write_text(text)
        words = [program, *COMMANDS[command], "--isolated", "--threads", "1", "a.py"]
        most = FREE + PER_BYTE * len(text) + PROGRAM
        ran = run(words, folder=tmp_path, megabytes=most >> 20)
        assert ran.returncode in (0, 1, 2) and "memory" not in ran.stderr.replace("work or memory", ""), ran.stderr


def test_a_notebook_is_told_within_its_memory(limited: str, tmp_path: Path) -> None:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "source": long_text("one_line"),
        "outputs": [],
        "execution_count": None,
    }
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    (tmp_path / "a.ipynb").write_text(text)
    most = FREE + PER_BYTE * len(text) + PROGRAM
    ran = run(
        [limited, "check", "--all", "--isolated", "--threads", "1", "a.ipynb"], folder=tmp_path, megabytes=most >> 20
    )
    assert ran.returncode == 0 and "too large, not analysed" in ran.stdout


def test_findings_that_fit_are_told(executable: str, tmp_path: Path) -> None:
    """The bound is far above what a file of ordinary density takes."""
    (tmp_path / "a.py").write_text(SHAPES["prints"](20_000))
    ran = run(
        [executable, "check", "--all", "--isolated", "--no-cache", "--output-format", "json", "a.py"], folder=tmp_path
    )
    (file,) = json.loads(ran.stdout)
    assert len(file["findings"]) == 20_000
