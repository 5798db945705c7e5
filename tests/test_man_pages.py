"""The manual pages say what `--help` says, in the form that `man` reads."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"]


@pytest.fixture(scope="module")
def made(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of pages."""
    folder = tmp_path_factory.mktemp("man")
    program = str(ROOT / "tools" / "man_pages.py")
    subprocess.run([sys.executable, program, str(folder), "--graphmend", executable], check=True)
    return folder


def told(executable: str, *words: str) -> str:
    return subprocess.run([executable, *words], check=True, capture_output=True, text=True).stdout


def plain(troff: str) -> str:
    """Text without escapes."""
    return troff.replace("\\-", "-").replace("\\&", "").replace("\\fB", "").replace("\\fR", "").replace("\\e", "\\")


def test_every_command_has_a_page(made: Path, executable: str) -> None:
    commands = set(re.findall(r"^  (\w+) ", told(executable, "--help"), re.MULTILINE)) - {"debug"}
    assert {path.stem for path in made.iterdir()} == {"graphmend"} | {f"graphmend-{each}" for each in commands}


def test_a_page_has_what_help_has(made: Path, executable: str) -> None:
    for path in made.glob("graphmend-*.1"):
        text = path.read_text(encoding="utf-8")
        sections = re.findall(r"^\.SH (.+)$", text, re.MULTILINE)
        assert sections == [section for section in SECTIONS if section in sections]
        words = " ".join(re.sub(r"^\..*$", "", plain(text), flags=re.MULTILINE).split())
        help_text = told(executable, path.stem.removeprefix("graphmend-"), "--help").replace("Exit status:", "\n")
        for line in help_text.replace("usage: ", "").replace("options:", "").splitlines():
            assert " ".join(line.split()) in words, (path.name, line)


@pytest.mark.skipif(shutil.which("groff") is None, reason="ALOUD: tests/test_man_pages.py: groff is not installed")
def test_groff_has_no_complaint(made: Path) -> None:
    pages = [str(path) for path in sorted(made.iterdir())]
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", *pages], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == ""
