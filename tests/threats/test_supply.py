"""What is installed is named by version and hash, actions by commit, and nothing by a name that is not ours."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
UPPER = re.compile(r"==|<")
ROOTS = ("certifi",)  # a list of authorities and no code: an old one would still trust who is trusted no more


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_package_of_a_lock_has_a_version_and_hashes(lock: Path) -> None:
    text = re.sub(r"\\\n", " ", lock.read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert lines
    for line in lines:
        assert re.match(r"^[\w.\[\]-]+==[^\s;]+", line) and re.search(r"--hash=sha256:[0-9a-f]{64}", line), line
        assert not re.search(r"https?://|file:|--(extra-)?index|--find|--trusted", line)


def test_every_wish_has_a_lock() -> None:
    """And those that are ours have an upper end; what stands below the remark about torch is torch's."""
    for wishes in (ROOT / "requirements").glob("*.in"):
        own, _, torchs = wishes.read_text().partition("# What torch needs.")
        locked = {re.split("==", line)[0].lower() for line in wishes.with_suffix(".txt").read_text().splitlines()}
        for line in (own + "#" + torchs).splitlines():
            name = re.match(r"^[\w-]+", line)
            assert name is None or name.group().lower() in locked
            assert name is None or line in torchs or name.group() in ROOTS or UPPER.search(line.partition(";")[0]), line


def test_extras_have_upper_ends() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    wishes = re.findall(r'"([\w-]+>=[^"]+)"', text)
    assert len(wishes) >= 4 and all("<" in wish or wish.startswith(ROOTS) for wish in wishes)


def test_actions_are_named_by_commit() -> None:
    workflows = [
        *(ROOT / "examples").rglob("*.yml"),
        *(ROOT / "examples").rglob("*.yaml"),
        *(ROOT / "docs").rglob("*.md"),
    ]
    used = [line for path in workflows for line in path.read_text().splitlines() if re.match(r"\s*-?\s*uses:", line)]
    assert used and all(re.search(r"@[0-9a-f]{40} # v\d", line) for line in used), used


def test_nothing_is_installed_by_a_name_that_is_not_ours() -> None:
    """Code of others would come: the repository is installed instead."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if listed.returncode != 0:
        pytest.skip("no clone")
    by_name = re.compile(
        rb"""(pip|pipx|uv|uvx)( \w+)* +(-\S+ +)*["']?graphmend(\[\w+\])?["']?(\s*$|\s+[^@\s]|[`;)])""", re.MULTILINE
    )
    for name in filter(None, listed.stdout.split(b"\0")):
        path = ROOT / name.decode()
        if path.is_file() and path.name != Path(__file__).name:
            assert not by_name.search(path.read_bytes()), path
