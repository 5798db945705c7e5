"""A limit of lexer or parser is told as such, with its place: correct Python is never called a syntax error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from threat_limits import run

OURS = "too large, not analysed: more than {} {}, a limit of graphmend"
# The text within the limit, the text beyond it, the line and column that are told, and the words.
LIMITS = {
    "branches": (
        "if a: pass\n" + "elif a: pass\n" * 5_999,
        "if a: pass\n" + "elif a: pass\n" * 12_000,
        (6_001, 1),
        OURS.format(6000, "branches (`if`, `elif`) within one another"),
    ),
    "else-if": (
        "if a: pass\n",
        "if a:\n    if b: pass\n" + "    elif b: pass\n" * 6_000,
        (6_002, 5),
        OURS.format(6000, "branches (`if`, `elif`) within one another"),
    ),
    "sum": (
        "x = 1" + " + 1" * 5_000 + "\n",
        "y = 2\nx = 1" + " + 1" * 6_000 + "\n",
        (2, 5),
        OURS.format(5000, "terms in one expression"),
    ),
    "attributes": (
        "x = a" + ".b" * 5_000 + "\n",
        "x = a" + ".b" * 6_000 + "\n",
        (1, 5),
        OURS.format(5000, "terms in one expression"),
    ),
    "minus": (
        "x = " + "-" * 2_900 + "1\n",
        "x = " + "-" * 4_000 + "1\n",
        (1, 5),
        OURS.format(3000, "levels of nesting"),
    ),
    "not": (
        "x = " + "not " * 2_900 + "1\n",
        "x = " + "not " * 4_000 + "1\n",
        (1, 5),
        OURS.format(3000, "levels of nesting"),
    ),
    "lambda": ("x = " + "lambda: " * 900 + "1\n", "x = " + "lambda: " * 4_000 + "1\n", None, "levels of nesting"),
    "power": ("x = " + "2 ** " * 900 + "1\n", "x = " + "2 ** " * 5_000 + "1\n", None, "a limit of graphmend"),
    "choices": (
        "x = " + "1 if a else " * 900 + "2\n",
        "x = " + "1 if a else " * 5_000 + "2\n",
        None,
        "levels of nesting",
    ),
    "digits": (
        "x = " + "1" * 4_300 + "\n",
        "x = " + "1" * 4_301 + "\n",
        (1, 5),
        "too large, not analysed: more than 4300 digits in a decimal number, a limit of Python that can be set",
    ),
}
ERRORS = {
    "parentheses": ("(" * 201 + "a" + ")" * 201 + "\n", "more than 200 nested parentheses, a limit of Python"),
    "blocks": (
        "".join(" " * depth + "if a:\n" for depth in range(100)) + " " * 100 + "b\n",
        "more than 100 levels of indentation, a limit of Python",
    ),
}


def report(executable: str, folder: Path, text: str) -> Any:
    (folder / "a.py").write_text(text)
    ran = run(
        [executable, "check", "--all", "--isolated", "--no-cache", "--output-format", "json", "a.py"], folder=folder
    )
    assert ran.returncode in (0, 1), ran.stderr
    (file,) = json.loads(ran.stdout) or [{"diagnostics": [], "notices": []}]
    return file


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_a_notice(executable: str, tmp_path: Path, name: str) -> None:
    within, beyond, place, words = LIMITS[name]
    file = report(executable, tmp_path, within)
    assert file["diagnostics"] == [] and not any("limit of" in notice["message"] for notice in file.get("notices", ()))
    file = report(executable, tmp_path, beyond)
    (notice,) = file["notices"]
    assert file["diagnostics"] == [] and notice["code"] == "too-large"
    assert words in notice["message"] if place is None else words == notice["message"]
    assert place is None or (notice["line"], notice["column"]) == place


@pytest.mark.parametrize("name", ERRORS)
def test_limits_of_python_are_named_as_such(executable: str, tmp_path: Path, name: str) -> None:
    """CPython refuses these texts, too: they are syntax errors, whose words tell the limit."""
    text, words = ERRORS[name]
    with pytest.raises(SyntaxError):
        compile(text, "a.py", "exec")
    assert words in [one["message"] for one in report(executable, tmp_path, text)["diagnostics"]]


def test_an_error_in_front_of_a_limit_is_told(executable: str, tmp_path: Path) -> None:
    """The error is one; what stands behind the limit was not looked at."""
    file = report(executable, tmp_path, "x = = 1\n" + LIMITS["branches"][1] + "y = = 2\n")
    assert [one["line"] for one in file["diagnostics"]] == [1] and "notices" not in file


def test_an_error_behind_a_limit_is_not_looked_for(executable: str, tmp_path: Path) -> None:
    file = report(executable, tmp_path, LIMITS["branches"][1] + "y = = 2\n")
    assert file["diagnostics"] == [] and len(file["notices"]) == 1


@pytest.mark.parametrize("command", [["fix", "--all", "--unsafe", "--diff"], ["debug", "mend"]])
def test_other_commands_tell_it(executable: str, tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "a.py").write_text(LIMITS["branches"][1])
    ran = run([executable, *command, "a.py"], folder=tmp_path)
    assert "too large, not analysed" in ran.stdout + ran.stderr and "syntax error" not in ran.stdout + ran.stderr


@pytest.mark.parametrize("name", LIMITS)
def test_two_megabytes_of_stack_are_enough_within_the_limits(executable: str, tmp_path: Path, name: str) -> None:
    """All passes over a tree recurse as deep as it is: the limits keep them from the end of the stack."""
    (tmp_path / "a.py").write_text(LIMITS[name][0])
    command = [executable, "check", "--all", "--isolated", "--no-cache", "--threads", "1", "a.py"]
    if "sanitize" not in executable:
        command = ["sh", "-c", 'ulimit -s 2048; exec "$0" "$@"', *command]
    assert run(command, folder=tmp_path).returncode in (0, 1)
