"""Which files a search leaves out: patterns of `.gitignore` as git reads them, and folders that nobody means."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ["", "a/", "b/", "a/b/", "a/b/c/", "ab/", "c/a/", "c/a/b/"]
NAMES = ["a.py", "b.py", "ab.py", "ba.py", "a b.py", "[a].py", "x-y.py", "aa.pyi", "x.txt"]
PIECES = [
    "a",
    "b",
    "ab",
    "*",
    "?",
    "**",
    "[ab]",
    "[!a]",
    "[^b]",
    "[a-c]",
    "[]a]",
    "[a",
    ".py",
    "*.py",
    "a*",
    "*b*",
    "\\a",
    "\\[",
]
CASES = 250


def pattern(chance: random.Random) -> str:
    parts = ["".join(chance.choice(PIECES) for _ in range(chance.randint(1, 2))) for _ in range(chance.randint(1, 3))]
    parts = [re.sub(r"\*{2,}", "**" if part == "**" else "*", part) for part in parts]
    text = "/".join(parts)
    text = (
        chance.choice(["", "", "", "/", "!", "!/", "**/"])
        + text
        + chance.choice(["", "", "", "/", "/**", "/*", " ", "  "])
    )
    return chance.choice([text, text, text, f"# {text}", ""]) if chance.random() < 0.3 else text


def tree(folder: Path) -> None:
    for inner in FOLDERS:
        (folder / inner).mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (folder / inner / name).write_text("x = 1\n")


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_patterns_are_those_of_git(executable: str, tmp_path: Path) -> None:
    tree(tmp_path)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    listing = ["git", "-c", "core.quotePath=false", "ls-files", "--others", "--exclude-standard", "-z"]
    chance, left_out = random.Random(1), set()
    for _ in range(CASES):
        told = {}
        for inner in chance.sample(["", "a/", "c/", "a/b/"], chance.choice([1, 1, 2, 3])):
            lines = [pattern(chance) for _ in range(chance.randint(1, 4))]
            told[inner] = chance.choice(["\n", "\n", "\r\n"]).join(lines) + chance.choice(["", "\n"])
            (tmp_path / inner / ".gitignore").write_text(told[inner], newline="")
        git = subprocess.run(listing, cwd=tmp_path, capture_output=True, text=True, check=True)
        expected = {name for name in git.stdout.split("\0") if name.endswith(".py")}
        done = subprocess.run([executable, "debug", "paths", "."], cwd=tmp_path, capture_output=True, text=True)
        found = {line.removeprefix("./") for line in done.stdout.splitlines()}
        assert found == expected, (told, sorted(found ^ expected))
        left_out.add(len(expected))
        for inner in told:
            (tmp_path / inner / ".gitignore").unlink()
    assert len(left_out) > 20


def test_folders_that_nobody_means(executable: str, tmp_path: Path) -> None:
    source = (ROOT / "src" / "driver" / "discover.c").read_text(encoding="utf-8")
    table = source[source.index("skipped_folders[] = {") :]
    skipped = re.findall(r'"([^"]+)"', table[: table.index("};")])
    assert len(skipped) > 3
    for name in [*skipped, ".hidden", "seen", f"{skipped[0]}x"]:
        (tmp_path / "inner" / name).mkdir(parents=True)
        (tmp_path / "inner" / name / "a.py").write_text("x = 1\n")
    done = subprocess.run([executable, "debug", "paths", "."], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == sorted(["inner/seen/a.py", f"inner/{skipped[0]}x/a.py"])
    for name in [*skipped, ".hidden"]:
        named = f"inner/{name}"
        done = subprocess.run([executable, "debug", "paths", named], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout.splitlines() == [f"{named}/a.py"], name
