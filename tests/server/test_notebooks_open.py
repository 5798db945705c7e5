"""Notebooks: cells are analysed together, as `check` does with the file."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from lsp_client import PATIENCE, Client, Message

IMPORTS = "import torch\n%matplotlib inline"
FUNCTION = """@torch.compile
def f(x):
    if x.float().sum() > 0:
        y = x + 1.0
    else:
        y = x - 1.0
    return y"""
LITERAL = {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}


def cell(number: int, text: str, language: str = "python") -> tuple[Message, Message]:
    uri = f"vscode-notebook-cell:/n.ipynb#{number}"
    kind = 1 if language == "markdown" else 2
    return {"kind": kind, "document": uri}, {"uri": uri, "languageId": language, "version": 1, "text": text}


def open_notebook(client: Client, *texts: tuple[str, str]) -> tuple[str, list[str]]:
    cells = [cell(number, text, language) for number, (text, language) in enumerate(texts)]
    uri = client.uri("n.ipynb")
    client.notify(
        "notebookDocument/didOpen",
        {
            "notebookDocument": {
                "uri": uri,
                "notebookType": "jupyter-notebook",
                "version": 1,
                "cells": [entry for entry, _ in cells],
            },
            "cellTextDocuments": [document for _, document in cells],
        },
    )
    return uri, [document["uri"] for _, document in cells]


def change(client: Client, uri: str, **cells: Any) -> None:
    client.notify(
        "notebookDocument/didChange",
        {"notebookDocument": {"uri": uri, "version": 2}, "change": {"cells": cells}},
    )


def check_file(executable: str, client: Client, *texts: tuple[str, str]) -> list[Message]:
    cells = [
        {"cell_type": "markdown" if language == "markdown" else "code", "source": text, "metadata": {}, "outputs": []}
        for text, language in texts
    ]
    path = client.folder / "n.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    command = [executable, "check", "--no-cache", "--output-format", "json", str(path)]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE)
    path.unlink()
    (report,) = json.loads(done.stdout) or [{"findings": [], "diagnostics": []}]
    return [*report["diagnostics"], *report["findings"]]


def test_cells_are_analysed_together(client, executable) -> None:
    texts = ((IMPORTS, "python"), ("# words", "markdown"), (FUNCTION, "python"))
    _, cells = open_notebook(client, *texts)
    assert client.pull(cells[0]) == client.pull(cells[1]) == []
    (found,) = client.pull(cells[2])
    assert found["range"]["start"] == {"line": 2, "character": 7}
    assert [found["data"]] == check_file(executable, client, *texts)
    assert found["data"]["cell"] == 3


def test_each_cell_is_published(client) -> None:
    _, cells = open_notebook(client, (IMPORTS, "python"), (FUNCTION, "python"), ("def f(:", "python"))
    client.versions |= dict.fromkeys(cells, 1)
    assert [len(client.diagnostics(uri)) for uri in cells] == [0, 0, 1]  # a syntax error is all that is said


def test_cells_change_come_and_go(client) -> None:
    uri, cells = open_notebook(client, (IMPORTS, "python"), (FUNCTION, "python"))
    assert len(client.pull(cells[1])) == 1
    where = {"start": {"line": 2, "character": 7}, "end": {"line": 2, "character": 26}}
    text = {"document": {"uri": cells[1], "version": 2}, "changes": [{"range": where, "text": "True"}]}
    change(client, uri, textContent=[text])
    assert client.pull(cells[1]) == []
    entry, document = cell(7, FUNCTION.replace("f(x)", "g(x)"))
    change(client, uri, structure={"array": {"start": 1, "deleteCount": 1, "cells": [entry]}, "didOpen": [document]})
    assert client.fails("textDocument/diagnostic", {"textDocument": {"uri": cells[1]}}) == -32602
    assert len(client.pull(document["uri"])) == 1
    change(client, uri, structure={"array": {"start": 0, "deleteCount": 1}})
    assert client.pull(document["uri"]) == []  # without the import


def test_cells_that_move_keep_their_text(client) -> None:
    uri, cells = open_notebook(client, (FUNCTION, "python"), (IMPORTS, "python"), ("x = 1", "python"))
    assert client.pull(cells[0])[0]["data"]["cell"] == 1
    for order, wanted in (((1, 0, 2), 2), ((1, 2, 0), 3), ((0, 1, 2), 1)):
        entries = [{"kind": 2, "document": cells[number]} for number in order]
        change(client, uri, structure={"array": {"start": 0, "deleteCount": 3, "cells": entries}})
        (found,) = client.pull(cells[0])
        assert found["data"]["cell"] == wanted


def test_actions_in_cells(start) -> None:
    client = start(textDocument={"codeAction": LITERAL})
    function = (
        FUNCTION.replace("    if x.float().sum()", "    s = x.float().sum()\n    if s")
        .replace("y = x", "y = s")
        .replace("(x)", "(x: torch.Tensor)")
    )
    _, cells = open_notebook(client, (IMPORTS, "python"), (function, "python"))
    where = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    for only in (["quickfix"], ["source.fixAll"]):
        asked = {"textDocument": {"uri": cells[1]}, "range": where, "context": {"diagnostics": [], "only": only}}
        first = client.request("textDocument/codeAction", asked)[0]
        assert list(first["edit"]["changes"]) == [cells[1]]
        new = "".join(edit["newText"] for edit in first["edit"]["changes"][cells[1]])
        assert "torch.where(" in new


def test_closing_takes_all_away(client) -> None:
    uri, cells = open_notebook(client, (IMPORTS, "python"), (FUNCTION, "python"))
    client.notify("notebookDocument/didClose", {"notebookDocument": {"uri": uri}, "cellTextDocuments": []})
    assert client.fails("textDocument/diagnostic", {"textDocument": {"uri": cells[0]}}) == -32602
    assert client.end() == 0


# Lenses and hints


REACHED = """import torch


@torch.compile
def f(x):
    return helper(x)


def helper(x):
    total = torch.relu(x).sum()
    return total


def other(x):
    return x
"""


def test_lenses_say_what_is_compiled(client) -> None:
    uri = client.open("a.py", REACHED)
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    told = {lens["range"]["start"]["line"]: lens["command"]["title"] for lens in lenses}
    assert told == {4: "torch.compile reaches this", 8: "compiled from f"}
    client.notify("workspace/didChangeConfiguration", {"settings": {"graphmend": {"codeLens": False}}})
    assert client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []


def test_hints_are_off_until_they_are_asked_for(start) -> None:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    for options, count in ((None, 0), ({"inlayHints": True}, 1)):
        client = start(options=options)
        uri = client.open("a.py", REACHED)
        hints = client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": whole})
        assert len(hints) == count
    (hint,) = hints
    assert hint["position"] == {"line": 9, "character": 9}
    assert hint["label"] == ": 0-d tensor"
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}
    assert client.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": nowhere}) == []
