"""Every rule over its Markdown file: what is found, what is mended, and that the mended program is the same program.

rule_cases.py describes the files. A block that defines `f` and `inputs` is executed three times: as it is in eager
Python, as it is under torch.compile, and mended under torch.compile, several calls each. Under "Mends" the plain
program must break its graph and the mended one must not; under "Stays silent" the plain program must not break.
Outputs, warnings, log records, exceptions, gradients, mutations and random numbers are always those of eager Python.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rule_cases import Case, Expected, all_cases, files, read

CASES = all_cases()
RUNNING = [case for case in CASES if case.runs]
ROUNDS = 6


def run(executable: str, *arguments: str) -> str:
    done = subprocess.run([executable, *arguments], capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    return done.stdout


def findings(executable: str, path: Path) -> list[dict[str, Any]]:
    """What the rules say about a file, its guesses included; reads of numbers and sizes only in their own files."""
    ignored = "" if path.name.startswith(("gm001", "gm2")) else "GM2"
    arguments = ["--no-cache", "--all", "--ignore", ignored, "--output-format", "json", str(path)]
    reports = json.loads(run(executable, "check", *arguments))
    assert all(report["diagnostics"] == [] for report in reports), reports
    return [finding for report in reports for finding in report["findings"]]


def rule_codes(executable: str) -> list[str]:
    return sorted(line.split()[0] for line in run(executable, "rule").splitlines())


@pytest.fixture
def written(tmp_path: Path, case: Case) -> Path:
    """The block in a file of its own."""
    path = tmp_path / f"{case.path.stem}_{case.line}.py"
    path.write_text(case.text, encoding="utf-8")
    return path


# What is found


def test_every_rule_has_a_file(executable: str) -> None:
    assert [path.stem.upper() for path in files()] == rule_codes(executable)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_every_file_has_cases_of_both_kinds(path: Path) -> None:
    """What is found and what is not; a rule that only gives advice has nothing to mend."""
    cases = read(path)
    headings = {case.heading for case in cases}
    assert "Stays silent" in headings and headings & {"Mends", "Follows", "Reports only"}
    assert path.read_text(encoding="utf-8").startswith(f"# {path.stem.upper()} ")
    assert "Mends" not in headings or any(case.runs for case in cases if case.heading == "Mends")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_headings_mean_what_they_say(case: Case) -> None:
    own = [expected for expected in case.expected if expected.code == case.code]
    if case.heading == "Mends":
        assert any(expected.reason is None for expected in own)
    elif case.heading == "Reports only":
        assert own and all(expected.reason is not None for expected in own)
    elif case.heading == "Follows":
        assert case.expected and all(expected.reason is not None for expected in case.expected)
    else:
        assert own == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_findings(executable: str, case: Case, written: Path) -> None:
    found = findings(executable, written)
    told = [Expected(one["line"], one["code"], one["reason"]) for one in found]
    wanted = case.expected
    assert [(one.line, one.code) for one in told] == [(one.line, one.code) for one in wanted], told
    for one, other in zip(told, wanted):
        assert (one.reason is None) == (other.reason is None), one
        assert other.reason is None or other.reason in (one.reason or ""), one
    for one in found:
        assert (one["level"] == "advice") == (one["reason"] is not None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_mended_text_has_the_mended_sites(executable: str, case: Case, written: Path) -> None:
    """`check` and the writer of mends agree on every place; a place without a site of its own lost its test instead."""
    text = run(executable, "debug", "mend", str(written))
    for one in findings(executable, written):
        line, column = one["site"]
        site = f"{written}:{line}:{column - 1}:{one['code']}"
        if one["code"] == "GM001":
            continue
        if one["code"] == "GM105":
            assert f'_gm.taken("{site}"' in text
        elif one["code"] == "GM501":
            assert (f'_gm.outside("{site}"' in text) == ("object" not in one["reason"])
        elif one["reason"] is not None:
            assert f'"{site}"' not in text
        elif one["code"] != "GM110":
            assert f'"{site}"' in text
    if all(expected.reason is not None for expected in case.expected):
        assert set(re.findall(r'"[^"]*:(GM\d+)"', text)) <= {"GM105", "GM501"}


def test_tests_of_texts_are_left_alone(executable: str, tmp_path: Path) -> None:
    """A tensor has no such methods; loops over texts stay as fast as they are."""
    path = tmp_path / "texts.py"
    path.write_text(
        "import torch\n\n\n"
        "def f(line, item):\n"
        "    if line.startswith('#') or not line[1:].isdigit():\n"
        "        line = line.strip()\n"
        "    if item.any():\n"
        "        return 1\n"
        "    return [part for part in line.split() if part.isupper()]\n"
    )
    text = run(executable, "debug", "mend", str(path))
    assert re.findall(r'_gm.taken\(".*:(\d+):\d+:GM105"', text) == ["7"]


def test_finalizers_are_left_alone(executable: str, tmp_path: Path) -> None:
    """Python calls them when it ends, and the runtime may be gone by then."""
    path = tmp_path / "finalizer.py"
    path.write_text(
        "import torch\n\n\n"
        "class Scope:\n"
        "    def __del__(self):\n"
        "        if torch.ones(2).sum() > 1:\n"
        "            print('closed')\n"
        "        action = lambda: torch.ones(2).sum().item()\n"
        "        def inner(x):\n"
        "            print(x)\n"
        "        inner(action())\n\n"
        "    def close(self):\n"
        "        print('closed')\n"
    )
    text = run(executable, "debug", "mend", str(path))
    assert set(re.findall(r':(\d+):\d+:GM\d+"', text)) == {"14"}


# What the mended program does


class Programs:
    """The block as it is, and the block as the import hook makes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0

    def load(self) -> Any:
        """Import the block anew, so that nothing of an earlier run is left in it."""
        import importlib.util

        self.count += 1
        spec = importlib.util.spec_from_file_location(f"{self.path.stem}_{self.count}", self.path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def load_mended(self) -> Any:
        from graphmend import hook

        hook.state.warned = False
        hook.install()
        try:
            module = self.load()
            assert not hook.state.warned, "graphmend has left the module alone, see its warning"
            return module
        finally:
            hook.uninstall()


@pytest.fixture
def programs(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Programs]:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    torch._dynamo.reset()
    yield Programs(written)
    torch._dynamo.reset()


def observed(module: Any, backend: Any, **options: Any) -> list[dict[str, Any]]:
    """What the calls of a block's `f` do, compiled with a backend or, where that is None, in eager Python."""
    import copy

    import harness
    import torch

    torch._dynamo.reset()
    function = module.f if backend is None else torch.compile(module.f, backend=backend, **options)
    calls = [lambda arguments=arguments: copy.deepcopy(arguments) for arguments in module.inputs]
    return harness.observe(module.f, function, calls * ROUNDS, getattr(module, "grad", True))


def breaks(module: Any) -> list[str]:
    """The graph breaks of a block's `f` under torch.compile as it is."""
    return logged_breaks(lambda: observed(module, "eager"))


def logged_breaks(action: Callable[[], object]) -> list[str]:
    """The graph breaks of what an action compiles, as torch.compile logs them."""
    import logging
    import logging.handlers
    import sys

    import torch

    torch._logging.set_logs(graph_breaks=True)
    collector = logging.handlers.BufferingHandler(sys.maxsize)
    loggers = [
        logging.getLogger(name) for name in list(logging.root.manager.loggerDict) if name.endswith("graph_breaks")
    ]
    try:
        for logger in loggers:
            logger.handlers, logger.propagate = [collector], False
        action()
    finally:
        for logger in loggers:
            logger.handlers, logger.propagate = [], True
        torch._logging.set_logs()
    return [record.getMessage() for record in collector.buffer]


@pytest.mark.parametrize("case", RUNNING, ids=lambda case: case.name)
def test_plain_program(programs: Programs, case: Case) -> None:
    """What is found breaks a graph, and what is not found does not."""
    found = breaks(programs.load())
    assert bool(found) == bool(case.expected), found


@pytest.mark.parametrize("case", RUNNING, ids=lambda case: case.name)
def test_mended_program(programs: Programs, case: Case) -> None:
    """The mended program does what the plain one does, and is one graph where all of it is mended."""
    import harness

    import graphmend.runtime as runtime

    expected = observed(programs.load(), None)
    runtime.registry.reset()
    module = programs.load_mended()
    runtime.install_compile()
    try:
        whole = case.heading == "Follows" or all(one.reason is None for one in case.expected)
        backend = harness.CountingBackend()
        got = observed(module, backend, fullgraph=whole)
    finally:
        runtime.uninstall_compile()
    assert harness.differences(expected, got)[:5] == []
    if case.heading == "Follows":
        assert 1 <= len(backend.graphs) <= len(module.inputs), runtime.report()
        followed = [fate for site, fate in runtime.report()["sites"].items() if site.endswith(("GM105", "GM501"))]
        assert any(fate["mended"] for fate in followed)
    if case.heading == "Mends" and whole:
        assert 1 <= len(backend.graphs) <= len(module.inputs), runtime.report()
        sites = runtime.report()["sites"]
        assert all(fate["mended"] and not fate["refused"] for fate in sites.values()), sites
