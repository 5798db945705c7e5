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
UNSEEN = (
    "\t\xad\u034f\u115f\u180e\u200b\u200c\u200d\u200e\u2028\u2029\u2060\u3164\ufeff\uffa0\U000e0041"
    "\udcff\udced\udca0\udc80"
)
REPORTS = ["full", "concise", "github", "json", "json-lines", "sarif", "gitlab", "junit"]


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


@pytest.mark.parametrize("report", REPORTS)
def test_what_is_not_seen_in_a_name(executable: str, tmp_path: Path, report: str) -> None:
    """Two names that look alike do not in a report; bytes that are no UTF-8, halves of pairs among them, are shown."""
    name = f"a{UNSEEN}b.py"
    (tmp_path / name).write_text(FINDING.format(note=""))
    said = run(executable, tmp_path, "check", "--no-cache", "--output-format", report, ".")
    assert said.strip() and not any(one in said for one in UNSEEN)
    if report in ("full", "concise"):
        assert r"a\t\xad\u034f" in said and r"\U000e0041\xff\xed\xa0\x80b.py" in said


@pytest.mark.parametrize("arguments", [["check"], ["fix"], ["check", "--select"], ["rule"], ["run"]])
def test_what_is_not_seen_in_errors(executable: str, tmp_path: Path, arguments: list[str]) -> None:
    said = run(executable, tmp_path, *arguments, f"a{UNSEEN}b")
    assert "\\t" in said and not any(one in said for one in UNSEEN)


@pytest.mark.parametrize("unseen", ["\u200b", "\u2060", "\ufeff", "\U000e0041"])
def test_what_is_not_seen_in_source(executable: str, tmp_path: Path, unseen: str) -> None:
    """The mark below still stands where it should; joiners of emoji and tabs are kept."""
    source = FINDING.format(note="")
    (tmp_path / "a.py").write_text(source.replace("x.sum()", f'x["{unseen}"].sum()').replace("0:", "0 and\t'\u200d':"))
    said = run(executable, tmp_path, "check", "--no-cache", "--all", ".")
    assert "x[\"?\"].sum() > 0 and\t'\u200d':" in said and unseen not in said


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
