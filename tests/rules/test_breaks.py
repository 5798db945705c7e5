"""The pages of the kinds of graph break: each id has one, the words are our own, the worked examples do what they say.

A worked example is executed with torch: what "breaks" breaks with exactly that id, what "does not" is one graph, and
both compute the same. Under graphmend the first one is one graph exactly where its page says that it is mended.
"""

from __future__ import annotations

import collections.abc
import contextlib
import importlib.metadata
import importlib.util
import json
import logging
import os
import random
import re
import subprocess
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_rules import logged_breaks, run

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = {path.parent.name: path for path in sorted((ROOT / "data/torch").glob("*/break_ids.def"))}
EXAMPLES = sorted((ROOT / "data/breaks/examples").glob("*.md"))
MEASURED = "2.13"  # the version of torch for which the pages say what graphmend mends
ROW = re.compile(r'^GM_TORCH_BREAK\("(GB\d{4})", "(.*)"\)$', re.MULTILINE)
LINK = re.compile(r"/gb(\d{4})\.html")
PLAIN_MODE = "without `fullgraph=True`"  # what an example says that breaks only there
LONGEST_RUN = 6  # words in a row that may also stand in PyTorch's texts, most of them names


@pytest.fixture(scope="module")
def pages(executable: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(run(executable, "rule", "--all", "--output-format", "json"))
    return found


@pytest.fixture(scope="module")
def kinds(pages: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {page["code"]: page for page in pages if page["kind"] == "break"}


def names_of(version: str) -> dict[str, str]:
    """The kinds of a version of PyTorch: id and name."""
    return {id: json.loads(f'"{name}"') for id, name in ROW.findall(VERSIONS[version].read_text(encoding="utf-8"))}


def installed_version() -> str:
    """The version of torch that is installed, "2.13", or "" without it."""
    try:
        return ".".join(importlib.metadata.version("torch").split(".")[:2])
    except importlib.metadata.PackageNotFoundError:
        return ""


def running() -> list[Path]:
    """The examples whose kinds the installed version of torch has."""
    known = [names_of(version) for version in VERSIONS if version.startswith(f"{installed_version()}.")]
    return [path for path in EXAMPLES if not known or path.stem.upper() in known[0]]


# The pages


def test_every_id_of_every_version_has_a_page(kinds: dict[str, dict[str, Any]]) -> None:
    assert set(VERSIONS) == {"2.9.1", "2.10.0", "2.11.0", "2.12.1", "2.13.0", "2.14.1", "2.15.0"}
    assert len(names_of("2.13.0")) == 517 and len(names_of("2.15.0")) == 592
    for version in VERSIONS:
        short = version.rpartition(".")[0]
        assert {id: page["torch"][short] for id, page in kinds.items() if short in page["torch"]} == names_of(version)
    assert list(kinds) == sorted({id for version in VERSIONS for id in names_of(version)})


def test_pages_say_when_and_what(kinds: dict[str, dict[str, Any]]) -> None:
    headings = ["## When it happens", "## What to write", "## What graphmend does"]
    for id, page in kinds.items():
        assert page["page"].startswith(f"# {id} {page['name']}\n\n{page['cause']}: torch 2.")
        assert re.findall(r"^## .*$", page["page"], re.MULTILINE)[:3] == headings
        assert page["summary"].endswith(".") and page["summary"] in page["page"]
        assert 2 <= len(page["advice"].splitlines()) <= 7 and page["advice"] in page["page"]
        assert page["summary"].count("`") % 2 == 0 and page["advice"].count("`") % 2 == 0
    assert len({page["cause"] for page in kinds.values()}) >= 40


def test_a_rule_stands_on_the_page_of_its_break(pages: list[dict[str, Any]], kinds: dict[str, dict[str, Any]]) -> None:
    rules = [page for page in pages if page["kind"] == "rule"]
    for rule in (rule for rule in rules if rule["break_id"] is not None):
        assert rule["code"] in kinds[rule["break_id"]]["rules"]
    for kind in kinds.values():
        assert set(kind["rules"]) <= {rule["code"] for rule in rules}
        for code in kind["rules"]:
            assert f"- {code} " in kind["page"]
        assert (f"On torch {MEASURED} `graphmend run` " in kind["page"]) == bool(kind["rules"] or kind["runtime"])


def words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9_]+", text.lower())


def runs_of(text: str, count: int) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[at : at + count]) for at in range(len(found) - count + 1)}


def test_the_words_are_our_own(kinds: dict[str, dict[str, Any]]) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    entries = [entry for versions in registry().values() for entry in versions]
    theirs: set[tuple[str, ...]] = set()
    for entry in entries:
        for text in (entry["Explanation"], " ".join(entry["Hints"])):
            theirs |= runs_of(text, LONGEST_RUN + 1)
    for id, page in kinds.items():
        for text in (page["summary"], page["advice"]):
            assert not runs_of(text, LONGEST_RUN + 1) & theirs, id


# The command


@pytest.mark.parametrize("name", ["GB0170", "gb0170", "Data-dependent branching"])
def test_a_kind_is_found_by_id_and_name(executable: str, kinds: dict[str, dict[str, Any]], name: str) -> None:
    assert run(executable, "rule", name) == kinds["GB0170"]["page"]
    assert json.loads(run(executable, "rule", name, "--output-format=json")) == kinds["GB0170"]


def test_a_kind_is_found_by_the_names_of_all_versions(executable: str) -> None:
    for name in ("str_impl not implemented", "tp_str_impl not implemented"):
        page = run(executable, "rule", name)
        assert page.startswith("# GB2483 tp_str_impl not implemented\n")
        assert 'torch 2.13 (as "str_impl not implemented"), torch 2.14, torch 2.15\n'.replace(", torch", ",") in page


def test_a_rule_is_found_by_code_and_name(executable: str, pages: list[dict[str, Any]]) -> None:
    by_code = {page["code"]: page for page in pages}
    assert run(executable, "rule", "print-in-graph") == run(executable, "rule", "GM301") == by_code["GM301"]["page"]
    assert json.loads(run(executable, "rule", "GM301", "--output-format", "json")) == by_code["GM301"]


def test_all_pages_one_behind_the_other(executable: str, pages: list[dict[str, Any]]) -> None:
    assert run(executable, "rule", "--all") == "\n".join(page["page"] for page in pages)


@pytest.mark.parametrize(
    "arguments, text",
    [
        (["GB9999"], "no rule `GB9999`"),
        (["GB017"], "no rule `GB017`"),
        (["GB01700"], "no rule `GB01700`"),
        ([""], "no rule ``"),
        (["GB0170", "GM101"], "one rule at a time"),
        (["--all", "GM101"], "all rules, not also `GM101`"),
        (["GB0170", "--output-format", "xml"], "unknown format `xml`, there are text, json"),
        (["GB0170", "--output-format"], "`--output-format` needs a value"),
    ],
)
def test_wrong_usage(executable: str, arguments: list[str], text: str) -> None:
    ended = subprocess.run([executable, "rule", *arguments], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert text in ended.stderr


def test_the_library_has_the_same_pages(kinds: dict[str, dict[str, Any]]) -> None:
    from graphmend import core

    assert core.rule_page("gb0036") == kinds["GB0036"]["page"]
    with pytest.raises(core.CoreError):
        core.rule_page("GB9999")


TRANSCRIPT = re.compile(r"(?<=^````console\n)\$ graphmend (.*)\n((?:.*\n)*?)(?=^````\n)", re.MULTILINE)


@pytest.mark.parametrize("number", [0, 1])
def test_transcripts_in_the_docs(executable: str, number: int) -> None:
    """`GRAPHMEND_ACCEPT=1` writes them anew."""
    path = ROOT / "docs/breaks.md"
    text = path.read_text(encoding="utf-8")
    shown = list(TRANSCRIPT.finditer(text))[number]
    printed = run(executable, *shown.group(1).split())
    if os.environ.get("GRAPHMEND_ACCEPT") == "1":
        path.write_text(text[: shown.start(2)] + printed + text[shown.end(2) :], encoding="utf-8")
    else:
        assert printed == shown.group(2)


# The examples


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_sixty_kinds_have_an_example(kinds: dict[str, dict[str, Any]]) -> None:
    shown = [id for id, page in kinds.items() if page["before"] is not None]
    assert shown == [path.stem.upper() for path in EXAMPLES] and len(shown) >= 60
    for path in EXAMPLES:
        page, text = kinds[path.stem.upper()], path.read_text(encoding="utf-8")
        assert [page["before"], page["after"]] == blocks(text) and page["page"].endswith(text)


class Example:
    """The two programs of an example."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.id = path.stem.upper()
        self.text = path.read_text(encoding="utf-8")
        self.paths = []
        for name, block in zip(("before", "after"), blocks(self.text)):
            self.paths.append(folder / f"{path.stem}_{name}.py")
            self.paths[-1].write_text(block, encoding="utf-8")

    def load(self, number: int) -> Any:
        """The program anew, with the inputs of the first one where it has none of its own."""
        seed()
        path = self.paths[number]
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if not hasattr(module, "inputs"):
            module.inputs = self.load(0).inputs
        return module


def seed() -> None:
    import numpy
    import torch

    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)


@pytest.fixture
def example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Example]:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    numpy = pytest.importorskip("numpy")
    states = random.getstate(), numpy.random.get_state(), torch.get_rng_state()
    torch._dynamo.reset()
    with warnings.catch_warnings(), quiet():
        warnings.simplefilter("ignore")
        yield Example(path, tmp_path)
    torch._dynamo.reset()
    random.setstate(states[0])
    numpy.random.set_state(states[1])
    torch.set_rng_state(states[2])


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without what torch logs about breaks, which are meant here."""
    logger = logging.getLogger("torch")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def results(module: Any, **options: Any) -> list[Any]:
    """What `f` returns for the inputs; compiled where there are options."""
    import torch

    torch._dynamo.reset()
    function = torch.compile(module.f, backend="eager", **options) if options else module.f
    seed()
    found = []
    for arguments in module.inputs:
        found.append(listed(function(*arguments)))
    return found


def listed(value: Any) -> Any:
    """A result with its iterators run."""
    if type(value) is tuple:
        return tuple(listed(item) for item in value)
    return list(value) if isinstance(value, collections.abc.Iterator) else value


def whole_breaks(module: Any) -> list[str]:
    """The ids in the error of `fullgraph=True`."""
    try:
        results(module, fullgraph=True)
    except Exception as error:
        return [f"GB{number}" for number in LINK.findall(str(error))] or [repr(error)]
    return []


def plain_breaks(module: Any) -> list[str]:
    """The ids of the breaks that torch.compile logs in its default mode."""
    logged = logged_breaks(lambda: results(module, fullgraph=False))
    return [f"GB{number}" for text in logged for number in LINK.findall(text)]


def dense(value: Any) -> Any:
    import torch

    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def same(left: Any, right: Any) -> bool:
    import torch
    from torch.utils import _pytree as pytree

    ours, theirs = pytree.tree_leaves(left), pytree.tree_leaves(right)
    if len(ours) != len(theirs):
        return False
    for one, other in zip(map(dense, ours), map(dense, theirs)):
        if isinstance(one, torch.Tensor):
            close = isinstance(other, torch.Tensor) and one.shape == other.shape and one.dtype == other.dtype
            if not (close and torch.allclose(one, other, equal_nan=True)):
                return False
        elif type(one) is not type(other) or one != other:
            return False
    return True


def eager_results(module: Any) -> Any:
    """None where Dynamo raises: operators that compile themselves even in eager Python fail there as well."""
    from torch._dynamo.exc import TorchDynamoException

    try:
        return results(module)
    except TorchDynamoException:
        return None


def breaks_of(example: Example) -> list[str]:
    """The id of the page, or what the example says about the version of torch that is installed."""
    other = re.search(rf"; torch {re.escape(installed_version())} (?:calls it (GB\d{{4}})|does not):", example.text)
    return [example.id] if other is None else [id for id in other.groups() if id is not None]


def registry() -> dict[str, Any]:
    """The kinds of graph break of the version of torch that is installed."""
    import torch

    path = Path(torch.__file__).parent / "_dynamo/graph_break_registry.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", running(), ids=lambda path: path.stem)
def test_example(example: Example, capsys: pytest.CaptureFixture[str]) -> None:
    """The first program breaks with the id of the page, the second does not break, and both compute the same."""
    expected_breaks = breaks_of(example)
    if PLAIN_MODE in example.text:
        assert set(expected_breaks) <= set(plain_breaks(example.load(0)))
    else:
        assert whole_breaks(example.load(0)) == expected_breaks
    assert whole_breaks(example.load(1)) == []
    assert plain_breaks(example.load(1)) == []
    expected, written = eager_results(example.load(0)), results(example.load(1))
    assert expected is None or same(expected, written), (expected, written)
    assert same(results(example.load(1), fullgraph=True), written)
    assert same(results(example.load(1), fullgraph=False), written)


@pytest.mark.parametrize("path", running(), ids=lambda path: path.stem)
def test_graphmend_does_what_the_page_says(
    example: Example, kinds: dict[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Under graphmend the first program is one graph, by the rules on the page; where none is, it breaks as before."""
    import harness

    import graphmend.runtime as runtime
    from graphmend import hook

    page = kinds[example.id]
    if installed_version() != MEASURED:
        pytest.skip(f"what graphmend mends is said for torch {MEASURED}")
    expected = eager_results(example.load(0))
    runtime.registry.reset()
    hook.install()
    try:
        module = example.load(0)
    finally:
        hook.uninstall()
    runtime.install_compile()
    try:
        found = eager_results(
            types.SimpleNamespace(f=compiled(module.f, harness.CountingBackend()), inputs=module.inputs)
        )
        report = runtime.report()
    finally:
        runtime.uninstall_compile()
        runtime.registry.reset()
    assert expected is None or found is None or same(expected, found)
    mended = {site.rpartition(":")[2] for site, fate in report["sites"].items() if fate["mended"]}
    whole = bool(report["callables"]) and all(one["mode"] == "whole" for one in report["callables"])
    assert whole == bool(page["rules"] or page["runtime"]), report
    assert not whole or not page["rules"] or mended <= set(page["rules"]), report


def compiled(function: Any, backend: Any) -> Any:
    import torch

    return torch.compile(function, backend=backend)
