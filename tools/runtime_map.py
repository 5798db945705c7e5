"""Which tests run a statement of the modules that decide, with their seconds: a mutant of the runtime meets those.

The modules are imported with a mark in front of each statement of a function, and the tests of ROOMS run once.
A test that fails without a mutant is left out, and so are programs in processes of their own, which have the runtime
unchanged. Of a test with many cases three are measured, and stand for the others; where these take less than QUICK
seconds, all are, for tables of small cases are often about different statements. The map is kept by file of tests: one
that has changed is measured again. A statement is known by its function and its first line, so the map outlives most
changes of the runtime; build/mutants-runtime/map.jsonl is removed for a new one.
"""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import json
import os
import sys
import types
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from mutant_build import ROOT, digest_of
from mutant_map import beside
from mutant_places import Place
from mutant_tests import used

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Tests of shims are programs around one call of Python's library: they take a third of the time, and decide little.
ROOMS = "analysis autograd base capture driver effects external guards ops passes".split()
QUICK = 0.2
OPTIONS = ["-q", "--no-header", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line"]
APART = {"warm_python", "pytester"}  # fixtures of tests that start processes
Body = Callable[[ast.AST, list[ast.stmt], str], None]


@dataclass(frozen=True)
class Reach:
    """What a test runs: the statements, and its seconds."""

    seconds: float
    statements: frozenset[str]


def each_block(node: ast.AST, function: str, call: Body) -> None:
    """Each list of statements below a node that stands in a function, with the function's name."""
    for child in ast.iter_child_nodes(node):
        each_block(child, child.name if isinstance(child, FUNCTIONS) else function, call)
    for field in ("body", "orelse", "finalbody"):
        block = getattr(node, field, None)
        if function and isinstance(block, list) and block and not isinstance(node, ast.ClassDef):
            call(node, block, function)


def key_of(module: str, function: str, line: str) -> str:
    return f"{module}:{function}:{line.strip()}"


class Marking(importlib.machinery.SourceFileLoader):
    """Loads a module with a mark in front of each statement of a function."""

    def get_code(self, fullname: str) -> types.CodeType:
        text = self.get_data(self.path).decode()
        lines = text.splitlines()
        tree = ast.parse(text)

        def mark(_: ast.AST, block: list[ast.stmt], function: str) -> None:
            marked: list[ast.stmt] = []
            for statement in block:
                if not is_docstring(statement):
                    key = ast.Constant(key_of(fullname, function, lines[statement.lineno - 1]))
                    call = ast.Expr(ast.Call(ast.Name("_gm_mark", ast.Load()), [key], []))
                    marked.append(ast.fix_missing_locations(ast.copy_location(call, statement)))
                marked.append(statement)
            block[:] = marked

        each_block(tree, "", mark)
        code: types.CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code


def is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


class Finder:
    """Finds the modules that are loaded in another way, before any other finder is asked."""

    def __init__(self, loaders: dict[str, importlib.machinery.SourceFileLoader]) -> None:
        self.loaders = loaders

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        loader = self.loaders.get(name)
        if loader is None:
            return None
        spec = importlib.machinery.ModuleSpec(name, loader, origin=loader.path)
        spec.has_location = True
        return spec


def module_of(path: str) -> str:
    return path[len("python/") : -len(".py")].replace("/", ".")


class Recorder:
    """Chooses the tests that are not known yet, and writes what each of them runs; -1 seconds for one that fails."""

    def __init__(self, path: Path, known: dict[str, tuple[str, float]]) -> None:
        self.path, self.known, self.process = path, known, os.getpid()
        self.digests: dict[Path, str] = {}
        self.ran: set[str] = set()
        vars(builtins)["_gm_mark"] = self.ran.add

    def digest(self, path: Path) -> str:
        if path not in self.digests:
            self.digests[path] = digest_of(beside(path))[:20]
        return self.digests[path]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        inside = [item for item in items if not APART & set(getattr(item, "fixturenames", ()))]
        self.path.with_name("tests.json").write_text(json.dumps([item.nodeid for item in inside]))
        cases: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in inside:
            cases[function_of(item.nodeid)].append(item)
        some = [item for group in cases.values() for item in self.some_of(group)]
        wanted = {item.nodeid for item in some if not self.is_known(item)}
        items[:] = [item for item in inside if item.nodeid in wanted]

    def is_known(self, item: pytest.Item) -> bool:
        """Whether a test has been measured as it is."""
        return self.known.get(item.nodeid, ("", 0.0))[0] == self.digest(item.path)

    def some_of(self, group: list[pytest.Item]) -> list[pytest.Item]:
        """The cases of a test to measure: three, and all of them where the three are known for quick ones."""
        three = list(dict.fromkeys([group[0], group[len(group) // 2], group[-1]]))
        quick = all(self.is_known(item) and 0 <= self.known[item.nodeid][1] < QUICK for item in three)
        return group if quick else three

    def write(self, item: pytest.Item, seconds: float) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps([self.digest(item.path), item.nodeid, seconds, sorted(self.ran)]) + "\n")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        self.write(item, -1)  # what is known of a test that ends the process
        clear_caches()
        self.ran.clear()
        self.good, began = True, used()
        done = yield
        self.write(item, round(used() - began, 2) if self.good else -1)
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if os.getpid() != self.process:
            os._exit(1)  # a process that a test has forked, and that has come out of the test
        self.good = self.good and not report.failed


def function_of(name: str) -> str:
    """The function of a test by its name, without its case."""
    return name.partition("[")[0]


def clear_caches() -> None:
    """What one test has kept, another would not ask for."""
    for name, module in list(sys.modules.items()):
        if name.startswith("graphmend.runtime."):
            for kept, value in list(vars(module).items()):
                if hasattr(value, "cache_clear") and getattr(value, "__module__", "") == name:
                    value.cache_clear()
                elif kept == "cache" and isinstance(value, dict):
                    value.clear()


def union(group: list[Reach]) -> frozenset[str]:
    return frozenset().union(*(reach.statements for reach in group))


class Map:
    """What each test runs, and which tests run what a mutant changes."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.path, self.names = folder / "map.jsonl", names
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(2):  # three cases of each test, then all those of quick ones
            while not self.measure():
                pass
        rows = self.rows()
        measured = {name: Reach(row[2], frozenset(row[3])) for name, row in rows.items() if row[2] >= 0}
        alike: dict[str, list[Reach]] = defaultdict(list)
        for name, reach in measured.items():
            alike[function_of(name)].append(reach)
        self.reach: dict[str, Reach] = {}
        for name in json.loads(self.path.with_name("tests.json").read_text()):
            if name in measured:
                self.reach[name] = measured[name]
            elif name not in rows and (group := alike[function_of(name)]):
                self.reach[name] = Reach(max(one.seconds for one in group), union(group))

    def rows(self) -> dict[str, tuple[str, str, float, list[str]]]:
        """The last row of each test."""
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return {row[1]: row for row in map(json.loads, lines)}

    def measure(self) -> bool:
        """Run the tests that are not known; whether the process has come to their end."""
        child = os.fork()
        if child == 0:
            try:
                os._exit(self.record())
            finally:
                os._exit(3)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR):
            raise SystemExit(f"the tests cannot be collected: {self.path.with_name('map.log')}")
        return status in (0, 1, 5)

    def record(self) -> int:
        os.setsid()
        log = os.open(self.path.with_name("map.log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(log, 1)
        os.dup2(log, 2)
        known = {name: (digest, seconds) for digest, name, seconds, _ in self.rows().values()}
        sys.meta_path.insert(
            0, Finder({module_of(name): Marking(module_of(name), str(ROOT / name)) for name in self.names})
        )
        return int(
            pytest.main([*OPTIONS, *(f"tests/runtime/{room}" for room in ROOMS)], plugins=[Recorder(self.path, known)])
        )

    def tests_of(self, place: Place) -> dict[str, Reach]:
        """The tests that run the statement of a place; those of its function where the map does not know it."""
        key = statement_of(place)
        found = {name: reach for name, reach in self.reach.items() if key in reach.statements}
        function = key_of(module_of(place.path), place.function, "")
        return found or {
            name: reach
            for name, reach in self.reach.items()
            if any(one.startswith(function) for one in reach.statements)
        }


def statement_of(place: Place) -> str:
    """The key of the innermost statement around a place."""
    text = (ROOT / place.path).read_text()
    lines = text.splitlines()
    found: list[tuple[int, str]] = []

    def look(_: ast.AST, block: list[ast.stmt], function: str) -> None:
        for statement in block:
            end = statement.end_lineno or statement.lineno
            if statement.lineno <= place.line <= end:
                found.append(
                    (end - statement.lineno, key_of(module_of(place.path), function, lines[statement.lineno - 1]))
                )

    each_block(ast.parse(text), "", look)
    return min(found)[1] if found else ""
