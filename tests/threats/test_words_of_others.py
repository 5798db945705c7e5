"""Names, source and settings reach a terminal or a log as text, never as what they would do there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from graphmend import terminal

FINDING = (
    "import torch\n@torch.compile\ndef f(x):\n"
    "    if x.sum() > 0:  # {note}\n        y = x + 1\n    else:\n        y = x - 1\n    return y\n"
)
HOSTILE = ["\x1b[31m", "\x9b31m", "\u202e", "\u2066", "\r", "\x07", "\x7f"]


def run(executable: str, folder: Path, *arguments: str, actions: bool = False) -> str:
    """All that a command says."""
    environment = {**os.environ, "NO_COLOR": "1"}
    environment.pop("GITHUB_ACTIONS", None)
    if actions:
        environment["GITHUB_ACTIONS"] = "true"
    ran = subprocess.run([executable, *arguments], cwd=folder, env=environment, capture_output=True, check=False)
    return (ran.stdout + ran.stderr).decode()


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("report", ["full", "concise", "github"])
def test_in_a_name_and_in_source(executable: str, tmp_path: Path, hostile: str, report: str) -> None:
    """A file's name and a comment on the marked line."""
    (tmp_path / f"a{hostile}b.py").write_text(FINDING.format(note=hostile.replace("\r", "")), newline="")
    said = run(executable, tmp_path, "check", "--no-cache", "--all", "--output-format", report, ".")
    assert said.strip()
    assert hostile not in said


@pytest.mark.parametrize(
    "arguments", [["check"], ["fix"], ["check", "--select"], ["check", "--output-format"], ["rule"]]
)
def test_in_arguments(executable: str, tmp_path: Path, arguments: list[str]) -> None:
    """What is typed comes back in the error."""
    said = run(executable, tmp_path, *arguments, "\x1b[2J\n::error::x", "x.py", actions=True)
    assert "\x1b" not in said
    assert not any(line.lstrip().startswith("::") for line in said.splitlines())


@pytest.mark.parametrize("report", ["full", "concise", "json", "junit", "gitlab", "sarif"])
def test_workflow_commands_are_broken(executable: str, tmp_path: Path, report: str) -> None:
    """A name with a line end in it, a path that does not exist, an excerpt."""
    (tmp_path / "a\n::error::owned.py").write_text(FINDING.format(note="##[error]owned ::error::owned"))
    (tmp_path / "pyproject.toml").write_text('[tool.graphmend]\nselect = ["x\\n::error::owned"]\n')
    for arguments in (["--isolated", "."], ["."], ["no\n::error::owned.py"]):
        said = run(executable, tmp_path, "check", "--no-cache", "--output-format", report, *arguments, actions=True)
        assert not any(line.lstrip().startswith("::") for line in said.splitlines())
        assert report in ("json", "junit", "gitlab", "sarif") or "##[error]" not in said


def test_a_patch_has_one_header(executable: str, tmp_path: Path) -> None:
    """The name of a file cannot end the line of a header."""
    (tmp_path / "a\n--- a").mkdir()
    (tmp_path / "a\n--- a" / "b.py").write_text(FINDING.format(note=""))
    said = run(executable, tmp_path, "fix", "--unsafe", "--diff", ".")
    assert len([line for line in said.splitlines() if line.startswith("--- ")]) == 1


@pytest.mark.parametrize("machine", ["TF_BUILD", "TEAMCITY_VERSION"])
def test_commands_of_other_machines(
    executable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    """Azure and TeamCity obey lines of a log as GitHub does."""
    monkeypatch.setenv(machine, "1")
    words = "##vso[task.setvariable variable=a]b ##teamcity[message] ##[error]"
    (tmp_path / f"{words}.py").write_text(FINDING.format(note=words))
    said = run(executable, tmp_path, "check", "--no-cache", ".") + run(executable, tmp_path, "check", f"{words}.txt")
    said += terminal.visible(words)
    assert "vso" in said and not any(command in said for command in ("##vso[", "##teamcity[", "##["))
