"""Whether the tests of the core notice a place of it that is changed: `make mutants [N=200] [SEED=1] [ONLY=src/flow]`.

`make mutants EACH=10` draws so many of every folder.

Draws places of `src`, builds each mutant beside the working tree, incrementally and with assertions on, and runs the
tests of the folder that it changes, then those of the others, up to the first that fails. A mutant that does not build
counts as none, and so does one in a function of tools/mutants_unnoticed.txt, where nothing can be noticed. One that
takes longer than the limit of time is noticed.

The process that runs this imports what tests import (torch above all) once, and forks for each mutant. Tests that
noticed a mutant of the folder before run first (mutant_history.py).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from mutant_history import History, Order
from mutant_places import Place, draw, draw_each

ROOT = Path(__file__).parents[1]
UNNOTICED = Path(__file__).with_name("mutants_unnoticed.txt")
SECONDS, MEMORY = 900, 24 << 30
FLOW = ["tests/values/test_stated.py", "tests/values", "tests/flow"]
RULES = [
    "tests/rules/test_stated_findings.py",
    "tests/rules/test_stated_forms.py",
    "tests/rules/test_rules.py",
    "tests/rules/test_break_advice.py",
]
FIX = [
    "tests/fix/test_selections.py",
    "tests/fix/test_edits.py",
    "tests/fix/test_cases.py",
    "tests/fix/test_command.py",
]
SYNTAX = [
    "tests/syntax/test_messages.py",
    "tests/syntax/test_dump.py",
    "tests/syntax/test_symbols.py",
    "tests/syntax/test_encodings.py",
]
CLI = ["tests/cli", "tests/threats"]
MEANING = ["tests/meaning/test_reader.py", "tests/meaning/test_source.py"]
SERVER = ["tests/server"]
STATED = ["tests/rules/test_stated_findings.py", "tests/rules/test_stated_forms.py", "tests/values/test_stated.py"]
TEXTS = ["tests/pipeline/test_texts_of_conditions.py"]
# The tests of a folder's room, and others that see the folder: the likeliest to notice come first.
TESTS = {
    "base": (SYNTAX, [*CLI, *FLOW, *RULES, *FIX]),
    "syntax": (SYNTAX, [*RULES, *FIX, *FLOW, *CLI]),
    "flow": (FLOW, [*RULES, *FIX, *CLI, *SYNTAX]),
    "values": (FLOW, [*RULES, *FIX, *CLI]),
    "analysis": ([*RULES, *STATED], [*FIX, *FLOW, *CLI]),
    "rules": ([*RULES, *STATED], [*FIX, *FLOW, *CLI]),
    "mend": ([*TEXTS, *FIX, *STATED], [*RULES, *CLI, *FLOW]),
    "driver": (CLI, [*FIX, *RULES]),
    "report": (CLI, [*FIX, *RULES]),
    "meaning": (MEANING, CLI),
    "api": (RULES, [*MEANING, *CLI]),
    "cli": (CLI, [*FIX, *FLOW, *SYNTAX]),
    "server": (SERVER, CLI),
}
LAST = ["tests/pipeline", "tests/c"]
# Programs that are compared with torch take minutes, and say nothing of the core that the listed mends do not say.
LEFT_OUT = "not test_plain_program and not test_mended_program"


def copy_changed(source: str, target: str) -> str:
    """Copy a file that differs, with the time of now: a run that was ended leaves its last mutant behind."""
    there = Path(target)
    if not there.exists() or there.read_bytes() != Path(source).read_bytes():
        shutil.copyfile(source, target)
    return target


def copy_sources(folder: Path) -> None:
    """What the build needs, beside the working tree, and nothing that is gone there."""
    for name in ("src", "include", "data", "tests/c"):
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, copy_function=copy_changed)
        for path in [path for path in (folder / name).rglob("*") if path.is_file()]:
            if not (ROOT / path.relative_to(folder)).exists():
                path.unlink()
    copy_changed(str(ROOT / "CMakeLists.txt"), str(folder / "CMakeLists.txt"))


TARGETS = ["graphmend", "graphmend-cli", "gm-edits"]


def configure(folder: Path) -> None:
    flags = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DGM_TESTS=ON"]
    command = ["cmake", "-S", str(folder), "-B", str(folder / "build"), *flags]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def build(folder: Path) -> bool:
    """Whether the programs and the library build."""
    command = ["cmake", "--build", str(folder / "build"), "--parallel", "2", "--target", *TARGETS]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def keep_whole(folder: Path) -> None:
    """The programs and the library without a mutant, beside those that change."""
    (folder / "whole").mkdir(exist_ok=True)
    for name in ("graphmend", "gm-edits", "libgraphmend.so"):
        shutil.copy2(folder / "build" / name, folder / "whole" / name)


def run_tests(options: list[str], built: Path, log: Path, order: Order | None) -> int:
    """In the child: what pytest is asked for."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ["GRAPHMEND_BUILD"] = str(built)
    os.environ["GRAPHMEND_LIBRARY"] = str(built / "libgraphmend.so")
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    import pytest

    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", "-k", LEFT_OUT]
    return int(pytest.main([*quiet, *options], plugins=[order] if order else []))


def wait_for(child: int, seconds: float) -> int:
    """The child's status; 124 where it took too long, and is killed with all that it started."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 124


def status_of(options: list[str], built: Path, log: Path, order: Order | None = None) -> int:
    child = os.fork()
    if child == 0:
        try:
            os._exit(run_tests(options, built, log, order))
        finally:
            os._exit(3)
    return wait_for(child, SECONDS)


def failed_in(log: Path) -> list[str]:
    lines = log.read_text(errors="replace").splitlines()
    return [line for line in lines if line.startswith(("FAILED", "ERROR"))]


def fails_anyway(test: str, folder: Path) -> bool:
    """Whether a test fails without a mutant too, such as one that needs the sanitizers: it notices nothing."""
    return status_of([test], folder / "whole", folder / "log.alone") != 0


def noticed_by(place: Place, folder: Path, ignored: set[str], history: History) -> str:
    """The test that fails, or "". The tests of the room are collected alone: most mutants need no others."""
    name = place.path.split("/")[1]
    room, others = TESTS[name]
    for some in (room, [*others, *LAST]):
        while by := failing(some, folder, ignored, history.order(name)):
            test = by.split()[1]
            if "::" not in test or not fails_anyway(test, folder):
                history.add(name, test)
                return by
            ignored.add(test)
    return ""


def failing(tests: list[str], folder: Path, ignored: set[str], order: Order) -> str:
    """The first test that fails, or ""."""
    options = ["-x", *(f"--deselect={test}" for test in sorted(ignored))]
    status = status_of([*options, *tests], folder / "build", folder / "log", order)
    failed = failed_in(folder / "log")
    return "" if status in (0, 5) else failed[0] if failed else f"status {status}"


def try_mutant(place: Place, folder: Path, ignored: set[str], history: History) -> dict[str, object]:
    """Write, build, test, and put back."""
    path = folder / place.path
    text = path.read_text()
    assert text[place.offset :].startswith(place.before)
    path.write_text(text[: place.offset] + place.after + text[place.offset + len(place.before) :])
    try:
        built = build(folder)
        by = noticed_by(place, folder, ignored, history) if built else ""
    finally:
        path.write_text(text)
    verdict = "no program" if not built else "noticed" if by else "lived"
    return {**asdict(place), "verdict": verdict, "by": by}


def unnoticed() -> dict[tuple[str, str], str]:
    """Reasons by file and function."""
    found = {}
    for line in UNNOTICED.read_text().splitlines():
        if line and not line.startswith("#"):
            place, _, reason = line.partition(": ")
            path, function = place.split()
            found[path, function] = reason
    return found


def import_once() -> None:
    """What the tests import, in the parent of all mutants."""
    sys.path[:0] = [str(ROOT / "tests")]
    for name in ("pytest", "hypothesis", "torch", "numpy", "jsonschema"):
        try:
            __import__(name)
        except ImportError:
            pass


def drawn(folder: Path, asked: argparse.Namespace) -> list[Place]:
    only = asked.only.split()
    if not asked.each:
        return draw(folder, only, asked.count, asked.seed)
    folders = [path for path in sorted(folder.glob("src/*/")) if f"{path.relative_to(folder)}".startswith(tuple(only))]
    return draw_each(folder, [f"{path.relative_to(folder)}/" for path in folders], asked.each, asked.seed)


def told(row: dict[str, object]) -> str:
    change = f"{row['before']} -> {row['after']}".replace("\n", " ")
    place = f"{row['path']}:{row['line']} {row['function']}"
    return f"{row['verdict']:10} {place} {row['operator']}: {change[:90]} {row['by']}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="src/")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--each", type=int, default=0, help="so many of every folder, in turn, in place of --count")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    copy_sources(folder)
    configure(folder)
    if not build(folder):
        print("mutants: the core does not build", file=sys.stderr)
        return 2
    import_once()
    reasons = unnoticed()
    keep_whole(folder)
    history = History(folder / "history.json")
    ignored: set[str] = set()
    rows: list[dict[str, object]] = []
    places = drawn(folder, asked)
    for place in places:
        reason = reasons.get((place.path, place.function))
        known = {**asdict(place), "verdict": "not asked", "by": reason}
        row = known if reason else try_mutant(place, folder, ignored, history)
        rows.append(row)
        print(told(row), flush=True)
        if asked.json is not None:
            record = {"seed": asked.seed, "only": asked.only, "each": asked.each, "rows": rows}
            asked.json.write_text(json.dumps(record, indent=1) + "\n")
    counts = Counter(str(row["verdict"]) for row in rows)
    tried = counts["noticed"] + counts["lived"]
    print(f"{counts['noticed']} of {tried} noticed, {counts['no program']} no program, {counts['not asked']} not asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
