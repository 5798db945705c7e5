"""tools/check_references.py: names of files in documents, and the glossary."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROW = "| {} | A sentence. | `{}` |\n"


def check(root: Path) -> tuple[int, str]:
    command = [sys.executable, str(ROOT / "tools/check_references.py"), str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout


def project(root: Path, glossary: str, text: str = "") -> Path:
    for name in ("docs", "python/graphmend/runtime/base", "src/flow"):
        (root / name).mkdir(parents=True)
    (root / "docs/glossary.md").write_text(f"# Glossary\n\n{glossary}")
    (root / "docs/page.md").write_text(text)
    (root / "src/flow/region.c").touch()
    (root / "python/graphmend/runtime/base/hooks.py").write_text('"""Hooks (region.c)."""\nNAME = "`absent.py`"\n')
    return root


def test_the_project_names_files_that_are_there() -> None:
    assert check(ROOT)[0] == 0


def test_names_that_are_right(tmp_path: Path) -> None:
    rows = ROW.format("hook", "runtime/base/hooks.py") + ROW.format("region", "src/flow/region.c")
    status, text = check(project(tmp_path, rows, "`base/hooks.py` and [region](../src/flow/region.c)"))
    assert (status, text.startswith("references: ")) == (0, True), text


def test_files_that_are_gone(tmp_path: Path) -> None:
    root = project(tmp_path, ROW.format("hook", "runtime/base/hooks.py"), "first\nsee `old/hooks.py`\n")
    (root / "python/graphmend/runtime/base/other.py").write_text("# like `fills.py`\n")
    assert check(root) == (
        1,
        "docs/page.md:2: `old/hooks.py` is not there\n"
        "python/graphmend/runtime/base/other.py:1: `fills.py` is not there\n",
    )


def test_terms_of_the_glossary(tmp_path: Path) -> None:
    rows = ROW.format("region", "src/flow/region.c") + ROW.format("hook", "runtime/base/gone.py")
    status, text = check(project(tmp_path, rows))
    assert status == 1 and "not in order" in text and "`hook` stands at `runtime/base/gone.py`" in text


def test_two_test_files_of_one_name(tmp_path: Path) -> None:
    root = project(tmp_path, ROW.format("hook", "runtime/base/hooks.py"))
    for folder in ("cli", "flow"):
        (root / "tests" / folder).mkdir(parents=True)
        (root / "tests" / folder / "test_one.py").touch()
    status, text = check(root)
    assert (status, text) == (1, "tests/flow/test_one.py: the name is that of tests/cli/test_one.py\n")
