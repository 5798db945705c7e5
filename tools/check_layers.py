"""Check that every folder uses only itself and folders to its left in the road through the code.

There are two roads: the folders of `src`, by their includes, and the rooms of `python/graphmend/runtime`, by their
imports. Imports inside functions count too.

usage: check_layers.py [SRC [RUNTIME]]
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

ORDER = (
    "base",
    "syntax",
    "flow",
    "values",
    "analysis",
    "rules",
    "mend",
    "driver",
    "report",
    "meaning",
    "api",
    "server",
    "cli",
)
ROOMS = ("base", "analysis", "capture", "effects", "external", "ops", "autograd", "passes", "shims", "driver")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def include_violations(source: pathlib.Path) -> list[str]:
    """Every include that points to the right, or out of the known folders."""
    found = []
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".c", ".h", ".def"):
            continue
        folder = path.relative_to(source).parts[0]
        if folder not in ORDER:
            found.append(f"{path}: folder `{folder}` is not in the order {' '.join(ORDER)}")
            continue
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            target = match.group(1).split("/")[0]
            line = text.count("\n", 0, match.start()) + 1
            if target == "graphmend.h" and folder not in ("api", "cli"):
                found.append(f"{path}:{line}: the public header is for api and cli")
            elif target in ORDER and ORDER.index(target) > ORDER.index(folder):
                found.append(f"{path}:{line}: `{folder}` includes `{match.group(1)}`, which is to its right")
    return found


def imported_rooms(path: pathlib.Path, depth: int) -> Iterator[tuple[int, str]]:
    """The rooms that a module imports from, by line and name; the module stands `depth` folders below the rooms."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == depth + 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from ((node.lineno, name.split(".")[0]) for name in names)


def import_violations(runtime: pathlib.Path) -> list[str]:
    """Every import that points to the right, and every module outside the rooms."""
    found = []
    for path in sorted(runtime.rglob("*.py")):
        room, *inside = path.relative_to(runtime).parts
        if room == "__init__.py":
            continue
        if room not in ROOMS or not inside:
            found.append(f"{path}: not in one of the rooms {' '.join(ROOMS)}")
            continue
        for line, target in imported_rooms(path, len(inside)):
            if target not in ROOMS or ROOMS.index(target) > ROOMS.index(room):
                found.append(f"{path}:{line}: `{room}` imports `{target}`, which is to its right")
    return found


def main() -> int:
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    runtime = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "python/graphmend/runtime")
    found = [*include_violations(source), *import_violations(runtime)]
    print("\n".join(found) or f"layers: {source} and {runtime} are in order", file=sys.stderr if found else sys.stdout)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
