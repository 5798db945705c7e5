"""Check that private names of torch stand in one room alone, and count them.

Only `torch_names.py` and `torch_tables` of `runtime/base` may say `torch._...`: in an import, or as an attribute. Texts
and comments may, too.

usage: check_torch_names.py [PACKAGE]
"""

from __future__ import annotations

import ast
import pathlib
import sys
from collections.abc import Iterator
from typing import Optional

ROOM = (pathlib.PurePath("runtime/base/torch_names.py"), pathlib.PurePath("runtime/base/torch_tables"))
LIMIT = 337  # names in the table; a new release should need fewer, and never more


def dotted(node: ast.AST) -> Optional[str]:
    """The text of a chain of attributes that begins with a name; None for everything else."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return None if before is None else f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


def private_uses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every private name of torch in a module."""
    for node in ast.walk(tree):
        found = []
        if isinstance(node, ast.Attribute):
            found = [dotted(node) or ""]
        elif isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in found:
            if name.startswith("torch._") and not name.startswith("torch.__"):
                yield node.lineno, name


def main() -> int:
    package = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "python/graphmend")
    found = []
    for path in sorted(package.rglob("*.py")):
        place = path.relative_to(package)
        if not {place, *place.parents}.isdisjoint(ROOM):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found += [f"{path}:{line}: `{name}` stands outside of {ROOM[0]}" for line, name in private_uses(tree)]
    sys.path.insert(0, str(package.parent))
    from graphmend.runtime.base.torch_tables import releases
    from graphmend.runtime.base.torch_tables.places import parse

    rows = releases.rows(releases.BASE)
    places = sum(len(parse(row)) for row in rows.places.values() if row is not None)
    total = len(rows.names) + len(rows.methods) + len(rows.places)
    found += [f"{total} private names are more than {LIMIT}"] if total > LIMIT else []
    parts = f"{len(rows.names)} names, {len(rows.methods)} methods, {places} places that hooks replace"
    text = f"torch names: {total} ({parts})"
    print("\n".join(found) or text, file=sys.stderr if found else sys.stdout)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
