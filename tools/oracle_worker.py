"""The CPython side of tools/ast_oracle: answers one line for each request line. Runs on every CPython from 3.8 on.

A request is `MODE PATH`: `tree` asks for the hash of the tree's dump, `dump` for the dump itself, `symtable` for the
symbol tables. The answer is `ok TEXT`, `rejected LINE:COLUMN MESSAGE`, or `unable REASON` where this CPython gives up
on a file by its size or depth.
"""

import ast
import hashlib
import json
import symtable
import sys
import threading
import warnings
from typing import Any, List

RECURSION_LIMIT = 12_000
STACK_SIZE = 512 * 1024 * 1024
POSITIONS = ("lineno", "col_offset", "end_lineno", "end_col_offset")
SCOPES = {1: "local", 2: "global", 3: "implicit", 4: "free", 5: "cell"}


def drop_format_positions(tree: ast.AST) -> None:
    """Forget the positions inside f-strings, which CPython before 3.12 gets wrong."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            for inner in ast.walk(node):
                if inner is not node:
                    for name in POSITIONS:
                        if hasattr(inner, name) and name in inner.__dict__:
                            delattr(inner, name)


def dump_of(data: bytes, path: str) -> str:
    tree = ast.parse(data, path)
    if sys.version_info < (3, 12):
        drop_format_positions(tree)
    return ast.dump(tree, include_attributes=True)


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


def symbols_of(data: bytes, path: str) -> str:
    """The symbol tables as one line of JSON: kind, name, line, nested, symbols, children."""
    ast.parse(data, path)
    table = table_of(symtable.symtable(data, path, "exec"))
    return json.dumps(table, ensure_ascii=False, separators=(",", ":"))


def is_fault(error: Exception) -> bool:
    """Whether CPython failed to hand over a tree that it has: 3.12 and 3.13, on some `{name=}` inside format specs."""
    return "is required for Constant" in str(error)


def answer(mode: str, path: str) -> str:
    with open(path, "rb") as stream:
        data = stream.read()
    try:
        if mode == "symtable":
            return "ok " + symbols_of(data, path)
        text = dump_of(data, path)
    except (SyntaxError, ValueError) as error:
        if is_fault(error):
            return "unable fault of this CPython"
        place = f"{getattr(error, 'lineno', 0)}:{getattr(error, 'offset', 0)}"
        return f"rejected {place} {str(error)[:200]!a}"
    except (RecursionError, MemoryError, OverflowError) as error:
        return f"unable {type(error).__name__}"
    text_bytes = text.encode("utf-8", "surrogatepass")
    return "ok " + (hashlib.sha1(text_bytes).hexdigest() if mode == "tree" else text)


def serve() -> None:
    sys.setrecursionlimit(RECURSION_LIMIT)
    warnings.simplefilter("ignore")
    for line in sys.stdin.buffer:
        mode, _, path = line.rstrip(b"\n").decode("utf-8", "surrogateescape").partition(" ")
        try:
            text = answer(mode, path)
        except Exception as error:
            text = f"unable {type(error).__name__}"
        sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass") + b"\n")
        sys.stdout.buffer.flush()


def main() -> None:
    threading.stack_size(STACK_SIZE)
    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
