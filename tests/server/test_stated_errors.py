"""What the server answers to wrong parameters: whole answers, which stand in `stated`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsp_client import Client
from stated_texts import hold

TEXT = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"
DOCUMENT = {"uri": "URI"}
RANGE = {"start": {"line": 5, "character": 4}, "end": {"line": 5, "character": 12}}
OPENED = {"uri": "file:///b.py", "languageId": "python", "version": 1, "text": "x = 1\n"}
# A method, and parameters that are right; each is sent without one of its members, and with a wrong one.
REQUESTS: dict[str, dict[str, Any]] = {
    "textDocument/codeAction": {"textDocument": DOCUMENT, "range": RANGE, "context": {"diagnostics": []}},
    "textDocument/codeLens": {"textDocument": DOCUMENT},
    "textDocument/diagnostic": {"textDocument": DOCUMENT},
    "textDocument/hover": {"textDocument": DOCUMENT, "position": {"line": 5, "character": 5}},
    "textDocument/inlayHint": {"textDocument": DOCUMENT, "range": RANGE},
    "workspace/executeCommand": {"command": "graphmend.openRule", "arguments": ["GM301"]},
    "initialize": {"capabilities": {}, "workspaceFolders": []},
}
NOTIFICATIONS: dict[str, dict[str, Any]] = {
    "textDocument/didOpen": {"textDocument": OPENED},
    "textDocument/didChange": {"textDocument": {"uri": "URI", "version": 3}, "contentChanges": [{"text": TEXT}]},
    "textDocument/didSave": {"textDocument": DOCUMENT},
    "textDocument/didClose": {"textDocument": {"uri": "file:///b.py"}},
    "notebookDocument/didOpen": {"notebookDocument": {"uri": "file:///a.ipynb", "cells": []}, "cellTextDocuments": []},
    "notebookDocument/didChange": {"notebookDocument": {"uri": "file:///a.ipynb", "version": 2}, "change": {}},
    "notebookDocument/didClose": {"notebookDocument": {"uri": "file:///a.ipynb"}, "cellTextDocuments": []},
    "workspace/didChangeConfiguration": {"settings": {}},
    "workspace/didChangeWatchedFiles": {"changes": []},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": [], "removed": []}},
}


def damaged(params: dict[str, Any]) -> list[Any]:
    """Parameters that are none, that lack a member, and that have another in its place, two levels deep."""
    found: list[Any] = [None, [], 7, "text"]
    for name, value in params.items():
        found += [
            {key: other for key, other in params.items() if key != name},
            {**params, name: 7},
            {**params, name: None},
        ]
        if isinstance(value, dict):
            found += [{**params, name: one} for one in ({}, *({**value, key: 7} for key in value))]
    return found


def filled(params: Any, uri: str) -> Any:
    return json.loads(json.dumps(params).replace("URI", uri))


def test_stated_errors(client: Client) -> None:
    uri = client.uri("a.py")
    opened = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
    client.notify("textDocument/didOpen", {"textDocument": opened})
    stated = []
    for method, right in REQUESTS.items():
        for params in damaged(right):
            answer = client.answer(client.start(method, filled(params, uri)))
            told = json.dumps(answer["error"] if "error" in answer else "answered")
            stated.append(f"{method} {json.dumps(params)}\n    {told}\n")
    for method, right in NOTIFICATIONS.items():
        for params in damaged(right):
            client.seen.clear()
            client.notify(method, filled(params, uri))
            client.alive()
            told = [one for one in client.seen if one.get("method") in ("window/logMessage", "window/showMessage")]
            stated.append(f"{method} {json.dumps(params)}\n    {json.dumps([one['params'] for one in told])}\n")
    hold(Path(__file__).parent / "stated" / "errors.txt", "".join(stated).replace(uri, "URI"))


def test_what_comes_before_initialize_is_refused(start: Callable[..., Client]) -> None:
    client = start(initialize=False)
    early = client.answer(client.start("textDocument/hover", None))["error"]
    assert early["code"] == -32002
    for params in (None, [], 7, "text"):
        refused = client.answer(client.start("initialize", params))["error"]
        assert refused == {"code": -32602, "message": "initialize has an object of parameters"}, params
    assert "capabilities" in client.initialize()
