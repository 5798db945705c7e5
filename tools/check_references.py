"""Check that files which documents and docstrings name are there, and that the glossary is in order.

A renamed module leaves its old name behind in words, where nothing fails: `fills.py` had been `lazy_attributes.py` for
weeks. Names count that stand in backquotes or brackets, and end like a source file. Parts of a path are enough, as
in `driver/install.py`.

usage: check_references.py [ROOT]
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md")
PYTHON = "python/graphmend/runtime"
NAME = re.compile(r"[`(]([\w./-]*\w\.(?:py|c|h|def|md))[`)]")
FOLDERS = ("bench", "data", "docs", "examples", "fuzz", "include", "python", "src", "tests", "tools")
EXAMPLES = re.compile(
    r"gm390|gbNNNN|NAME|^(model|train|vae)\.py$"
)  # files of users, and of rules that somebody may add


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a document, or of the docstrings and comments of a module, with their numbers."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if path.suffix == ".md":
        yield from enumerate(lines, 1)
        return
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented: set[int] = set()
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            documented.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    for number, line in enumerate(lines, 1):
        yield number, line if number in documented else line.partition("# ")[2]


def glossary_faults(root: Path) -> Iterator[str]:
    """Terms out of order or told twice, and places that are not there."""
    path = root / "docs/glossary.md"
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|$", path.read_text(encoding="utf-8"), re.MULTILINE)
    terms = [term for term, _ in rows]
    if terms != sorted(set(terms)) or not terms:
        yield f"{path}: the terms are not in order, or one is there twice"
    for term, place in rows:
        if not (root / place.replace("runtime/", f"{PYTHON}/", 1)).is_file() and not (root / place).is_file():
            yield f"{path}: `{term}` stands at `{place}`, which is not there"


def name_clashes(root: Path) -> Iterator[str]:
    """Test files with the name of another one: pytest imports each by its name alone, and stops at the second."""
    first: dict[str, Path] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        other = first.setdefault(path.name, path)
        if other is not path:
            yield f"{path.relative_to(root)}: the name is that of {other.relative_to(root)}"


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    known = {f"/{path.relative_to(root)}" for folder in FOLDERS for path in (root / folder).rglob("*.*")}
    known |= {f"/{path.name}" for path in root.glob("*.*")}
    documents = [path for pattern in DOCUMENTS for path in sorted(root.glob(pattern))]
    found = [*glossary_faults(root), *name_clashes(root)]
    for path in [*documents, *sorted((root / PYTHON).rglob("*.py"))]:
        for number, text in texts_of(path):
            for name in NAME.findall(text):
                if not EXAMPLES.search(name) and not any(file.endswith(f"/{name.lstrip('./')}") for file in known):
                    found.append(f"{path.relative_to(root)}:{number}: `{name}` is not there")
    print("\n".join(found) or f"references: the files that {len(documents)} documents and the runtime name are there")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
