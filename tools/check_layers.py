"""Check that every folder of src includes only itself and folders to its left in the road through the code.

usage: check_layers.py [SRC]
"""

from __future__ import annotations

import pathlib
import re
import sys

ORDER = ("base", "syntax", "flow", "rules", "mend", "driver", "report", "meaning", "api", "cli")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def violations(source: pathlib.Path) -> list[str]:
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


def main() -> int:
    source = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "src")
    found = violations(source)
    print("\n".join(found) or f"layers: {source} is in order", file=sys.stderr if found else sys.stdout)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
