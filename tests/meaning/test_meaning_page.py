"""docs/meaning.md: its table of types is tested row by row, its programs are run."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmend.core import library_path
from graphmend.meaning import describe, lift, lower, schema

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "meaning.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
TABLE = PAGE.split("## Types")[1].split("## What the reader")[0]
ROWS = [
    [cell.strip().strip("`").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in TABLE.splitlines()
    if line.startswith("| `")
]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """What the rows refer to: a module of the program on the page."""
    path = tmp_path_factory.mktemp("page") / "meaning_page_types.py"
    path.write_text(PROGRAMS[-1])
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield vars(module)
    del sys.modules[path.stem]


def test_the_first_programs_run(tmp_path: Path) -> None:
    scope: dict[str, Any] = {"__name__": __name__}
    for number, program in enumerate(PROGRAMS[:2]):
        path = tmp_path / f"page_program_{number}.py"
        path.write_text(program)
        exec(compile(program, str(path), "exec"), scope)
    assert scope["hire"].explain("x").prompt.startswith("Read the resume.\nresume (headings included): x\n")


def test_the_program_in_the_readme_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    exec(compile(program, str(tmp_path / "readme.py"), "exec"), {"__name__": __name__})
    assert f"# {capsys.readouterr().out}" in program


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_row(row: list[str], names: dict[str, Any]) -> None:
    annotation, shown, text, expected = row
    hint, value = eval(annotation, names), eval(expected, names)
    assert describe(hint).replace("\n", "; ") == shown
    read = lower(text, hint)
    assert repr(read) == repr(value)
    assert type(read) is type(value)


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_what_is_lifted_is_lowered_again(row: list[str], names: dict[str, Any]) -> None:
    hint, value = eval(row[0], names), eval(row[3], names)
    text = json.dumps(value) if isinstance(value, str) else lift(value).text
    assert lower(text, hint, strict=True) == value
    assert schema(hint)["$schema"].endswith("2020-12/schema")


def test_every_repair_is_on_the_page() -> None:
    known = re.findall(r'GM_REPAIR\((\w+), (\d+), "(.*)"\)', (ROOT / "src/meaning/repairs.def").read_text())
    assert known
    for name, cost, words in known:
        assert f"| `{name.lower()}` | {cost} | {words} |" in PAGE


def test_every_form_is_on_the_page() -> None:
    forms = re.findall(r"GM_FORM\((\w+), ", (ROOT / "src/meaning/forms.def").read_text())
    assert forms
    for form in forms:
        assert f"`{form}`" in PAGE.split("## The IR")[1]


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_example_in_c_runs(tmp_path: Path) -> None:
    library = Path(library_path())
    program = tmp_path / "read_struct"
    source = ROOT / "examples" / "read_struct.c"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}"]
    subprocess.run(["cc", *flags, str(source), str(library), "-o", str(program)], check=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library.parent), "DYLD_LIBRARY_PATH": str(library.parent)}
    done = subprocess.run([str(program)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["value"] == {"name": "roof", "celsius": 21.5, "tags": ["outside", "north"]}
