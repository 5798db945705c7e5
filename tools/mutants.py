"""Whether the tests of the core notice a place of it that is changed: `make mutants [N=200] [SEED=1] [ONLY=src/flow]`.

`make mutants EACH=10` draws so many of every folder; `make mutants AGAIN=1` tries those again that lived in the last
drawing, and `WHOLE=1` takes all tests in place of those that run what is changed. A drawing is build/mutants.json,
which `make results` tells; what AGAIN=1 finds is build/mutants-again.json, for tests were written for what lived.

Draws places of `src`, builds each mutant beside the working tree, incrementally, with assertions on and the bounds of
arrays checked, and runs the tests that run the changed statement (mutant_map.py), up to the first that fails: tests
that noticed a mutant of the folder before (mutant_history.py), then those that hold whole texts, then the others; those
first that take little time and run little else, and functions in turns. A mutant lives that no test runs, or that no
test has noticed in SECONDS=600, of which no test takes more than half. One with which a test takes far longer than
without is noticed. One that does not build counts as none, and so does one in a function of
tools/mutants_unnoticed.txt, where nothing can be noticed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from mutant_build import CHECKED, ROOT, build, build_marking, configure, copy_sources, keep_whole
from mutant_history import History, in_turns
from mutant_map import Map, Reach
from mutant_places import Place, draw, draw_each, places_of
from mutant_tests import Suite, collect, spent

HANGING = 600.0
UNNOTICED = Path(__file__).with_name("mutants_unnoticed.txt")


class Bench:
    """What mutants are tried on: the builds, the tests, and what is known of both."""

    def __init__(self, suite: Suite, folder: Path, whole: bool, seconds: float) -> None:
        self.suite, self.folder, self.whole, self.seconds = suite, folder, whole, seconds
        self.map = Map(suite, folder)
        self.history = History(folder / "history.json")
        self.ignored: set[str] = set()

    def try_mutant(self, place: Place) -> dict[str, object]:
        """Write, build, test, and put back."""
        began, tests = time.monotonic(), self.tests_of(place)
        path = self.folder / place.path
        text = path.read_text()
        assert text[place.offset :].startswith(place.before)
        path.write_text(text[: place.offset] + place.after + text[place.offset + len(place.before) :])
        try:
            built = build(self.folder / "build")
            by = self.noticed_by(place, tests) if built else ""
        finally:
            path.write_text(text)
        verdict = "no program" if not built else "noticed" if by else "lived"
        seconds = round(time.monotonic() - began, 1)
        return {**asdict(place), "verdict": verdict, "by": by, "tests": len(tests), "seconds": seconds}

    def tests_of(self, place: Place) -> list[tuple[pytest.Item, float]]:
        """The tests to run, the likeliest to notice first, and the seconds that each may take."""
        reached = self.map.whole() if self.whole else self.map.tests_of(place)
        noticed = self.history.noticed(place.path.split("/")[1])

        def rank(test: tuple[pytest.Item, Reach]) -> float:
            item, reach = test
            return (reach.seconds + 0.01) * (reach.size + 100) / (1 + noticed[item.nodeid])

        short = [(item, reach) for item, reach in reached.items() if reach.seconds < self.seconds / 2]
        ranked = [test for test in sorted(short, key=rank) if test[0].nodeid not in self.ignored]
        groups: list[dict[str, tuple[pytest.Item, Reach]]] = [{}, {}, {}]
        for test in ranked:
            name = test[0].nodeid
            groups[0 if noticed[name] else 1 if holds_whole_texts(test[0]) else 2][name] = test
        ordered = [*groups[0].values(), *in_turns(groups[1]), *in_turns(groups[2])]
        return [(item, 12 + 10 * reach.seconds) for item, reach in ordered]

    def noticed_by(self, place: Place, tests: list[tuple[pytest.Item, float]]) -> str:
        """The test that fails with the mutant and does not fail without, or ""."""
        end = spent() + self.seconds
        while tests:
            ended = self.suite.run(tests, self.folder / "build", end)
            if not ended.test:
                break
            at = [item.nodeid for item, _ in tests].index(ended.test)
            if not self.suite.run([tests[at]], self.folder / "whole", end + HANGING).test:
                self.history.add(place.path.split("/")[1], ended.test)
                return f"{ended.test} {ended.how}"
            self.ignored.add(ended.test)
            tests = tests[at + 1 :]
        return ""


def holds_whole_texts(item: pytest.Item) -> bool:
    """Whether a test compares with a text in a file (tests/stated_texts.py)."""
    return "stated" in item.nodeid or hasattr(getattr(item, "module", None), "hold")


def unnoticed() -> dict[tuple[str, str], str]:
    """Reasons by file and function."""
    found = {}
    for line in UNNOTICED.read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, reason = line.partition(": ")
            path, function = place.split()
            found[path, function] = reason
    return found


def drawn(folder: Path, asked: argparse.Namespace) -> list[Place]:
    only = asked.only.split()
    if not asked.each:
        return draw(folder, only, asked.count, asked.seed)
    folders = [path for path in sorted(folder.glob("src/*/")) if f"{path.relative_to(folder)}".startswith(tuple(only))]
    return draw_each(folder, [f"{path.relative_to(folder)}/" for path in folders], asked.each, asked.seed)


def lived(folder: Path, path: Path) -> list[Place]:
    """The places of a record that lived, where they stand now: those that are gone are told, and left out."""
    found = []
    for row in json.loads(path.read_text())["rows"]:
        if row["verdict"] == "lived":
            place = moved(folder, Place(*(row[name] for name in Place.__annotations__)))
            found += [place] if place is not None else []
            if place is None:
                print(f"gone       {told(row)}")
    return found


def moved(folder: Path, place: Place) -> Place | None:
    """The place, or the closest one in its function with the same change."""
    path = folder / place.path
    same = [
        one
        for one in (places_of(path, place.path) if path.exists() else [])
        if (one.function, one.operator, one.before, one.after)
        == (place.function, place.operator, place.before, place.after)
    ]
    return min(same, key=lambda one: abs(one.offset - place.offset), default=None)


def told(row: dict[str, object]) -> str:
    change = f"{row['before']} -> {row['after']}".replace("\n", " ")
    place = f"{row['path']}:{row['line']} {row['function']}"
    return f"{row['verdict']:10} {place} {row['operator']}: {change[:90]} {row['by']}"


def run(asked: argparse.Namespace, suite: Suite) -> None:
    """Try the places that are drawn, and write what comes out as it comes."""
    folder = asked.folder.resolve()
    bench = Bench(suite, folder, asked.whole, asked.seconds)
    reasons = unnoticed()
    record: dict[str, Any] = {
        "seed": asked.seed,
        "only": asked.only,
        "each": asked.each,
        "limit": asked.seconds,
        "rows": [],
    }
    places = lived(folder, asked.again) if asked.again else drawn(folder, asked)
    record["again"] = asked.again is not None
    rows = {place_of(row): row for row in record["rows"]}
    for place in places:
        reason = reasons.get((place.path, place.function))
        known = {**asdict(place), "verdict": "not asked", "by": reason}
        row = known if reason else bench.try_mutant(place)
        rows[place_of(row)] = row
        print(told(row), flush=True)
        if asked.json is not None:
            asked.json.write_text(json.dumps({**record, "rows": list(rows.values())}, indent=1) + "\n")
    counts = Counter(str(row["verdict"]) for row in rows.values())
    tried = counts["noticed"] + counts["lived"]
    print(f"{counts['noticed']} of {tried} noticed, {counts['no program']} no program, {counts['not asked']} not asked")


def place_of(row: dict[str, Any]) -> tuple[object, ...]:
    return row["path"], row["offset"], row["after"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="src/")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--each", type=int, default=0, help="so many of every folder, in turn, in place of --count")
    parser.add_argument("--again", type=Path, help="those that lived in the run that this file has")
    parser.add_argument("--whole", action="store_true", help="all tests, in place of those that run the statement")
    parser.add_argument("--seconds", type=float, default=600, help="for the tests of one mutant")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    copy_sources(folder)
    configure(folder, folder / "build", CHECKED)
    if not build(folder / "build") or not build_marking(folder):
        print("mutants: the core does not build", file=sys.stderr)
        return 2
    keep_whole(folder)
    return collect(lambda suite: run(asked, suite))


if __name__ == "__main__":
    sys.exit(main())
