"""`graphmend run --check`: its options, its lines at the end, and its exit status."""

from __future__ import annotations

import importlib.util

import pytest

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")

PROGRAM = """
import sys, torch
def f(x):
    if x.sum() > 2:
        print("large")
    return x + (torch.compiler.is_dynamo_compiling() and len(sys.argv) > 1)
g = torch.compile(f, backend="eager")
for number in range(3):
    print(g(torch.ones(2) * number).tolist())
if len(sys.argv) > 2:
    raise SystemExit("the end")
"""


@pytest.fixture
def programs(warm_programs):
    return warm_programs


@needs_torch
@pytest.mark.parametrize(("arguments", "status"), [([], 0), (["differ"], 3), (["differ", "exit"], 3)])
def test_status_and_summary(programs, arguments, status):
    path = programs.write("program.py", PROGRAM)
    ended = programs.start(programs.executable, "run", "--check=2", str(path), *arguments)
    assert ended.status == status, ended.err
    first = "[1.0, 1.0]" if arguments else "[0.0, 0.0]"
    assert ended.out == f"{first}\n[1.0, 1.0]\nlarge\n[2.0, 2.0]\n"
    compared = "1 call of 1 compiled callable compared with eager Python, 1 differs"
    assert (compared if arguments else "2 calls of 1 compiled callable compared") in ended.err
    assert ("result: tensor([0., 0.]) in eager Python, tensor([1., 1.]) mended" in ended.err) == bool(arguments)


def test_nothing_to_compare(programs):
    path = programs.write("program.py", "print('plain')")
    ended = programs.start(programs.executable, "run", "--check", str(path))
    assert (ended.status, ended.out) == (0, "plain\n")
    assert "nothing was compiled" in ended.err


def test_turned_off(programs):
    path = programs.write("program.py", "import sys; print(sys.argv[1:])")
    ended = programs.start(programs.executable, "run", "--check=4", str(path), "--check", GRAPHMEND="0")
    assert (ended.status, ended.out, ended.err) == (0, "['--check']\n", "")


@pytest.mark.parametrize("option", ["--check=0", "--check=", "--check=x", "--check=3x", "--checks", "--check=-1"])
def test_options_that_there_are_not(programs, option):
    ended = programs.start(programs.executable, "run", option, "program.py")
    assert ended.status == 2 and f"unknown option `{option}`" in ended.err
