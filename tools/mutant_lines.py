"""Which lines of src run in a test: a core that marks what runs (mutant_probe.c), and the lines of its marks.

The compiler calls the probe at the start of each basic block. A line of the source has run where a block has that
holds one of its instructions: the last call of the probe before the instruction, for nothing is optimized.
"""

from __future__ import annotations

import re
import subprocess
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path

CALL = re.compile(r"^ *([0-9a-f]+):\s.*\bcall.*<__sanitizer_cov_trace_pc>")
NEXT = re.compile(r"^ *([0-9a-f]+):\s")
ROW = re.compile(r"^(\S+\.[ch])\s+(\d+)\s+(0x[0-9a-f]+)", re.M)


class Lines:
    """Numbers of the lines of src that have code, whatever program they stand in."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[str, int], int] = {}

    def number(self, path: str, line: int) -> int:
        return self.numbers.setdefault((path, line), len(self.numbers))


def calls_of(program: Path) -> list[tuple[int, int]]:
    """Where each call of the probe begins and where it returns to."""
    command = ["objdump", "-d", "--no-show-raw-insn", str(program)]
    calls, began = [], -1
    for text in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if began >= 0 and (following := NEXT.match(text)):
            calls.append((began, int(following.group(1), 16)))
            began = -1
        if found := CALL.match(text):
            began = int(found.group(1), 16)
    return calls


def rows_of(program: Path, folder: Path) -> list[tuple[int, str, int]]:
    """Address, file and line of each row of the table of lines that is of a C source.

    objdump knows the line, and the file without its folder; addr2line knows the folder, and takes lines of headers for
    lines of the source that includes them.
    """
    table = ["objdump", "--dwarf=decodedline", str(program)]
    rows = ROW.findall(subprocess.run(table, check=True, capture_output=True, text=True).stdout)
    asked = "\n".join(address for _, _, address in rows)
    command = ["addr2line", "-e", str(program)]
    places = subprocess.run(command, check=True, capture_output=True, text=True, input=asked).stdout.splitlines()
    paths = [place.rpartition(":")[0].removeprefix(f"{folder}/") for place in places]
    found = [(int(address, 16), path, int(line), name) for (name, line, address), path in zip(rows, paths)]
    return [(address, path, line) for address, path, line, name in found if path.endswith(f"/{name}")]


def blocks_of(program: Path, folder: Path, lines: Lines) -> dict[int, list[int]]:
    """The numbers of the lines of each block, by the address that its call of the probe returns to."""
    calls = calls_of(program)
    starts = [start for start, _ in calls]
    found: dict[int, set[int]] = defaultdict(set)
    for address, path, line in rows_of(program, folder):
        if path.startswith("src/") and (at := bisect_right(starts, address)) > 0:
            found[calls[at - 1][1]].add(lines.number(path, line))
    return {address: sorted(numbers) for address, numbers in found.items()}
