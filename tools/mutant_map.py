"""Which tests run a line of the core, with their seconds: a mutant meets those that run the statement that it changes.

The map lies beside the builds, by file of tests. A file is measured again when it or what it shares with others has
changed, and all are when the core or a test program in C has. A test that fails without a mutant, such as one that
needs the sanitizers, notices nothing and is left out.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import pytest
from mutant_build import ROOT, SOURCES, digest_of, programs_of
from mutant_lines import Lines, blocks_of
from mutant_places import Place, functions_of, hide
from mutant_tests import Suite, Watcher, caches, used

MARK = re.compile(b"\1")
LABEL = re.compile(r"\b(?:case\b[^:?]*|default\s*):")
LONGEST = 900.0  # seconds of a test of the marking core


@dataclass(frozen=True)
class Reach:
    """What a test runs: the bits of lines, and how many they are."""

    seconds: float
    lines: int
    size: int


class Marks:
    """The files in which programs have marked what has run."""

    def __init__(self, marking: Path, source: Path, kept: Path) -> None:
        programs = programs_of(marking)
        if not kept.exists():
            lines = Lines()
            blocks = [list(blocks_of(path, source, lines).items()) for path in programs]
            kept.write_text(json.dumps([list(lines.numbers), blocks]))
        numbers, found = json.loads(kept.read_text())
        self.numbers = {(path, line): number for number, (path, line) in enumerate(numbers)}
        self.blocks = {marking / "hits" / path.name: dict(blocks) for path, blocks in zip(programs, found)}

    def take(self) -> int:
        """The lines that have run since they were asked for."""
        bits = bytearray(len(self.numbers) // 8 + 1)
        for path, blocks in self.blocks.items():
            if not path.exists():
                continue
            first, last = min(blocks), max(blocks)
            with path.open("r+b") as file:
                file.seek(first)
                data = file.read(last - first + 1)
                for found in MARK.finditer(data):
                    for number in blocks.get(found.start() + first, ()):
                        bits[number >> 3] |= 1 << (number & 7)
                file.seek(first)
                file.write(bytes(len(data)))
        return int.from_bytes(bits, "little")


class Recorder(Watcher):
    """Writes what each test runs, and its seconds; -1 for one that fails."""

    def __init__(self, line: int, marks: Marks, path: Path) -> None:
        super().__init__(line)
        self.marks, self.path, self.caches = marks, path, caches()

    def begin(self, item: pytest.Item) -> None:
        super().begin(item)
        for cache in self.caches:
            cache.cache_clear()
        self.marks.take()
        self.nodeid, self.good, self.began = item.nodeid, True, used()

    def failed(self, report: pytest.TestReport) -> None:
        self.good = False

    def end(self) -> None:
        seconds = used() - self.began if self.good else -1
        with self.path.open("a") as file:
            file.write(json.dumps([self.nodeid, seconds, f"{self.marks.take():x}"]) + "\n")


def read(path: Path) -> dict[str, Reach]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {name: Reach(seconds, int(bits, 16), bin(int(bits, 16)).count("1")) for name, seconds, bits in rows}


def measure(tests: list[pytest.Item], suite: Suite, marking: Path, marks: Marks, path: Path) -> None:
    """What each test of a file runs."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    while tests:
        ended = suite.run(
            [(test, LONGEST) for test in tests], marking, math.inf, lambda line: Recorder(line, marks, part)
        )
        if not ended.test:
            break
        with part.open("a") as file:
            file.write(json.dumps([ended.test, -1, "0"]) + "\n")
        tests = tests[[test.nodeid for test in tests].index(ended.test) + 1 :]
    part.rename(path)


def beside(path: Path) -> list[Path]:
    """A file of tests, and what lies beside it and is none; what tests state changes nothing that they run."""
    others = (other for other in sorted(path.parent.iterdir()) if not other.name.startswith(("test_", "__", "stated")))
    return [path, *others]


class Map:
    """What each test runs, and which tests run what a mutant changes."""

    def __init__(self, suite: Suite, folder: Path) -> None:
        self.source = folder
        self.reach: dict[str, Reach] = {}
        kept = folder / "map"
        kept.mkdir(exist_ok=True)
        files: dict[Path, list[pytest.Item]] = defaultdict(list)
        for item in suite.items:
            files[item.path].append(item)
        core = digest_of([folder / name for name in SOURCES])
        self.marks = Marks(folder / "marking", folder, kept / f"{core[:20]}.json")
        for path, tests in files.items():
            there = kept / f"{path.parent.name}-{path.stem}-{core[:20]}-{digest_of(beside(path))[:20]}.jsonl"
            if not there.exists():
                began = time.monotonic()
                measure(tests, suite, folder / "marking", self.marks, there)
                print(f"{path.relative_to(ROOT)}: {len(tests)} tests, {time.monotonic() - began:.0f} s", flush=True)
            self.reach.update(read(there))
        self.items = {item.nodeid: item for item in suite.items}

    def bits(self, path: str, first: int, last: int) -> int:
        numbers = [self.marks.numbers.get((path, line)) for line in range(first, last + 1)]
        return sum(1 << number for number in numbers if number is not None)

    def lines_of(self, place: Place) -> int:
        """The lines of the statement that a place stands in; those of its function where the statement has no code."""
        text = (self.source / place.path).read_text()
        first, last = statement(hide(text), place)
        own = self.bits(place.path, first, last) if first else 0
        return own or self.bits(place.path, *function(hide(text), place.offset))

    def tests_of(self, place: Place) -> dict[pytest.Item, Reach]:
        """The tests that run what a place changes."""
        lines = self.lines_of(place)
        return {item: reach for item, reach in self.whole().items() if reach.lines & lines}

    def whole(self) -> dict[pytest.Item, Reach]:
        """All tests that do not fail without a mutant."""
        good = ((name, reach) for name, reach in self.reach.items() if reach.seconds >= 0)
        return {self.items[name]: reach for name, reach in good if name in self.items}


def line_at(code: str, offset: int) -> int:
    return code.count("\n", 0, offset) + 1


def function(code: str, offset: int) -> tuple[int, int]:
    """The first and the last line of the function around an offset."""
    start, end = next((start, end) for start, end, _ in functions_of(code) if start <= offset < end)
    return line_at(code, start), line_at(code, end)


def statement(code: str, place: Place) -> tuple[int, int]:
    """The first and the last line of a statement; 0 for a label of a `switch`, which steers all that is beside it."""
    ends = ";{}"
    start, end = place.offset, place.offset + len(place.before)
    if place.operator in ("call", "break", "return"):
        return line_at(code, start), line_at(code, end)
    while code[start - 1] not in ends:
        start -= 1
    while code[end] not in ends:
        end += 1
    labels = list(LABEL.finditer(code, start, place.offset))
    start = labels[-1].end() if labels else start
    text = code[start:end]
    if re.search(r"\b(?:case|for)\b", text) or text.count("(") != text.count(")"):
        return 0, 0
    start += len(code[start:end]) - len(code[start:end].lstrip())
    return line_at(code, start), line_at(code, end)
