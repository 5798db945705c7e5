"""What `check` says of many small programs, as a text: for each row of a matrix its columns by what is said.

The programs of a row stand in one file, behind its head, one for each column; lines are counted from their own first.
"""

from __future__ import annotations

import json
import subprocess
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path
from typing import Callable

Write = Callable[[str, str, int], str]


def told(executable: str, folder: Path, files: list[list[str]], *options: str, why: str = "reason") -> list[list[str]]:
    """What is said of each piece of each file: codes with their lines, whether and how they are mended, or why not."""
    starts = []
    for number, pieces in enumerate(files):
        text = "".join(pieces)
        compile(text, f"{number}.py", "exec")
        (folder / f"{number}.py").write_text(text, encoding="utf-8")
        ends = [0]
        for piece in pieces:
            assert piece.endswith("\n")
            ends.append(ends[-1] + piece.count("\n"))
        starts.append(ends)
    command = [
        executable,
        "check",
        "--no-cache",
        "--isolated",
        "--exit-zero",
        "--output-format",
        "json-lines",
        *options,
        ".",
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    for line in done.stdout.splitlines():
        one = json.loads(line)
        number = int(Path(one["path"]).stem)
        piece = bisect_right(starts[number], one["line"] - 1) - 1
        mends = ("+" if one["run"] else "") + {"no": "", "safe": "!", "assumes": "?"}[one["fix"]]
        reason = f" ({one[why]})" if one[why] else ""
        found[number, piece].append(f"{one['line'] - starts[number][piece]}:{one['code']}{mends}{reason}")
    return [[" ".join(found[number, piece]) for piece in range(len(pieces))] for number, pieces in enumerate(files)]


def matrix(
    executable: str,
    folder: Path,
    head: str,
    rows: list[str],
    columns: list[str],
    write: Write,
    *options: str,
    why: str = "reason",
) -> str:
    """For rows of which the same is said their columns, by what is said; `write` knows the number of the column.

    `why` is the member of a finding that says why it is not mended.
    """
    files = [[head, *(write(row, column, number) for number, column in enumerate(columns))] for row in rows]
    blocks: dict[str, list[str]] = defaultdict(list)
    for row, (of_head, *said) in zip(rows, told(executable, folder, files, *options, why=why)):
        by: dict[str, list[str]] = defaultdict(list)
        for column, words in zip(columns, said):
            by[words or "nothing"].append(" / ".join(column.splitlines()))
        if of_head:
            by[of_head].append("the head")
        blocks["".join(f"  {words}: {'  |  '.join(some)}\n" for words, some in by.items())].append(row)
    return "".join("".join(f"{row}\n" for row in same) + block for block, same in blocks.items())
