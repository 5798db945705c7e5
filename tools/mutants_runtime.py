"""Whether the tests notice a decision of the runtime that is changed: `make mutants-runtime [N=100] [SEED=1]`.

Draws places of the modules that decide whether something may be mended: the facts, the proofs, the guards, the
self-check. A mutant is imported in place of its module, and no file of the working tree is changed. The tests
that run the changed statement (runtime_map.py) run up to the first that fails, those first that take little time and
run little else, and that noticed mutants of the module before: as many as end in SECONDS=120 without a mutant. A mutant
lives that none of them notices, or that no test runs. The first run measures the map, in about twenty minutes.

The process that runs this imports torch once, and forks for each mutant. That is why no mutmut and no cosmic-ray do
this: both start the tests of each mutant anew, which with torch takes longer than most of the tests do, and both write
the mutant into the working tree. Processes that a test starts have the runtime unchanged.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.machinery
import json
import os
import sys
import time
import types
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
from mutant_history import History, in_turns
from mutant_places import Place
from mutant_tests import Ended, Watcher, attend
from mutants import told, unnoticed
from python_places import draw
from runtime_map import OPTIONS, Finder, Map, Reach, module_of

ROOT = Path(__file__).parents[1]
RUNTIME = "python/graphmend/runtime"
LOG = ROOT / "build" / "mutants-runtime.log"
DECISIONS = [
    "analysis/*.py",
    "capture/assumption*.py",
    "capture/identity_guard.py",
    "capture/hoisted_tests.py",
    "capture/path_speculation.py",
    "capture/specialization.py",
    "driver/check_equality.py",
    "driver/guard_filter.py",
    "driver/observed_state.py",
    "driver/outcomes.py",
    "driver/retry_policy.py",
    "driver/self_check.py",
    "effects/finalizers.py",
    "effects/purity_watch.py",
    "passes/dead_code_that_raises.py",
]


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module with another text than its file has."""

    text = b""

    def get_data(self, path: str) -> bytes:
        return self.text if path == self.path else super().get_data(path)

    def get_code(self, fullname: str) -> types.CodeType:
        return self.source_to_code(self.text, self.path)


class Chosen(Watcher):
    """The plugin of the forked process: runs the chosen tests in their order, up to the first that fails."""

    def __init__(self, line: int, tests: list[str]) -> None:
        super().__init__(line)
        self.tests = tests

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = {item.nodeid: item for item in items}
        items[:] = [chosen[name] for name in self.tests if name in chosen]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        self.begin(item)


def in_child(place: Place | None, tests: list[str], line: int) -> int:
    """In the forked process: the runtime with the mutant, and the tests."""
    os.setsid()
    descriptor = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if place is not None:
        path = ROOT / place.path
        text = path.read_text()
        assert text[place.offset :].startswith(place.before)
        changed = Changed(module_of(place.path), str(path))
        changed.text = (text[: place.offset] + place.after + text[place.offset + len(place.before) :]).encode()
        sys.meta_path.insert(0, Finder({module_of(place.path): changed}))
    files = {name.partition("::")[0]: None for name in tests}
    return int(pytest.main([*OPTIONS, *files], plugins=[Chosen(line, tests)]))


def run_tests(place: Place | None, tests: dict[str, Reach]) -> Ended:
    """How the tests have ended; one that takes far longer than without a mutant has failed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os._exit(in_child(place, list(tests), writing))
        finally:
            os._exit(3)
    os.close(writing)
    try:
        return attend(child, reading, {name: 30 + 10 * reach.seconds for name, reach in tests.items()})
    finally:
        os.close(reading)


class Bench:
    """What mutants are tried on: the map, and what is known of the tests."""

    def __init__(self, folder: Path, names: list[str], seconds: float) -> None:
        self.map, self.seconds = Map(folder, names), seconds
        self.history = History(folder / "history.json")
        self.ignored: set[str] = set()

    def tests_of(self, place: Place) -> dict[str, Reach]:
        """The tests that run what is changed, the likeliest to notice first, as many as the seconds allow."""
        noticed = self.history.noticed(place.path)

        def rank(test: tuple[str, Reach]) -> float:
            name, reach = test
            return (reach.seconds + 0.05) * (len(reach.statements) + 100) / (1 + noticed[name])

        ranked = sorted(self.map.tests_of(place).items(), key=rank)
        first = [test for test in ranked if noticed[test[0]] > 0]
        others = {test[0]: test for test in ranked if noticed[test[0]] == 0}
        distances = {name: rank(test) for name, test in others.items()}
        chosen, left = {}, self.seconds
        for name, reach in [*first, *in_turns(others, distances)]:
            if name not in self.ignored and reach.seconds <= left:
                chosen[name] = reach
                left -= reach.seconds
        return chosen

    def try_mutant(self, place: Place) -> dict[str, object]:
        """Test up to the first failure that the mutant brings."""
        began, tests = time.monotonic(), self.tests_of(place)
        by = self.noticed_by(place, tests) if tests else ""
        seconds = round(time.monotonic() - began, 1)
        known = {**asdict(place), "tests": len(tests), "seconds": seconds}
        return {**known, "verdict": "noticed" if by else "lived", "by": by}

    def noticed_by(self, place: Place, tests: dict[str, Reach]) -> str:
        """The test that fails with the mutant and does not fail without, or ""."""
        while tests:
            ended = run_tests(place, tests)
            if not ended.how:
                return ""
            if not ended.test or not run_tests(None, {ended.test: tests[ended.test]}).how:
                self.history.add(place.path, ended.test)
                return f"{ended.test} {ended.how}"
            self.ignored.add(ended.test)
            names = list(tests)
            tests = {name: tests[name] for name in names[names.index(ended.test) + 1 :]}
        return ""


def import_once() -> None:
    """What the tests import, in the parent of all mutants."""
    sys.path[:0] = [str(ROOT / "tests")]
    for name in ("pytest", "hypothesis", "torch", "numpy", "jsonschema"):
        try:
            __import__(name)
        except ImportError:
            pass


def modules(only: list[str]) -> list[str]:
    """The modules that decide, below ONLY."""
    found = sorted({path for pattern in DECISIONS for path in (ROOT / RUNTIME).glob(pattern)})
    names = [path.relative_to(ROOT).as_posix() for path in found if path.name != "__init__.py"]
    return [name for name in names if name[len(RUNTIME) + 1 :].startswith(tuple(only))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="beginnings of modules below the runtime, such as analysis/")
    parser.add_argument("--seconds", type=float, default=120, help="of tests that one mutant meets")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    import_once()
    for name in ("torch._dynamo", "torch._functorch.aot_autograd", "torch.fx.experimental.symbolic_shapes"):
        importlib.import_module(name)  # most of the time of a test that is alone
    assert "graphmend" not in sys.modules
    reasons = unnoticed()
    bench = Bench(ROOT / "build" / "mutants-runtime", modules([""]), asked.seconds)
    rows: list[dict[str, object]] = []
    record = {"seed": asked.seed, "only": asked.only, "limit": asked.seconds, "rows": rows}
    for place in draw(ROOT, modules(asked.only.split() or [""]), asked.count, asked.seed):
        reason = reasons.get((place.path, place.function))
        known = {**asdict(place), "verdict": "not asked", "by": reason}
        row = known if reason else bench.try_mutant(place)
        rows.append(row)
        print(told(row), flush=True)
        if asked.json is not None:
            asked.json.write_text(json.dumps(record, indent=1) + "\n")
    counts = Counter(str(row["verdict"]) for row in rows)
    print(f"{counts['noticed']} of {counts['noticed'] + counts['lived']} noticed, {counts['not asked']} not asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
