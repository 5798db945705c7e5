"""What a user of `@by` gets wrong first: a body, the name of a model; and what a type checker knows of the result."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable

import pytest

from graphmend import meaning
from graphmend.meaning import MeaningError, by, lift, lower, mock
from graphmend.meaning.bodies import has_body

MODEL = mock("7")


def make(source: str) -> Callable[..., Any]:
    """The function `f` of a source text."""
    names: dict[str, Any] = {}
    exec(textwrap.dedent(source), names)
    function: Callable[..., Any] = names["f"]
    return function


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: str) -> int: ...",
        "def f(x: str) -> int: pass",
        "def f(x: str) -> int:\n 'Count.'",
        "def f(x: str) -> int:\n 'Count.'\n ...\n pass",
        "def f(x: str) -> int: raise NotImplementedError",
        "def f(x: str) -> int:\n 'Count.'\n raise NotImplementedError()",
        "def f(x: str) -> int: raise NotImplementedError('a model answers')",
        "async def f(x: str) -> int: ...",
        "async def f(x: str) -> int:\n 'Count.'\n raise NotImplementedError",
        "def outer(y):\n def f(x: str) -> int: ...\n return f\nf = outer(1)",
        "class A:\n def f(self, x: str) -> int: ...\nf = A.f",
        "def f(x: str, *more: int, key: int = 1, **rest: int) -> int: ...",
        "def f(x: str) -> None: return",
    ],
)
def test_no_body(source: str) -> None:
    assert not has_body(make(source).__code__)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: str) -> int: return 7",
        "def f(x: str) -> int: return len(x)",
        "def f(x: str) -> int: print(x)",
        "def f(x: str) -> int:\n 'Count.'\n y = 1",
        "def f(x: str) -> int: raise ValueError",
        "def f(x: str) -> int: raise NotImplementedError(x)",
        "def f(x: str) -> int:\n print(x)\n raise NotImplementedError",
        "def f(x: str) -> int: yield 1",
        "def f(x: str) -> int: return x",
        "def f(x: str) -> str: return 'text'",
        "def f(x: str) -> int:\n while x: pass",
        "async def f(x: str) -> int: return await x",
        "def f(x: str) -> int: return lambda: x",
    ],
)
def test_a_body_is_an_error(source: str) -> None:
    with pytest.raises(MeaningError, match=r"`f` has a body, which would never run"):
        by(MODEL)(make(source))


@pytest.mark.parametrize(
    "value, words",
    [
        ("gpt-4o", r"write `by\(Endpoint\('gpt-4o', base_url\)\)`"),
        (lambda text: text, r"write `@by\(model\)` above the function"),
        (None, "None is no model: `by` takes an Endpoint"),
        (3, "3 is no model"),
    ],
)
def test_what_is_no_model(value: Any, words: str) -> None:
    with pytest.raises(MeaningError, match=words):
        by(value)


def test_other_names() -> None:
    assert meaning.parse is lower and meaning.render is lift
    assert meaning.parse("7", int) == 7 and meaning.render([1, 2]).text == "[1, 2]"


CHECKED = """
from typing import AsyncIterator, Iterator
from graphmend.meaning import by, mock

@by(mock("7"))
def count(text: str, *, least: int = 0) -> int:
    "Count."
    raise NotImplementedError

@by(mock("7"))
async def count_later(text: str) -> int:
    "Count."
    raise NotImplementedError

async def main() -> None:
    number: int = count("a", least=1)
    pieces: Iterator[int] = count.stream("a")
    later: int = await count_later("a")
    later_pieces: AsyncIterator[int] = count_later.stream("a")
    count.explain()
"""
WRONG = ["count(7)", "count('a', most=1)", "count()", "count('a').name", "count.streams('a')"]


DOCUMENTS = [Path(__file__).parents[2] / name for name in ("README.md", "docs/meaning.md")]


def write_programs(folder: Path) -> "tuple[Path, list[str], list[int]]":
    """A program with wrong calls, the names of all (examples of documents, too), and the lines of these calls."""
    path = folder / "program.py"
    path.write_text(CHECKED + "".join(f"    {line}\n" for line in WRONG))
    programs = [path.name]
    for document in DOCUMENTS:
        example = re.search(r"^```python\n(.*?)^```", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        assert example is not None and "@by(" in example[1]
        programs.append(f"{document.stem.lower()}_example.py")
        (folder / programs[-1]).write_text(example[1], encoding="utf-8")
    first = CHECKED.count("\n") + 1
    return path, programs, list(range(first, first + len(WRONG)))


def lines_with_errors(told: str, path: Path) -> "list[int]":
    """The lines of a program with errors; an error anywhere else fails."""
    errors = [line for line in told.splitlines() if re.search(r"\berror\b: | - error: ", line)]
    assert all(path.name in line for line in errors), told
    return sorted({int(line.split(path.name)[1].split(":")[1]) for line in errors})


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="ALOUD: mypy is not installed")
def test_mypy_knows_parameters_and_result(tmp_path: Path) -> None:
    path, programs, wrong = write_programs(tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--config-file", "", *programs]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    assert lines_with_errors(told, path) == wrong, told


@pytest.mark.skipif(shutil.which("pyright") is None, reason="ALOUD: tests/meaning: pyright is not installed")
def test_pyright_knows_parameters_and_result(tmp_path: Path) -> None:
    path, programs, wrong = write_programs(tmp_path)
    command = ["pyright", "--pythonpath", sys.executable, *programs]
    told = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout
    assert lines_with_errors(told, path) == wrong, told
