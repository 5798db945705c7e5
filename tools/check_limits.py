"""Check limits of the code base that may only fall: type errors, vague words, fields of shared records, long files.

`tools/limits.json` has the limits. A number above its limit fails; a number below its limit is printed, and `--write`
lowers the limit to it. A package without an entry under `types` has no type errors.

    types     errors of `mypy --strict`, by package; needs mypy and torch, and is skipped where they are missing
    words     words in 100 of the docstrings that stand for a noun (what, it, such, those ...), by package
    fields    fields of records that features share; a feature keeps its own state (`tools/check_state.py`)
    lines     lines of files above 500
    circles   C files of a folder of `src` that include each other in a circle; `x_private.h` and `x.h` count as one
    casts     casts in a folder of `src` that drop const, by way of uintptr_t

usage: check_limits.py [--write] [--root DIR] [types|words|fields|lines|circles|casts ...]
"""

from __future__ import annotations

import argparse
import ast
import collections
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "python/graphmend"
VAGUE = frozenset(
    "what which whose such one ones it its they them those that this these something anything nothing else other others"
    " so".split()
)
RECORDS = {
    "runtime/base/trace_state.py": ("Trace", "CallableRecord"),
    "runtime/driver/retry_policy.py": ("Course",),
}
MOST_LINES = 500
FOLDERS = ("src", "include", "python", "tests", "tools", "bench", "fuzz", "examples")
GENERATED = re.compile(r"unicode_(tables|names_data)\.c$")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
CAST = re.compile(r"\((?!const\b)[^()]*\*\)\(uintptr_t\)")
Limits = dict[str, float]


def package_of(path: Path) -> str:
    """The package of a module: `runtime/driver`, `meaning`, or `graphmend` for modules that stand alone."""
    parts = path.parent.parts
    return "/".join(parts[:2]) if parts else "graphmend"


def modules(root: Path) -> Iterator[tuple[str, ast.Module]]:
    """All modules of the package: package and tree."""
    for path in sorted((root / PACKAGE).rglob("*.py")):
        yield package_of(path.relative_to(root / PACKAGE)), ast.parse(path.read_text(encoding="utf-8"))


def words(root: Path) -> Limits:
    """Vague words in 100 words of docstrings, by package."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found: dict[str, list[str]] = collections.defaultdict(list)
    for package, tree in modules(root):
        for node in ast.walk(tree):
            if isinstance(node, kinds):
                found[package] += re.findall(r"[a-z]+", (ast.get_docstring(node) or "").lower())
    return {
        package: round(100 * sum(word in VAGUE for word in text) / len(text), 1)
        for package, text in found.items()
        if text
    }


def fields(root: Path) -> Limits:
    """Fields of the shared records."""
    found: Limits = {}
    for name, classes in RECORDS.items():
        path = root / PACKAGE / name
        for node in ast.parse(path.read_text(encoding="utf-8")).body if path.exists() else ():
            if isinstance(node, ast.ClassDef) and node.name in classes:
                found[node.name] = sum(isinstance(part, ast.AnnAssign) for part in node.body)
    return found


def lines(root: Path) -> Limits:
    """Lines of the files that have too many."""
    found: Limits = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".py") and not GENERATED.search(path.name):
                count = path.read_bytes().count(b"\n")
                if count > MOST_LINES:
                    found[str(path.relative_to(root))] = count
    return found


def unit_of(name: str) -> str:
    """The unit of a C file: `flow/cfg` of `flow/cfg.c`, `flow/cfg.h` and `flow/cfg_private.h`; a table is its own."""
    return name if name.endswith(".def") else name.rpartition(".")[0].removesuffix("_private")


def included_units(source: Path) -> dict[str, set[str]]:
    """The units that each unit includes."""
    found: dict[str, set[str]] = collections.defaultdict(set)
    for path in sorted(source.rglob("*")):
        if path.suffix in (".c", ".h", ".def"):
            unit = unit_of(path.relative_to(source).as_posix())
            found[unit] |= {unit_of(name) for name in INCLUDE.findall(path.read_text(encoding="utf-8"))} - {unit}
    return found


def reached_units(includes: dict[str, set[str]], start: str) -> set[str]:
    """The units that a unit includes, directly or through others."""
    reached: set[str] = set()
    ahead = list(includes.get(start, ()))
    while ahead:
        unit = ahead.pop()
        if unit not in reached:
            reached.add(unit)
            ahead += includes.get(unit, ())
    return reached


def circles(root: Path) -> Limits:
    """Units that include themselves through other units, by folder."""
    includes = included_units(root / "src")
    found: collections.Counter[str] = collections.Counter()
    for unit in list(includes):
        if unit in reached_units(includes, unit):
            found[f"src/{unit.partition('/')[0]}"] += 1
    return dict(found)


def casts(root: Path) -> Limits:
    """Casts that drop const, by folder."""
    found: collections.Counter[str] = collections.Counter()
    for path in sorted((root / "src").rglob("*.[ch]")):
        folder = path.relative_to(root).parts[:2]
        found["/".join(folder)] += len(CAST.findall(path.read_text(encoding="utf-8")))
    return {folder: count for folder, count in found.items() if count}


def types(root: Path) -> Limits:
    """Errors of mypy, by package."""
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), "--no-error-summary"]
    command += ["--cache-dir", str(root / "build/mypy"), "-p", "graphmend"]
    done = subprocess.run(command, cwd=root / "python", capture_output=True, text=True)
    if done.returncode > 1 or done.stderr:
        raise SystemExit(f"check_limits: mypy failed: {done.stderr or done.stdout}")
    found: collections.Counter[str] = collections.Counter()
    for line in done.stdout.splitlines():
        match = re.match(r"graphmend/([\w/]+\.py):\d+: error: ", line)
        if match:
            found[package_of(Path(match.group(1)))] += 1
    return dict(found)


CHECKS = {
    "types": types,
    "words": words,
    "fields": fields,
    "lines": lines,
    "circles": circles,
    "casts": casts,
}


def compare(kind: str, found: Limits, limits: Limits) -> tuple[list[str], Limits]:
    """What is above its limit, in words, and the limits that hold from here on."""
    bound = {"words": 5.0, "lines": MOST_LINES}.get(kind, 0.0)
    above = [
        f"{kind}: {name} has {number:g}, the limit is {limits.get(name, bound):g}"
        for name, number in sorted(found.items())
        if number > limits.get(name, bound)
    ]
    lower = {name: min(limit, found[name]) for name, limit in limits.items() if found.get(name, 0) > bound}
    return above, lower


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(CHECKS)}; without any, all")
    parser.add_argument("--write", action="store_true", help="lower the limits to what is found")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1], help=argparse.SUPPRESS)
    options = parser.parse_args()
    root: Path = options.root.resolve()
    path = root / "tools/limits.json"
    limits: dict[str, Limits] = json.loads(path.read_text(encoding="utf-8"))
    faults = []
    for kind in options.kinds or CHECKS:
        if kind == "types" and not all(map(importlib.util.find_spec, ("mypy", "torch"))):
            print("limits: SKIPPED types, mypy or torch is not installed")
            continue
        above, lower = compare(kind, CHECKS[kind](root), limits[kind])
        faults += above
        if lower != limits[kind]:
            print(f"limits: {kind} may be lower than tools/limits.json says")
            limits[kind] = lower if options.write else limits[kind]
    if options.write:
        path.write_text(json.dumps(limits, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print("\n".join(faults) or "limits: nothing is above its limit", file=sys.stderr if faults else sys.stdout)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
