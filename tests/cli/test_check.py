"""`graphmend check` over tests/data/check, to the letter.

The expected texts are in tests/data/check/expected. After a change that is meant, `GRAPHMEND_ACCEPT=1 pytest tests/cli`
writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "check"
REPORTS = {
    "full.txt": ["check", "."],
    "all.txt": ["check", "--all", "--output-format", "concise", "."],
    "concise.txt": ["check", "--output-format", "concise", "model.py", "broken.py"],
    "github.txt": ["check", "--output-format", "github", "."],
    "json.txt": ["check", "--all", "--output-format", "json", "."],
    "json-lines.txt": ["check", "--output-format", "json-lines", "."],
    "gitlab.txt": ["check", "--output-format", "gitlab", "."],
    "sarif.txt": ["check", "--output-format", "sarif", "."],
    "junit.txt": ["check", "--output-format", "junit", "."],
    "statistics.txt": ["check", "--statistics", "--all", "."],
    "statistics-json.txt": ["check", "--statistics", "--output-format", "json", "."],
    "color.txt": ["check", "--color", "always", "--select", "GM1", "model.py"],
    "select.txt": ["check", "--output-format", "concise", "--all", "--select", "GM3", "--ignore", "GM303", "model.py"],
    "rules.txt": ["rule"],
}


@pytest.fixture
def samples(cli) -> None:
    for path in SAMPLES.glob("*.py"):
        shutil.copy(path, cli.folder)


def compare(name: str, text: str) -> None:
    path = SAMPLES / "expected" / name
    if os.environ.get("GRAPHMEND_ACCEPT") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", REPORTS)
def test_reports(cli, samples, name) -> None:
    before = cli.snapshot()
    ended = cli(*REPORTS[name])
    compare(name, ended.out)
    assert ended.err == ""
    assert ended.status == (0 if name == "rules.txt" else 1)
    assert cli.snapshot() == before


def test_every_format_has_an_expected_report(cli, samples) -> None:
    """The table of formats is what the command names when it does not know one."""
    names = cli("check", "--output-format", "?", ".").err.strip().partition("there are ")[2].split(", ")
    assert names and {f"{name}.txt" for name in names} <= REPORTS.keys()


def test_json_is_json(cli, samples) -> None:
    """What docs/json.md promises of every member, and that text and JSON speak of the same places."""
    files = json.loads(cli("check", "--output-format", "json", "--all", ".").out)
    assert [file["path"] for file in files] == ["broken.py", "model.py"]
    broken, model = files
    assert broken["findings"] == [] and len(broken["diagnostics"]) == 1
    places = {"line": int, "column": int, "end_line": int, "end_column": int, "message": str}
    assert {key: type(value) for key, value in broken["diagnostics"][0].items()} == places
    assert model["diagnostics"] == [] and model["findings"]
    more = {
        "code": str,
        "name": str,
        "break_id": str,
        "level": str,
        "site": list,
        "callers": int,
        "certain": bool,
        "reached": bool,
        "run": bool,
        "fix": str,
    }
    for finding in model["findings"]:
        texts = {key: finding.pop(key) for key in ("because", "advice", "reason", "run_note", "fix_note")}
        assert all(value is None or isinstance(value, str) for value in texts.values())
        assert (texts["reason"] is None) == (finding["level"] != "advice")
        assert {key: type(value) for key, value in finding.items()} == {**places, **more}
        assert (finding["line"], finding["column"]) < (finding["end_line"], finding["end_column"])
    lines = cli("check", "--output-format", "concise", "--all", "model.py").out.splitlines()
    shown = [line.split(" ")[0] for line in lines]
    assert shown == [f"model.py:{finding['line']}:{finding['column']}:" for finding in model["findings"]]


def test_columns_count_characters(cli) -> None:
    """A tab is one character, and so is one that UTF-8 writes in several bytes."""
    text = "import torch\n@torch.compile\ndef f(x):\n\tö = x; print(ö); print('é', '😀', x)\n\treturn x\n"
    cli.write("a.py", text)
    (file,) = json.loads(cli("check", "--output-format", "json", "a.py").out)
    line = text.splitlines()[3]
    found = [line[finding["column"] - 1 : finding["end_column"] - 1] for finding in file["findings"]]
    assert found == ["print(ö)", "print('é', '😀', x)"]


def test_mark_stands_below_what_it_marks(cli) -> None:
    cli.write("a.py", "import torch\n@torch.compile\ndef f(x):\n\tö = x; print(ö)\n\treturn x\n")
    lines = cli("check", "a.py").out.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("    4 |"))
    assert lines[at] == "    4 | \tö = x; print(ö)"
    assert lines[at + 1] == "      | \t       ^^^^^^^^"


def test_control_characters_do_not_reach_the_terminal(cli) -> None:
    cli.write("a.py", "import torch\n@torch.compile\ndef f(x):\n    print('\x1b[31m', x)\n    return x\n")
    ended = cli("check", "a.py")
    assert "GM301" in ended.out and "\x1b" not in ended.out


def test_annotations_are_single_lines(cli, samples) -> None:
    for line in cli("check", "--output-format", "github", ".").out.splitlines():
        assert line.startswith(("::warning file=model.py,line=", "::error file=broken.py,line="))


def test_threads_change_nothing(cli, samples) -> None:
    for i in range(40):
        shutil.copy(cli.folder / "model.py", cli.folder / f"copy{i}.py")
    outputs = {cli("check", "--threads", str(count), ".").out for count in (1, 2, 8)}
    assert len(outputs) == 1


@pytest.mark.parametrize("comment", ["# graphmend: ignore", "# graphmend: ignore[GM301]", "# noqa", "# noqa: GM3"])
def test_comments_silence(cli, comment) -> None:
    cli.write("a.py", f"import torch\n@torch.compile\ndef f(x):\n    print(x)  {comment}\n    return x\n")
    assert cli("check", "a.py").status == 0


@pytest.mark.parametrize("comment", ["# graphmend: ignore[GM101]", "# noqa: E501", "# ignore", "# graphmend"])
def test_other_comments_do_not_silence(cli, comment) -> None:
    cli.write("a.py", f"import torch\n@torch.compile\ndef f(x):\n    print(x)  {comment}\n    return x\n")
    assert cli("check", "a.py").status == 1


def test_every_rule_has_a_page(cli) -> None:
    codes = [line.split()[0] for line in cli("rule").out.splitlines()]
    assert codes and len(set(codes)) == len(codes)
    for code in codes:
        page = cli("rule", code)
        assert (page.status, page.err) == (0, "")
        assert page.out.startswith(f"# {code} ")
        headings = [line for line in page.out.splitlines() if line.startswith("## ")]
        assert headings == ["## What it finds", "## Why it breaks", "## What to write", "## When the mend is safe"]


def test_help_names_every_option(cli) -> None:
    for command in ("check", "fix", "run", "rule"):
        ended = cli(command, "--help")
        assert ended.status == 0 and ended.out.startswith(f"usage: graphmend {command}") and ended.err == ""
    assert "--output-format" in cli("check", "--help").out


def test_version(cli) -> None:
    assert cli("--version").out == "graphmend 0.1.0\n"
