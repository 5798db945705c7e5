"""tools/check_limits.py: limits that may only fall."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools/check_limits.py"
NONE: dict[str, dict[str, float]] = {"types": {}, "words": {}, "fields": {}, "lines": {}, "circles": {}, "casts": {}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with one module in each of two packages, a shared record of two fields, and a long file."""
    package = tmp_path / "python/graphmend"
    files = {
        "runtime/base/trace_state.py": "class Trace:\n    whole: bool\n    off: int\n\n\nclass Other:\n    a: int\n",
        "verify/text.py": '"""What it is."""\n',
    }
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/long.c").write_text("\n" * 600)
    (tmp_path / "src/unicode_tables.c").write_text("\n" * 900)
    (tmp_path / "tools").mkdir()
    return tmp_path


def limits(root: Path, kind: str, values: dict[str, float]) -> None:
    (root / "tools/limits.json").write_text(json.dumps({**NONE, kind: values}))


def check(root: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, str(TOOL), "--root", str(root), *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("kind", "name", "number", "text"),
    [
        ("fields", "Trace", 2, "fields: Trace has 2, the limit is 1"),
        ("words", "verify", 66.7, "words: verify has 66.7, the limit is 65.7"),
        ("lines", "src/long.c", 600, "lines: src/long.c has 600, the limit is 599"),
    ],
)
def test_a_number_above_its_limit(root: Path, kind: str, name: str, number: float, text: str) -> None:
    limits(root, kind, {name: number - 1})
    assert check(root, kind) == (1, f"{text}\n")
    limits(root, kind, {name: number})
    assert check(root, kind) == (0, "limits: nothing is above its limit\n")


def test_a_number_without_a_limit(root: Path) -> None:
    limits(root, "lines", {})
    assert check(root, "lines") == (1, "lines: src/long.c has 600, the limit is 500\n")


def test_files_that_include_each_other(root: Path) -> None:
    (root / "src/flow").mkdir()
    for name, text in {
        "cfg.h": "",
        "cfg_private.h": '#include "flow/cfg.h"\n',
        "cfg.c": '#include "flow/cfg_private.h"\n',
        "rows.def": '#include "flow/cfg.h"\n',
        "one.c": '#include "flow/two.h"\n#include "flow/cfg.h"\n',
        "one.h": "",
        "two.h": '#include "flow/three.h"\n',
        "three.h": '#include "flow/one.h"\n',
    }.items():
        (root / "src/flow" / name).write_text(text)
    limits(root, "circles", {})
    assert check(root, "circles") == (1, "circles: src/flow has 3, the limit is 0\n")
    (root / "src/flow/three.h").write_text("")
    assert check(root, "circles") == (0, "limits: nothing is above its limit\n")


def test_casts_that_drop_const(root: Path) -> None:
    (root / "src/flow").mkdir()
    kept = "uint64_t c = (uint64_t)(uintptr_t)b;\nconst char *d = (const char *)(uintptr_t)c;\n"
    (root / "src/flow/one.c").write_text("char *a = (char *)(uintptr_t)b;\n" + kept)
    limits(root, "casts", {})
    assert check(root, "casts") == (1, "casts: src/flow has 1, the limit is 0\n")


def test_limits_are_lowered_and_never_raised(root: Path) -> None:
    limits(root, "lines", {"src/long.c": 700, "src/gone.c": 800})
    status, text = check(root, "lines")
    assert (status, text.splitlines()[0]) == (0, "limits: lines may be lower than tools/limits.json says")
    assert check(root, "lines", "--write")[0] == 0
    assert json.loads((root / "tools/limits.json").read_text())["lines"] == {"src/long.c": 600}
    limits(root, "lines", {"src/long.c": 550})
    assert check(root, "lines", "--write")[0] == 1
    assert json.loads((root / "tools/limits.json").read_text())["lines"] == {"src/long.c": 550}


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("mypy", "torch"))), reason="ALOUD: types, mypy or torch is not installed"
)
def test_type_errors_count(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.mypy]\nstrict = true\n")
    for folder in ("", "runtime", "runtime/base", "verify"):
        (root / "python/graphmend" / folder / "__init__.py").touch()
    (root / "python/graphmend/verify/text.py").write_text("def f(x: int) -> str:\n    return x\n")
    limits(root, "types", {})
    assert check(root, "types") == (1, "types: verify has 1, the limit is 0\n")
    found: dict[str, Any] = {"verify": 1}
    limits(root, "types", found)
    assert check(root, "types")[0] == 0
