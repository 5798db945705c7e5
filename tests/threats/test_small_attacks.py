"""Where a file, its settings or its findings took time by their square, or reached a tool as they are."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_shapes import S as SHAPES  # noqa: E402

MARKS = "\u202ea\u2066b\u200fc"


def seconds(command: list[str], folder: Path) -> float:
    """CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run(command, folder=folder).returncode in (0, 1)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


SIZES = {
    "bufs": 25000,
    "find_line": 100000,
    "prints": 80000,
    "ternary_s": 50000,
    "noqa": 50000,
    "noqa2": 50000,
    "self_set": 50000,
    "compiles": 50000,
}


@pytest.mark.parametrize("name", SIZES)
def test_straight_code(executable: str, tmp_path: Path, name: str) -> None:
    """A megabyte or more of it takes its share of time; by the square it were seconds to minutes."""
    if "sanitize" in executable:
        pytest.skip("the sanitizers have a pace of their own")
    (tmp_path / "a.py").write_text(SHAPES[name](SIZES[name]))
    for command in (["check", "--no-cache"], ["fix", "--unsafe", "--diff"]):
        assert seconds([executable, *command, "--isolated", "a.py"], tmp_path) < 2.5, command


def test_syntax_errors(executable: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("ere it is:\n```json\nYes\n```\n" * 40000)
    assert seconds([executable, "check", "--no-cache", "a.py"], tmp_path) < (30 if "sanitize" in executable else 1.5)


def test_many_findings_in_formats(executable: str, tmp_path: Path) -> None:
    """Fingerprints of GitLab and a baseline of tens of thousands of findings, all alike."""
    count = 4000 if "sanitize" in executable else 40000
    (tmp_path / "a.py").write_text(
        "import torch\n@torch.compile\ndef f(x):\n" + "    print(x)\n" * count + "    return x\n"
    )
    limit = 60 if "sanitize" in executable else 6
    told = run([executable, "check", "--no-cache", "--output-format", "gitlab", "a.py"], folder=tmp_path)
    prints = [one["fingerprint"] for one in json.loads(told.stdout)]
    assert len(set(prints)) == len(prints) == count
    assert seconds([executable, "check", "--write-baseline=b.json", "a.py"], tmp_path) < limit
    assert seconds([executable, "check", "--baseline=b.json", "a.py"], tmp_path) < limit
    assert run([executable, "check", "--baseline=b.json", "a.py"], folder=tmp_path).returncode == 0


def test_many_keys_of_settings(executable: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[other]\n" + "".join(f"key{i} = 1\n" for i in range(100000)))
    (tmp_path / "a.py").write_text("x = 1\n")
    assert seconds([executable, "check", "--no-cache", "a.py"], tmp_path) < (30 if "sanitize" in executable else 2)


@pytest.mark.parametrize("form", ["json", "json-lines", "gitlab", "sarif", "junit", "github", "full", "concise"])
def test_marks_of_direction(executable: str, tmp_path: Path, form: str) -> None:
    """No format hands them on as they are, JSON keeps what they say."""
    (tmp_path / f"{MARKS}.py").write_text("x = = 1\n")
    ran = subprocess.run(
        [executable, "check", "--no-cache", "--output-format", form, "."],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    told = ran.stdout.decode()
    assert ran.returncode == 1 and not any(mark in told for mark in "\u202e\u2066\u200f")
    if form == "gitlab":
        assert json.loads(told)[0]["location"]["path"].endswith(f"{MARKS}.py")


def test_delete_in_junit(executable: str, tmp_path: Path) -> None:
    """XML may hold U+007F, a terminal shows nothing of it."""
    (tmp_path / "a\x7f\x7fb.py").write_text("x = = 1\n")
    ran = run([executable, "check", "--no-cache", "--output-format", "junit", "."], folder=tmp_path)
    assert ran.returncode == 1 and "\x7f" not in ran.stdout and "b.py" in ran.stdout


def test_paths_of_debug(executable: str, tmp_path: Path) -> None:
    (tmp_path / "a\x1b[2J\n.py").write_text("x = 1\n")
    assert run([executable, "debug", "paths", "."], folder=tmp_path).stdout == "a\\x1b[2J\\n.py\n"
