"""Compare `graphmend debug scopes --symtable` with the `symtable` module of a CPython, file by file.

    python tools/symtable_oracle.py --exe build/graphmend --python python3.13 DIRECTORY...

The other interpreter runs this file too, with --worker: it needs nothing but 3.8 or later. Prints the files that
differ, then a count; exits with 1 when any differs. A file that CPython rejects must be rejected, one that it accepts
must have an equal table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import symtable
import sys
import warnings
from pathlib import Path
from typing import Any, Iterator, List, Tuple

SCOPES = {1: "local", 2: "global", 3: "implicit", 4: "free", 5: "cell"}
BATCH = 200


def symbol_row(symbol: Any) -> List[str]:
    """Name, letters of the questions answered with yes, and what the name is."""
    questions = [
        ("r", symbol.is_referenced()),
        ("a", symbol.is_assigned()),
        ("i", symbol.is_imported()),
        ("p", symbol.is_parameter()),
        ("n", symbol.is_nonlocal()),
        ("t", symbol.is_annotated()),
        ("s", symbol.is_namespace()),
    ]
    return [symbol.get_name(), "".join(letter for letter, yes in questions if yes), SCOPES[symbol._Symbol__scope]]


def table_of(scope: Any) -> List[Any]:
    symbols = sorted(symbol_row(symbol) for symbol in scope.get_symbols())
    children = [table_of(child) for child in scope.get_children()]
    kind = scope.get_type()
    return [getattr(kind, "value", kind), scope.get_name(), scope.get_lineno(), scope.is_nested(), symbols, children]


def answer(path: str) -> str:
    """One line of JSON: the table, or null for a file that this CPython rejects."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with open(path, "rb") as file:
                table = table_of(symtable.symtable(file.read(), path, "exec"))
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return "null"
    return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


def work() -> None:
    sys.setrecursionlimit(20000)
    for line in sys.stdin.buffer:
        text = answer(line.rstrip(b"\n").decode("utf-8", "surrogateescape"))
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")
        sys.stdout.buffer.flush()


def python_files(places: List[str]) -> Iterator[str]:
    for place in places:
        path = Path(place)
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            if file.is_file():
                yield str(file)


def ours(executable: str, target: str, paths: List[str]) -> List[str]:
    """Our lines for some files; one that we reject prints an object with the error."""
    command = [executable, "debug", "scopes", "--symtable", "--target", target, *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode("utf-8", "replace").split("\n")[:-1]


def agree(expected: str, got: str) -> bool:
    if expected == "null" or got.startswith("{"):
        return expected == "null" and got.startswith("{")
    return expected == got or json.loads(expected) == json.loads(got)


def compare(executable: str, python: str, places: List[str], show: int) -> Tuple[int, int]:
    version = subprocess.run(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], stdout=subprocess.PIPE, check=True
    )
    target = version.stdout.decode().strip()
    command = [python, __file__, "--worker"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert worker.stdin is not None and worker.stdout is not None
    files = list(python_files(places))
    different = 0
    for start in range(0, len(files), BATCH):
        batch = files[start : start + BATCH]
        lines = ours(executable, target, batch)
        assert len(lines) == len(batch), (len(lines), batch[0])
        for path, got in zip(batch, lines):
            worker.stdin.write(path.encode("utf-8", "surrogateescape") + b"\n")
            worker.stdin.flush()
            expected = worker.stdout.readline().decode("utf-8", "replace").rstrip("\n")
            if not agree(expected, got):
                different += 1
                if different <= show:
                    print(f"{path}\n  {target}: {expected[:300]}\n  ours: {got[:300]}")
    worker.stdin.close()
    worker.wait()
    return len(files), different


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--exe", default="build/graphmend")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("places", nargs="*")
    options = parser.parse_args()
    if options.worker:
        work()
        return 0
    files, different = compare(options.exe, options.python, options.places, options.show)
    print(f"{files} files, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
