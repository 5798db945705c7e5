"""Check that python/graphmend writes to standard output and error through `graphmend.terminal` alone.

Names, messages and answers of others must not reach a terminal or a log as they are; so nothing else may print, hold
one of the streams, write to their descriptors or make a console. The runtime carries the effects of the user's own
program and mentions `print` and the streams as values; it may not call them either.
In C, `src/cli/say.c` is the one that calls what prints, and nothing outside of `src/cli` names a stream.

usage: check_writers.py [FOLDER] [FOLDER OF C]
"""

from __future__ import annotations

import ast
import pathlib
import re
import sys
from collections.abc import Iterator

WRITER = "terminal.py"
EFFECTS = "runtime"  # the folder of the user's own effects
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
HARMLESS = {"isatty", "flush", "fileno", "encoding", "closed"}  # of a stream
PRINTERS = {
    "print",
    "pprint",
    "pp",
    "perror",
    "print_exc",
    "print_exception",
    "print_stack",
    "print_tb",
    "secho",
    "echo",
}
MODULES = {"rich.console", "rich.progress", "rich", "pprint", "curses"}


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    function = node.func
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def writes_descriptor(node: ast.Call) -> bool:
    """`os.write(1, ...)`, `open(2, ...)`."""
    first = node.args[0] if node.args else None
    return (
        called(node) in ("write", "open", "fdopen", "writev")
        and isinstance(first, ast.Constant)
        and first.value in (1, 2)
    )


def imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom) and node.level == 0:
        yield node.module or ""
        yield from (f"{node.module}.{alias.name}" for alias in node.names)
    elif isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)


class Finder(ast.NodeVisitor):
    """The ways past the writer in one file."""

    def __init__(self, carries_effects: bool) -> None:
        self.carries_effects = carries_effects
        self.found: list[tuple[int, str]] = []

    def add(self, node: ast.AST, what: str) -> None:
        self.found.append((getattr(node, "lineno", 1), what))

    def visit_Call(self, node: ast.Call) -> None:
        if called(node) in PRINTERS:
            self.add(node, f"calls `{called(node)}`")
        if writes_descriptor(node):
            self.add(node, "writes to the descriptor of a standard stream")
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        inner = node.value
        if node.attr in HARMLESS and self.is_stream(inner):
            return
        if self.is_stream(node) and not self.carries_effects:
            self.add(node, f"holds `sys.{node.attr}`")
        if node.attr in ("write", "writelines", "buffer") and self.is_stream(inner):
            self.add(node, f"writes to `sys.{getattr(inner, 'attr', '')}`")
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id == "print" and not self.carries_effects and isinstance(node.ctx, ast.Load):
            self.add(node, "mentions `print`")

    def visit_Compare(self, node: ast.Compare) -> None:
        """`sys.stdout is None` asks, and writes nothing."""
        if not (self.is_stream(node.left) and all(isinstance(one, (ast.Is, ast.IsNot)) for one in node.ops)):
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        self.look_at_import(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.look_at_import(node)

    def look_at_import(self, node: ast.AST) -> None:
        for name in imports(node):
            if name in MODULES or name in {f"sys.{stream}" for stream in STREAMS} or name == "builtins.print":
                self.add(node, f"imports `{name}`")

    @staticmethod
    def is_stream(node: ast.AST) -> bool:
        return (
            isinstance(node, ast.Attribute)
            and node.attr in STREAMS
            and isinstance(node.value, ast.Name)
            and node.value.id == "sys"
        )


def violations(folder: pathlib.Path) -> list[str]:
    """Every way past the writer, with its place."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if parts == (WRITER,):
            continue
        finder = Finder(parts[0] == EFFECTS)
        finder.visit(ast.parse(path.read_text(encoding="utf-8")))
        found += [f"{path}:{line}: {what}; use graphmend.terminal" for line, what in sorted(set(finder.found))]
    return found


C_WRITER = "cli/say.c"
C_STREAMS = re.compile(r"\b(?:stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b")
C_PRINTERS = re.compile(
    r"\b(?:v?f?printf|v?dprintf|f?puts|f?putc|putchar|fwrite|perror|psignal|(?:fwrite|fputs|fputc|putc|putchar)_unlocked)\s*\("
)
C_DESCRIPTORS = re.compile(r"\b(?:write|writev|fdopen|gm_file_write)\s*\(\s*[12]\s*,")
C_WORDS = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'", re.DOTALL)


def c_violations(folder: pathlib.Path) -> list[str]:
    """The same in C: comments and literals are not looked at."""
    found = []
    for path in sorted(folder.rglob("*.[ch]")):
        name = path.relative_to(folder).as_posix()
        if name == C_WRITER:
            continue
        text = C_WORDS.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            if C_PRINTERS.search(line) or C_DESCRIPTORS.search(line):
                found.append(f"{path}:{number}: prints; use cli/say.h")
            elif C_STREAMS.search(line) and not name.startswith("cli/"):
                found.append(f"{path}:{number}: names a standard stream outside of src/cli")
    return found


def main() -> int:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "python/graphmend")
    c_folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else "src")
    found = violations(folder) + c_violations(c_folder)
    print(
        "\n".join(found) or f"writers: {folder} and {c_folder} have one each", file=sys.stderr if found else sys.stdout
    )
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
