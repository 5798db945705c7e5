"""What clients send to the language server takes time by its length: many cells, requests and edits."""

from __future__ import annotations

import json
from typing import Any

from threat_limits import run

URI = "file:///a.py"


def message(method: str, params: Any, **more: Any) -> str:
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more})
    return f"Content-Length: {len(body)}\r\n\r\n{body}"


def opened(uri: str, text: str) -> str:
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    return message("textDocument/didOpen", {"textDocument": document})


def serve(executable: str, messages: str) -> str:
    """All answers; ended where they take more CPU time than any machine needs for so little."""
    start = message("initialize", {"capabilities": {}}, id=0) + message("initialized", {})
    end = message("shutdown", None, id="end") + message("exit", None)
    ran = run([executable, "server"], start + messages + end, megabytes=1024, seconds=4)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_requests_that_are_taken_back(executable: str) -> None:
    """Fifteen seconds before: each one was looked for among all that wait."""
    asked = {"textDocument": {"uri": URI}}
    pairs = "".join(
        message("textDocument/diagnostic", asked, id=i) + message("$/cancelRequest", {"id": i})
        for i in range(1, 30_001)
    )
    said = serve(executable, opened(URI, "x\n") + pairs)
    assert said.count('"id": ') > 30_000 and "-32800" in said


def test_cells_of_a_notebook(executable: str) -> None:
    """Those that come, and those of a change in which all go and come again: before, minutes."""
    count = 8_000
    book = {"uri": "file:///n.ipynb", "version": 1, "notebookType": "jupyter-notebook"}
    cells = [{"kind": 2, "document": f"cell:{i}"} for i in range(count)]
    texts = [{"uri": f"cell:{i}", "languageId": "python", "version": 1, "text": "x"} for i in range(count)]
    array = {"start": 0, "deleteCount": count, "cells": [{"kind": 2, "document": f"other:{i}"} for i in range(count)]}
    change = {"notebookDocument": book, "change": {"cells": {"structure": {"array": array}}}}
    book_opened = message(
        "notebookDocument/didOpen", {"notebookDocument": {**book, "cells": cells}, "cellTextDocuments": texts}
    )
    serve(executable, book_opened + message("notebookDocument/didChange", change))


def test_edits_in_one_message(executable: str) -> None:
    """As of a replacement of all that is found, from the end on and from the start on: twelve seconds before."""
    count = 20_000
    places = [{"line": line, "character": 0} for line in range(count)]
    edits = [{"range": {"start": at, "end": at}, "text": "#"} for at in places]
    for ordered in (edits, edits[::-1]):
        changed = {"textDocument": {"uri": URI, "version": 2}, "contentChanges": ordered}
        serve(executable, opened(URI, "x = 1\n" * count) + message("textDocument/didChange", changed))
