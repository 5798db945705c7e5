"""tools/new_rule.py: what it writes builds, and finds what its cases say."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rule_cases import read
from test_rules import findings, rule_codes, run

ROOT = Path(__file__).resolve().parents[2]
WANTED = ["GM990", "sleep-in-graph", "--break", "GB0059", "--call", "os.sync"]


def new_rule(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "tools/new_rule.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The parts of the project that the tool reads and the build needs."""
    root = tmp_path / "project"
    for name in ("src", "include", "data", "tools", "tests/rules"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "CMakeLists.txt", root)
    return root


def test_rule_builds_and_finds(copy: Path, tmp_path: Path) -> None:
    cmake = shutil.which("cmake")
    assert cmake, "cmake is not on PATH; `make test` brings it"
    done = new_rule(copy, *WANTED)
    assert (done.returncode, done.stderr) == (0, "")
    build = tmp_path / "build"
    configure = [cmake, "-S", str(copy), "-B", str(build), "-DCMAKE_BUILD_TYPE=Debug", "-DGM_WERROR=ON"]
    for command in (configure, [cmake, "--build", str(build), "--parallel", "2", "--target", "graphmend-cli"]):
        made = subprocess.run(command, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr
    executable = str(build / "graphmend")
    assert "GM990" in rule_codes(executable)
    assert run(executable, "rule", "GM990").startswith("# GM990 sleep in graph\n\n## What it finds\n")
    cases = read(copy / "tests/rules/gm990.md")
    assert [case.heading for case in cases] == ["Reports only", "Stays silent"]
    for case in cases:
        path = tmp_path / f"case_{case.line}.py"
        path.write_text(case.text, encoding="utf-8")
        found = [(finding["line"], finding["code"], finding["reason"]) for finding in findings(executable, path)]
        assert found == [(expected.line, expected.code, expected.reason) for expected in case.expected]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["GM101", "new-name"], "`GM101` is taken by src/rules/gm101_branch.c"),
        (["GM990", "print-in-graph"], "`print-in-graph` is taken by src/rules/gm301_print.c"),
        (["G990", "new-name"], "`G990` is no code"),
        (["GM990", "New Name"], "`New Name` is no name"),
        (["GM990", "new-name", "--break", "GB9999"], "PyTorch has no graph break `GB9999`"),
        (["GM990", "new-name", "--call", "sleep"], "`sleep` is no qualified name"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_arguments_write_nothing(copy: Path, arguments: list[str], text: str) -> None:
    before = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    done = new_rule(copy, *arguments)
    assert done.returncode == 1 and done.stderr.startswith(f"new_rule: {text}")
    assert {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()} == before
