"""Whether the tests notice a decision of the runtime that is changed: `make mutants-runtime [N=100] [SEED=1]`.

Draws places of the modules that decide whether something may be mended: the facts, the proofs, the guards, the
self-check. A mutant is imported in place of its module, and no file of the working tree is changed. The tests of the
module come first, then those of its folder, then the others of the list, up to the first that fails.

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
import signal
import sys
import time
import types
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
from mutant_places import Place
from mutants import told, unnoticed
from python_places import draw

ROOT = Path(__file__).parents[1]
RUNTIME = "python/graphmend/runtime"
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
# Tests that are not named after their module.
OF_MODULE = {
    "analysis/aten_facts": [
        "analysis/test_operator_facts.py",
        "passes/test_guards.py",
        "analysis",
        "capture/test_branches.py",
    ],
    "analysis/branch_proofs": ["capture/test_branches.py", "passes", "capture/test_masks.py"],
    "analysis/marker_regions": ["capture/test_branches.py", "passes/test_guards.py"],
    "analysis/node_facts": ["analysis", "passes/test_inplace_writes.py", "passes/test_guards.py"],
    "analysis/reachability": ["effects/test_receivers.py", "effects/test_record_methods.py"],
    "analysis/receiver_reach": ["effects/test_receivers.py"],
    "analysis/record_keepers": ["effects/test_kept_records.py"],
    "analysis/impure_functions": ["external", "analysis"],
    "capture/assumption_checks": ["capture/test_assumptions.py", "capture/test_data_scalars.py"],
    "driver/check_equality": ["driver/test_equal_outcomes.py", "driver/test_self_check.py"],
    "driver/observed_state": ["driver/test_equal_outcomes.py", "driver/test_self_check.py"],
    "driver/outcomes": ["driver/test_programs.py", "driver/test_failures.py"],
    "effects/finalizers": ["effects/test_finalizers.py"],
    "passes/dead_code_that_raises": ["passes", "capture/test_branches.py"],
}
ROOMS = ["passes", "analysis", "driver", "capture", "effects", "external", "base", "autograd", "shims", "ops"]


class Changed(importlib.machinery.SourceFileLoader):
    """Loads a module with another text than its file has."""

    text = b""

    def get_data(self, path: str) -> bytes:
        return self.text if path == self.path else super().get_data(path)

    def get_code(self, fullname: str) -> types.CodeType:
        return self.source_to_code(self.text, self.path)


class Finder:
    """Finds the module that is changed, before any other finder is asked."""

    def __init__(self, name: str, path: Path, text: str) -> None:
        self.name, self.loader = name, Changed(name, str(path))
        self.loader.text = text.encode()

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.name:
            return None
        spec = importlib.machinery.ModuleSpec(name, self.loader, origin=self.loader.path)
        spec.has_location = True
        return spec


def tests_for(path: str) -> list[list[str]]:
    """The tests of the module, of its folder, and of the others: collected apart, for most mutants need no others."""
    module = path[len(RUNTIME) + 1 : -len(".py")]
    room, name = module.split("/")
    near = [f"{room}/test_{name}.py", *OF_MODULE.get(module, [])]
    stages = [[test for test in near if "/" in test], [test for test in near if "/" not in test] + [room], ROOMS]
    return [[path for test in stage if (ROOT / (path := f"tests/runtime/{test}")).exists()] for stage in stages]


def run_tests(place: Place | None, options: list[str], log: Path) -> int:
    """In the child: the runtime with the mutant, and what pytest is asked for."""
    os.setsid()
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if place is not None:
        path = ROOT / place.path
        text = path.read_text()
        assert text[place.offset :].startswith(place.before)
        changed = text[: place.offset] + place.after + text[place.offset + len(place.before) :]
        name = place.path[len("python/") : -len(".py")].replace("/", ".")
        sys.meta_path.insert(0, Finder(name, path, changed))
    return int(pytest.main(["-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", *options]))


def status_of(place: Place | None, options: list[str], log: Path, seconds: float) -> int:
    child = os.fork()
    if child == 0:
        try:
            os._exit(run_tests(place, options, log))
        finally:
            os._exit(3)
    return wait_for(child, seconds)


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


def failed_in(log: Path) -> list[str]:
    lines = log.read_text(errors="replace").splitlines()
    return [line for line in lines if line.startswith(("FAILED", "ERROR"))]


def fails_anyway(test: str, log: Path, seconds: float) -> bool:
    """Whether a test fails without a mutant too: such a test notices nothing."""
    return status_of(None, [test], log, seconds) != 0


def try_mutant(place: Place, log: Path, ignored: set[str], seconds: float) -> dict[str, object]:
    """Test up to the first failure that the mutant brings."""
    end = time.monotonic() + seconds
    for some in filter(None, tests_for(place.path)):
        while True:
            options = ["-x", *(f"--deselect={test}" for test in sorted(ignored)), *some]
            status = status_of(place, options, log, max(1.0, end - time.monotonic()))
            failed = failed_in(log)
            if status == 124 and not failed:  # a loaded machine: no test that has run has noticed the mutant
                return {**asdict(place), "verdict": "lived", "by": f"in {seconds:.0f} seconds of tests"}
            by = "" if status in (0, 5) else failed[0] if failed else f"status {status}"
            test = by.split()[1] if "::" in by else ""
            if not by:
                break
            if not test or not fails_anyway(test, log.with_suffix(".alone.log"), seconds):
                return {**asdict(place), "verdict": "noticed", "by": by}
            ignored.add(test)
    return {**asdict(place), "verdict": "lived", "by": ""}


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
    parser.add_argument("--seconds", type=float, default=900, help="for the tests of one mutant")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    os.chdir(ROOT)
    os.environ["OMP_NUM_THREADS"] = "1"
    import_once()
    for name in ("torch._dynamo", "torch._functorch.aot_autograd", "torch.fx.experimental.symbolic_shapes"):
        importlib.import_module(name)  # most of the time of a test that is alone
    assert "graphmend" not in sys.modules
    reasons = unnoticed()
    log = ROOT / "build" / "mutants-runtime.log"
    ignored: set[str] = set()
    rows: list[dict[str, object]] = []
    for place in draw(ROOT, modules(asked.only.split() or [""]), asked.count, asked.seed):
        reason = reasons.get((place.path, place.function))
        known = {**asdict(place), "verdict": "not asked", "by": reason}
        row = known if reason else try_mutant(place, log, ignored, asked.seconds)
        rows.append(row)
        print(told(row), flush=True)
        if asked.json is not None:
            asked.json.write_text(json.dumps({"seed": asked.seed, "only": asked.only, "rows": rows}, indent=1) + "\n")
    counts = Counter(str(row["verdict"]) for row in rows)
    print(f"{counts['noticed']} of {counts['noticed'] + counts['lived']} noticed, {counts['not asked']} not asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
