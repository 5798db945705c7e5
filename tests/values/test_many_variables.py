"""In functions with many more variables, whose sets and definitions are kept otherwise, values are the same ones."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROGRAMS = [*(HERE / f"{name}.py" for name in ("tensors", "declared", "narrowed")), *sorted(HERE.glob("programs/*.py"))]


def first_lines(text: str) -> dict[int, int]:
    """Where the first statement of each function stands that is no text: its line, and how far it is indented."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
            simple = body and not hasattr(body[0], "body") and body[0].lineno > node.lineno
            if simple:
                found[body[0].lineno] = body[0].col_offset
    return found


def enlarged(text: str, more: int) -> str:
    """The text with variables that nobody reads, in front of the first statement of each function and on its line."""
    lines = text.splitlines(keepends=True)
    for number, indent in first_lines(text).items():
        lines[number - 1] = (
            " " * indent + "".join(f"v{at} = " for at in range(more)) + "0; " + lines[number - 1].lstrip()
        )
    return "".join(lines)


def told(executable: str, folder: Path, text: str, stage: list[str]) -> list[str]:
    (folder / "a.py").write_text(text)
    command = [executable, "debug", *stage, "a.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("more", [70, 300])
def test_values_are_the_same(executable: str, tmp_path: Path, program: Path, more: int) -> None:
    text = program.read_text()
    changed = {f"{line}:" for line in first_lines(text)}
    for stage in (["facts"], ["facts", "--tests"]):
        plain, large = (
            [line for line in told(executable, tmp_path, one, stage) if not line.startswith(tuple(changed))]
            for one in (text, enlarged(text, more))
        )
        assert plain == large
    assert changed
