"""What people type who know other linters: paths left out, names of rules, files left out, settings from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import time

import pytest
from watching import next_report

BREAKS = """import torch


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            print("seen")
        return x
"""


def codes(text: str) -> "list[str]":
    return re.findall(r"(?m)^\S+:\d+:\d+: (\w+)", text)


def test_without_a_path_it_is_the_current_folder(cli) -> None:
    cli.write("a.py", BREAKS)
    assert cli("check").out == cli("check", ".").out
    assert cli("fix", "--diff").status == cli("fix", "--diff", ".").status


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--select", "print-in-graph"], ["GM301"]),
        (["--select", "gm301"], ["GM301"]),
        (["--select", "PRINT-IN-GRAPH,gm1"], ["GM101", "GM301"]),
        (["--ignore", "data-dependent-branch"], ["GM301"]),
        (["--select", "GM101", "--extend-select", "GM3"], ["GM101", "GM301"]),
    ],
)
def test_rules_have_codes_and_names(cli, options, found) -> None:
    cli.write("a.py", BREAKS)
    assert codes(cli("check", "--output-format", "concise", *options, "a.py").out) == found


def test_names_of_rules_in_settings(cli) -> None:
    cli.write("a.py", BREAKS)
    cli.write("pyproject.toml", '[tool.graphmend]\nselect = ["print-in-graph"]\n')
    assert codes(cli("check", "--output-format", "concise").out) == ["GM301"]
    assert codes(cli("check", "--output-format", "concise", "--extend-select", "GM101").out) == ["GM101", "GM301"]


def test_settings_of_another_file(cli) -> None:
    cli.write("a.py", BREAKS)
    cli.write("pyproject.toml", '[tool.graphmend]\nselect = ["GM301"]\n')
    cli.write("other.toml", '[tool.graphmend]\nselect = ["GM101"]\n')
    assert codes(cli("check", "--output-format", "concise", "--config", "other.toml").out) == ["GM101"]
    cli.write("none.toml", "[tool.other]\n")
    assert cli("check", "--config", "none.toml").status == 2


def test_files_are_left_out(cli) -> None:
    for name in ("a.py", "sub/b.py", "sub/c_pb2.py"):
        cli.write(name, BREAKS)
    assert cli("check", "--show-files").out.splitlines() == ["a.py", "sub/b.py", "sub/c_pb2.py"]
    assert cli("check", "--show-files", "--exclude", "*_pb2.py,a.py").out.splitlines() == ["sub/b.py"]
    assert cli("check", "--show-files", "--exclude", "sub").out.splitlines() == ["a.py"]
    assert cli("check", "--exclude", "a.py", "a.py").status == 1  # what is named is looked at
    assert cli("check", "--exclude", "a.py", "--force-exclude", "a.py").status == 0


def test_settings_are_shown(cli) -> None:
    cli.write("a.py", BREAKS)
    cli.write("pyproject.toml", '[tool.graphmend]\nselect = ["GM3"]\nexclude = ["sub"]\n')
    shown = cli("check", "--show-settings", "--ignore", "GM302").out
    for line in ("select = GM3", "ignore = GM302", "exclude = sub", "torch-version = 2.13", "all = false"):
        assert f"  {line}\n" in shown
    assert re.match(r"settings of a\.py: /.*pyproject\.toml\n", shown)


def test_the_report_goes_to_a_file(cli) -> None:
    cli.write("a.py", BREAKS)
    ended = cli("check", "--output-format", "sarif", "--output-file", "out.sarif", "a.py")
    assert (ended.status, ended.out, ended.err) == (1, "", "")
    written = (cli.folder / "out.sarif").read_text()
    assert written == cli("check", "--output-format", "sarif", "a.py").out


@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_is_findings_alone(cli, option) -> None:
    cli.write("a.py", BREAKS)
    cli.write("b/c.txt", "no Python")
    assert codes(cli("check", option, "a.py").out) == ["GM101", "GM301"]
    assert "findings in" not in cli("check", option, "a.py").out
    assert (cli("check", option, "b").err, cli("check", option, "b").out) == ("", "")


def test_a_folder_without_python_files_is_a_warning(cli) -> None:
    cli.write("b/c.txt", "no Python")
    ended = cli("check", "b")
    assert (ended.status, ended.err) == (0, "graphmend: warning: `b` holds no Python files\n")


def test_versions_and_help(cli) -> None:
    assert cli("-V").out == cli("--version").out != ""
    assert cli("help", "check").out == cli("check", "--help").out != ""
    assert cli("help").out == cli("--help").out


def test_pages_and_the_list_of_rules(cli) -> None:
    assert cli("rule", "gm101").out == cli("rule", "GM101").out == cli("rule", "Data-Dependent-Branch").out != ""
    lines = cli("rule").out.splitlines()
    listed = [line.split()[0] for line in lines]
    assert listed == sorted(listed) and len(listed) > 15
    assert all(len(line.split()) > 3 for line in lines)


@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "0"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colors_by_the_environment(cli, environment, colored) -> None:
    cli.write("a.py", BREAKS)
    assert ("\033[" in cli("check", "a.py", **environment).out) is colored


@pytest.mark.parametrize(
    ("text", "width"),
    [("é", 1), ("e\u0301", 1), ("世界", 4), ("👍", 2), ("a\u200bb", 3), ("\t", 1), ("한글", 4), ("\ufe0f", 0)],
    ids=["accent", "combining", "wide", "emoji", "no width", "tab", "Hangul", "selector"],
)
def test_carets_stand_below_what_they_mark(cli, text, width) -> None:
    """`width` columns of a terminal for a text in front of the mark, and for the same inside of it.

    A character that nobody would see is shown, and takes a column.
    """
    cli.write("a.py", BREAKS.replace('print("seen")', f"y = '{text}'; print('{text}')"))
    lines = cli("check", "--select", "GM301", "a.py").out.splitlines()
    bar, carets = next((line.index("|"), line) for line in lines if "^" in line)
    assert carets.expandtabs(1).index("^") - bar == 2 + 12 + len("y = ''; ") + width
    assert carets.count("^") == len("print('')") + width


def test_watch_reports_again(cli) -> None:
    path = cli.write("a.py", BREAKS)
    command = [cli.executable, "check", "--watch", "--no-cache", "a.py"]
    with subprocess.Popen(command, cwd=cli.folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert codes(next_report(process)) == ["GM101", "GM301"]
            path.write_text("x = 1\n")
            os.utime(path, (time.time() + 5, time.time() + 5))
            assert next_report(process) == "no findings in 1 file\n"
        finally:
            process.kill()
