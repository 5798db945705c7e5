"""A file that is too large is told as a notice in every format; the exit status stays, and `fix` leaves it alone."""

from __future__ import annotations

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from threat_limits import run

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from growth_forms import FORMS  # noqa: E402
from growth_mixed import MIXED  # noqa: E402
from growth_shapes import S as SHAPES  # noqa: E402

WORDS = "too large, not analysed"
FORMATS = ["full", "concise", "json", "json-lines", "github", "gitlab", "sarif", "junit"]
TEXT = SHAPES["elif"](7000).replace("def f", "@torch.compile\ndef f")


def write(folder: Path) -> None:
    """A file beyond the budget beside one that is fine."""
    (folder / "large.py").write_text(TEXT)
    (folder / "small.py").write_text("x = 1\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def checked(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], subprocess.CompletedProcess]:
    """What `check` says of such a folder in a format: the large file takes a second under the sanitizers."""
    folder = tmp_path_factory.mktemp("large")
    write(folder)

    @functools.cache
    def check(form: str) -> subprocess.CompletedProcess:
        return run([executable, "check", "--no-cache", "--output-format", form, "."], folder=folder)

    return check


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_tells_it_and_passes(checked: Callable[[str], subprocess.CompletedProcess], form: str) -> None:
    ran = checked(form)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count(WORDS) == (2 if form == "junit" else 1)
    assert "syntax" not in ran.stdout.replace('"id": "syntax"', "").replace('"syntax-error"', "").replace(
        '"syntax error"', ""
    )


def test_levels(checked: Callable[[str], subprocess.CompletedProcess]) -> None:
    def told(form: str) -> str:
        return checked(form).stdout

    (file,) = json.loads(told("json"))
    assert file["diagnostics"] == file["findings"] == []
    assert (file["notices"][0]["code"], file["notices"][0]["level"]) == ("too-large", "notice")
    assert json.loads(told("json-lines"))["level"] == "notice"
    assert told("github").startswith("::notice file=large.py")
    assert json.loads(told("gitlab"))[0]["severity"] == "info"
    (one,) = json.loads(told("sarif"))["runs"][0]["results"]
    assert (one["ruleId"], one["level"]) == ("too-large", "note")
    suites = ElementTree.fromstring(told("junit"))
    assert suites.get("failures") == "0" and suites.find(".//skipped") is not None and suites.find(".//failure") is None
    assert told("full").endswith("no findings in 2 files, 1 not analysed\n")


def test_a_finding_beside_it_still_fails(executable: str, folder: Path) -> None:
    (folder / "small.py").write_text("x = = 1\n")
    assert run([executable, "check", "--no-cache", "."], folder=folder).returncode == 1


def test_it_is_kept(executable: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second run tells what the first has kept."""
    (folder / "cache").mkdir(mode=0o700)
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(folder / "cache"))
    first, second = (run([executable, "check", "."], folder=folder) for _ in range(2))
    assert first.stdout == second.stdout and WORDS in second.stdout and second.returncode == 0


@pytest.mark.parametrize("command", [["fix", "--unsafe"], ["check", "--add-ignore"]])
def test_it_is_left_alone(executable: str, folder: Path, command: list[str]) -> None:
    ran = run([executable, *command, "."], folder=folder)
    assert ran.returncode == 0 and f"`large.py`: {WORDS}" in ran.stderr
    assert (folder / "large.py").read_text() == TEXT


def test_many_bindings_at_one_place(executable: str, tmp_path: Path) -> None:
    """Behind 128 bindings that may have been the last one, a question about a variable costs no more than before."""
    path = tmp_path / "conditions.py"
    path.write_text(FORMS["walrus_ifs"](3000))
    ran = run([executable, "check", "--all", "--no-cache", str(path)], folder=tmp_path)
    assert WORDS not in ran.stdout and ran.returncode == 1, ran.stdout[-300:]


def test_fix_says_why_where_check_is_within_its_budget(executable: str, tmp_path: Path) -> None:
    """`fix` analyses what `check` of compiled code does not: `check` has nothing to say of the file."""
    text = MIXED["deco_lambdas"](16_000)
    (tmp_path / "a.py").write_text(text)
    assert run([executable, "check", "--isolated", "--no-cache", "a.py"], folder=tmp_path).stdout.startswith("no find")
    ran = run([executable, "fix", "--isolated", "a.py"], folder=tmp_path)
    why = f"{WORDS}: this would take far more work or memory than its length stands for; the file is left alone"
    assert ran.returncode == 0 and ran.stderr == f"graphmend: `a.py`: {why}\n"
    assert (tmp_path / "a.py").read_text() == text
