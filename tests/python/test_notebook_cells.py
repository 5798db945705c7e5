"""Cells of a kernel, as people run them, and the example notebook."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from counted_programs import COUNT

pytest.importorskip("torch")
nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")

EXAMPLE = Path(__file__).parents[2] / "examples" / "notebook.ipynb"
GATE = """
@torch.compile(backend=backend)
def gate(x):
    if x.sum() > 0:
        print("positive", x.sum())
        x = x * 2
    return inner(x)
"""
INNER = "def inner(x):\n    if x.mean() > 3:\n        x = x - 1\n    return x + 1\n"
CALLS = "print(gate(torch.ones(3)), gate(-torch.ones(3)), gate(torch.ones(3) * 9))"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """Runs cells in a kernel of its own; gives what they print and show."""
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))

    def run(*cells):
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
        return ["".join(map(text_of, cell.outputs)) for cell in book.cells]

    return run


def text_of(output):
    return output["text"] if output["output_type"] == "stream" else output["data"].get("text/html", "")


def test_cells(kernel):
    cells = ["import torch", COUNT, "%pwd\n" + GATE, INNER, CALLS, "print(graphs[0])"]
    plain = kernel(*cells)
    mended = kernel("import torch, graphmend\ngraphmend.install()", *cells[1:], "graphmend.summary()")
    assert plain[4] == mended[4] and "positive tensor(27.)" in plain[4]
    assert int(plain[5]) > 1 == int(mended[5])
    assert "<caption>graphmend: 3 places mended</caption>" in mended[6]


def test_a_cell_that_is_run_again_with_changes(kernel):
    """A function that a later cell replaces is mended as it is now."""
    again = INNER.replace("x - 1", "x - 2")
    cells = [
        "import torch, graphmend\ngraphmend.install()",
        COUNT,
        GATE,
        INNER,
        CALLS,
        again,
        CALLS,
        "print(graphs[0])",
    ]
    *_, first, _, second, graphs = kernel(*cells)
    assert "tensor([18., 18., 18.])" in first and "tensor([17., 17., 17.])" in second
    assert graphs == "2\n"


def test_magic(kernel):
    load, cell = "import torch\n%load_ext graphmend", "%%graphmend\n" + CALLS
    *_, shown, nothing = kernel(load, COUNT, GATE, INNER, cell, "%%graphmend\nprint(1)")
    assert "positive tensor(3.)" in shown and "graphmend: 3 breaks without graphmend, 0 with it" in shown
    assert nothing.startswith("1\n<p>graphmend: the cell compiles nothing new")


def test_example(tmp_path, monkeypatch):
    """The notebook runs, and what is stored in it is what it shows."""
    monkeypatch.setenv("GRAPHMEND_CACHE_DIR", str(tmp_path / "cache"))
    book = nbformat.read(EXAMPLE, as_version=4)
    stored = json.loads(json.dumps(book.cells))
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = ["".join(map(text_of, cell.get("outputs", ()))) for cell in book.cells]
    kept = ["".join(text_of(output) for output in cell.get("outputs", ())) for cell in stored]
    hide = re.compile(r"/\S+/ipykernel_\d+/\d+\.py")
    assert [hide.sub("cell", text) for text in shown] == [hide.sub("cell", text) for text in kept]
    assert "0 with it" in "".join(shown)
