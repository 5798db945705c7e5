"""How the time of `check`, `fix` and `meaning` grows with a file: CPU seconds at sizes up to 4 MB, and the exponent.

usage: growth.py [--only SHAPE...] [--most BYTES] [--json FILE]

A shape is measured at sizes that grow by four, and is done at the first that is refused, because it is beyond the
budget of work or no Python to us; the exponent is about what is below. It is taken over a factor of sixteen up to the
largest size that was not refused, from medians, and without the time in which the program starts. Exit status 1 when
the exponent of a shape is above the limit, or a program ends by a signal.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path

from growth_forms import FORMS
from growth_mixed import MIXED
from growth_more import MORE
from growth_shapes import MEANINGS, S

SHAPES = {**S, **MORE, **FORMS, **MIXED}

COMMANDS = {
    "check": ["check", "--all", "--isolated", "--no-cache", "--threads", "1", "--output-format", "json"],
    "fix": ["fix", "--all", "--unsafe", "--diff", "--isolated", "--threads", "1"],
    "mend": ["debug", "mend"],
}
MEANING = "meaning"  # the command of the shapes in MEANINGS
NOT_ANALYSED = b"too large, not analysed"
SECONDS, LIMIT, STEP, SPAN = 120, 1.2, 4, 16
NOTICEABLE = 0.2  # a shape that takes less is told, and not judged
LEAST = 0.01  # of the small size: below, the clock and the machine are what is measured
REPEATS = ((0.1, 7), (0.5, 3), (math.inf, 1))  # up to so many seconds, so many runs


@dataclass
class Run:
    """One size of a shape: the median of what it took, and how it ended."""

    size: int
    seconds: float
    megabytes: float
    refused: bool
    ended: bool


@dataclass
class Row:
    """One shape under one command."""

    shape: str
    command: str
    runs: list[Run] = field(default_factory=list)
    exponent: float | None = None
    steep: bool = False

    def judge(self) -> None:
        """The exponent over the sizes that were analysed."""
        sizes = {run.size: run.seconds for run in self.runs if not run.refused and not run.ended}
        noticed = [size for size, seconds in sizes.items() if seconds >= LEAST]
        if len(noticed) > 1:
            large = max(noticed)
            small = min(size for size in noticed if size * SPAN >= large)
            if small < large:
                self.exponent = round(math.log(sizes[large] / sizes[small]) / math.log(large / small), 2)
                self.steep = self.exponent > LIMIT and sizes[large] > NOTICEABLE
        self.steep = self.steep or any(run.ended for run in self.runs)


def limit() -> None:
    """What a program may take."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def run_once(command: list[str], size: int = 0) -> Run:
    """CPU seconds and memory, whether the file was too large or no Python, whether a signal ended the program.

    Of user and system together: the clock tells them apart too coarsely for small files.
    """
    with tempfile.TemporaryFile() as words:
        child = subprocess.Popen(command, stdout=words, stderr=words, preexec_fn=limit)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        words.seek(0)
        refused = child.returncode == 2 or NOT_ANALYSED in words.read()
    return Run(size, usage.ru_utime + usage.ru_stime, round(usage.ru_maxrss / 1024, 1), refused, child.returncode < 0)


def median_of(command: list[str], size: int = 0, start: float = 0.0) -> Run:
    """The same with the median of as many runs as the first one allows, less the time in which the program starts."""
    first = run_once(command, size)
    repeats = next(count for most, count in REPEATS if first.seconds < most)
    seconds = [first.seconds, *(run_once(command).seconds for _ in range(repeats - 1))]
    first.seconds = round(max(0.0, statistics.median(seconds) - start), 4)
    return first


def measure(executable: str, name: str, command: str, most: int, folder: Path, start: float) -> Row:
    """All sizes of a shape under a command, from sixty-fourths of the largest."""
    shape = SHAPES.get(name) or MEANINGS[name]
    unit = max(1.0, (len(shape(1100)) - len(shape(100))) / 1000)
    path = folder / "shape.py"
    row = Row(name, command)
    size = most // STEP**4
    while size <= most and not (row.runs and (row.runs[-1].refused or row.runs[-1].ended)):
        path.write_text(shape(int(size / unit)), encoding="latin-1")
        words = [MEANING, f"{path}:X"] if command == MEANING else [*COMMANDS[command], str(path)]
        row.runs.append(median_of([executable, *words], size, start))
        size *= STEP
    row.judge()
    return row


def told(row: Row) -> str:
    last = row.runs[-1]
    word = "ENDED" if last.ended else "STEEP" if row.steep else "refused" if last.refused else ""
    seconds = " ".join(f"{run.seconds:.3f}" for run in row.runs)
    return f"{row.shape:16} {row.command:6} {seconds:36} {row.exponent or '-':>5} {word}"


def main() -> int:
    """All shapes, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[*SHAPES, *MEANINGS])
    parser.add_argument("--most", type=int, default=4_000_000)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    executable = shutil.which("graphmend", path=str(Path(sys.executable).parent)) or "graphmend"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty.py"
        empty.write_text("")
        starts = {MEANING: median_of([executable, MEANING, str(empty)]).seconds}
        starts |= {name: median_of([executable, *words, str(empty)]).seconds for name, words in COMMANDS.items()}
        for name in asked.only:
            for command in COMMANDS if name in SHAPES else [MEANING]:
                rows.append(measure(executable, name, command, asked.most, Path(folder), starts[command]))
                print(told(rows[-1]), flush=True)
                if asked.json is not None:  # each time: whoever ends a run keeps what it has measured
                    record = {"most": asked.most, "rows": [asdict(row) for row in rows]}
                    asked.json.write_text(json.dumps(record, indent=1) + "\n")
    steep = [row for row in rows if row.steep]
    print(f"{len(asked.only)} shapes, {len(steep)} of {len(rows)} rows above {LIMIT}")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
