"""The guard for test suites, as pytest runs it: marks, fixture, baseline.

Every run is a process of its own that imports torch, so each has many tests in it.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HAS_TORCH = importlib.util.find_spec("torch") is not None
needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="torch is not installed")

MODEL = """
import torch

def whole(x):
    return x * 2 + 1

def branch(x):
    if x.sum() > 0:
        x = x + 1
    return x * 2

def in_a_loop(x):
    for _ in range(3):
        x = x + 1
        print("still", "here")
    return x

def helper(x):
    x = x + 1
    print("inlined")
    return x * 2

def calls_helper(x):
    return helper(x * 3) - 1

def grows(x, word):
    return x * len(word)

def call(f, *inputs):
    return torch.compile(f, backend="eager")(*inputs)
"""

MARKS = """
import pytest, torch
from model import *

X = torch.ones(3)
kept = torch.compile(branch, backend="eager")
kept(X)  # compiled while tests are collected

@pytest.mark.no_graph_breaks
def test_whole_passes():
    call(whole, X)

@pytest.mark.no_graph_breaks
def test_branch_fails():
    call(branch, X)

@pytest.mark.no_graph_breaks
def test_loop_fails():
    call(in_a_loop, X)

@pytest.mark.no_graph_breaks
def test_what_was_compiled_before_fails():
    kept(X)

@pytest.mark.no_graph_breaks
def test_limit_of_recompiles_fails():
    compiled = torch.compile(grows, backend="eager")
    for n in range(12):
        compiled(X, "a" * n)

@pytest.mark.no_graph_breaks
def test_nothing_compiled_fails():
    whole(X)

@pytest.mark.no_graph_breaks
def test_log_switched_off_fails():
    torch._logging.set_logs()
    call(branch, X)

@pytest.mark.max_graph_breaks(1)
def test_one_passes():
    call(branch, X)

@pytest.mark.max_graph_breaks(1)
def test_helper_inlined_and_alone_passes():
    call(calls_helper, X)

@pytest.mark.max_graph_breaks(n=1)
def test_two_fail():
    call(branch, X)
    call(in_a_loop, X)

@pytest.mark.no_graph_breaks
class TestClosestMark:
    def test_class_fails(self):
        call(branch, X)

    @pytest.mark.max_graph_breaks(1)
    def test_function_passes(self):
        call(branch, X)

@pytest.mark.no_graph_breaks
def test_own_failure_fails():
    call(branch, X)
    assert False, "my own words"

@pytest.mark.no_graph_breaks
@pytest.mark.xfail(strict=True, reason="known")
def test_expected():
    call(branch, X)

@pytest.mark.no_graph_breaks
def test_skipped():
    pytest.skip("not here")

def test_without_mark_passes():
    call(branch, X)
"""

FIXTURE = """
import logging, pytest, torch
from model import *

X = torch.ones(3)
LOG = logging.getLogger("torch._dynamo.symbolic_convert.__graph_breaks")

def state():
    return LOG.level, LOG.propagate, list(LOG.handlers), torch._dynamo.utils._compilation_metrics.maxlen

def test_figures_passes(graph_breaks):
    assert (graph_breaks.count, graph_breaks.graphs) == (0, 0)
    call(whole, X)
    assert (graph_breaks.count, graph_breaks.graphs, graph_breaks.operations) == (0, 1, 2)
    call(branch, X)
    (one,) = graph_breaks.breaks
    assert (one.line, one.break_id, one.reason, one.given_up) == (8, "GB0170", "Data-dependent branching", False)
    assert one.path.endswith("model.py")
    call(in_a_loop, X)
    assert [one.given_up for one in graph_breaks.breaks] == [False, True]
    assert (graph_breaks.count, graph_breaks.graphs) == (2, 3)

def test_recompiles_passes(graph_breaks):
    compiled = torch.compile(grows, backend="eager")
    for word in ("a", "aa", "aaa", "a"):
        compiled(X, word)
    assert (graph_breaks.count, graph_breaks.graphs, graph_breaks.recompiles) == (0, 3, 2)

def test_block_passes(graph_breaks):
    call(branch, X)
    with graph_breaks(max_graph_breaks=0) as inside:
        call(whole, X)
    assert (inside.count, inside.graphs, graph_breaks.count) == (0, 1, 1)

def test_block_fails(graph_breaks):
    with graph_breaks(max_graph_breaks=0):
        call(branch, X)

@pytest.mark.max_graph_breaks(1)
def test_both_pass(graph_breaks):
    call(branch, X)
    assert graph_breaks.count == 1

def test_errors_pass_through(graph_breaks):
    with pytest.raises(ZeroDivisionError), graph_breaks():
        1 / 0
    with pytest.raises(ValueError):
        graph_breaks(max_graph_breaks=True)

def test_nothing_is_left_behind_passes(request):
    import graphmend.breaks
    before = state()
    with graphmend.breaks.Recorder() as recorder, graphmend.breaks.Recorder() as inner:
        call(branch, X)
    assert state() == before and recorder.count == inner.count == 1
"""


def outcomes(result: pytest.RunResult) -> dict[str, set[str]]:
    """Names of tests by how `-rA` says that they ended."""
    found: dict[str, set[str]] = {}
    for line in result.outlines:
        word, _, rest = line.partition(" ")
        if word in ("PASSED", "FAILED", "XFAIL", "XPASS", "ERROR") and "::" in rest:
            found.setdefault(word, set()).add(rest.split(" - ")[0].split("::")[-1].strip())
    return found


@needs_torch
def test_marks(suite) -> None:
    suite.write("model.py", MODEL)
    suite.write("test_marks.py", MARKS)
    result = suite.run("-rA", "--strict-markers")
    ended = outcomes(result)
    assert all("pass" in name for name in ended["PASSED"]) and len(ended["PASSED"]) == 5
    assert all("fail" in name for name in ended["FAILED"]) and len(ended["FAILED"]) == 9
    assert ended["XFAIL"] == {"test_expected"} and not ended.keys() & {"XPASS", "ERROR"}
    text = result.stdout.str()
    assert "breaks its graph at 1 place, none allowed (graphs: 2, operations in them: 4)" in text
    assert (
        "model.py:8 in branch: Data-dependent branching\n      if x.sum() > 0:\n      see `graphmend rule GB0170`"
        in text
    )
    assert "Python runs the whole function" in text and "recompile_limit is reached" in text
    assert (
        "no graph was captured" in text
        and "was switched off" in text
        and "breaks its graph at 2 places, 1 allowed" in text
    )
    assert "my own words" in text


@needs_torch
def test_fixture(suite) -> None:
    suite.write("model.py", MODEL)
    suite.write("test_fixture.py", FIXTURE)
    ended = outcomes(suite.run("-rA"))
    assert ended["FAILED"] == {"test_block_fails"} and len(ended["PASSED"]) == 6 and "ERROR" not in ended


@needs_torch
def test_baseline(suite) -> None:
    """Known breaks pass, wherever the lines have gone; new ones fail."""
    suite.write("model.py", MODEL)
    tests = "import pytest, torch\nfrom model import *\n@pytest.mark.no_graph_breaks\ndef test_it():\n    {}\n"
    suite.write("test_it.py", tests.format("call(branch, torch.ones(3))"))
    wrote = suite.run("--write-graph-breaks-baseline", "breaks.json")
    assert wrote.ret == 0 and "1 graph break listed in breaks.json" in wrote.stdout.str()
    suite.write("model.py", "# moved\n\n" + MODEL.replace("x.sum() > 0:", "x.sum()  >  0:  # why"))
    suite.write("test_it.py", tests.format("call(branch, torch.ones(3)); call(calls_helper, torch.ones(3))"))
    result = suite.run("--graph-breaks-baseline", "breaks.json")
    text = result.stdout.str()
    assert result.ret == 1 and "1 place, none allowed" in text and "in helper:" in text and "in branch:" not in text


@needs_torch
def test_mended_modules(suite) -> None:
    """Under `graphmend.install()` what is mended does not count, and what is left does."""
    suite.write("model.py", MODEL)
    suite.write("conftest.py", "import graphmend\n\ngraphmend.install()\n")
    mark = "@pytest.mark.no_graph_breaks\n"
    tests = "import pytest, torch\nfrom model import *\n"
    tests += f"{mark}def test_loop_passes():\n    call(in_a_loop, torch.ones(3))\n"
    tests += f"{mark}def test_branch_passes():\n    call(branch, torch.ones(3))\n"
    tests += f"{mark}def test_break_fails():\n    call(lambda x: torch._dynamo.graph_break() or x + 1, torch.ones(3))\n"
    suite.write("test_it.py", tests)
    ended = outcomes(suite.run("-rA"))
    assert ended["PASSED"] == {"test_loop_passes", "test_branch_passes"} and ended["FAILED"] == {"test_break_fails"}


def test_what_is_wrong_is_said(suite) -> None:
    """Marks that are no numbers, and baselines that are none, before any test runs; torch is not needed for that."""
    for mark in ("max_graph_breaks", "max_graph_breaks(-1)", "max_graph_breaks(limit=3)", "no_graph_breaks(2)"):
        suite.write("test_it.py", f"import pytest\n@pytest.mark.{mark}\ndef test_it(): pass\n")
        result = suite.run()
        assert result.ret == pytest.ExitCode.USAGE_ERROR and "takes" in result.stderr.str(), mark
    suite.write("breaks.json", "{}")
    result = suite.run("--graph-breaks-baseline", "breaks.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR and "it is no baseline" in result.stderr.str()


def test_it_costs_nothing_where_it_is_not_used(cold_suite) -> None:
    """pytest loads plugins in every run of everybody who has installed graphmend."""
    cold_suite.write(
        "test_it.py", "import sys\ndef test_it(): assert not sys.modules.keys() & {'torch', 'graphmend.breaks'}\n"
    )
    assert cold_suite.run("--strict-markers").ret == 0
    code = "import graphmend.pytest_plugin, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_pytest_finds_it() -> None:
    text = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    section = text.partition("[project.entry-points.pytest11]\n")[2].partition("\n\n")[0]
    assert section == 'graphmend = "graphmend.pytest_plugin"'
