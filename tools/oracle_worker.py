"""The CPython side of tools/ast_oracle: answers one line for each request line. Runs on every CPython from 3.8 on.

A request is `MODE PATH`: `tree` asks for the hash of the tree's dump, `dump` for the dump itself, `symtable` for the
symbol tables. The answer is `ok TEXT`, `rejected LINE:COLUMN MESSAGE`, or `unable REASON` where this CPython gives up
on a file by its size or depth.
"""

import ast
import hashlib
import sys
import threading
import warnings

import symtable_oracle

RECURSION_LIMIT = 12_000
STACK_SIZE = 512 * 1024 * 1024
POSITIONS = ("lineno", "col_offset", "end_lineno", "end_col_offset")


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


def symbols_of(data: bytes, path: str) -> str:
    ast.parse(data, path)
    return symtable_oracle.answer(path)


def answer(mode: str, path: str) -> str:
    with open(path, "rb") as stream:
        data = stream.read()
    try:
        if mode == "symtable":
            return "ok " + symbols_of(data, path)
        if sys.version_info < (3, 9):  # noqa: UP036
            ast.parse(data, path)
            return "ok"
        text = dump_of(data, path)
    except (SyntaxError, ValueError) as error:
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
