"""Every allocation of a session fails once, with all behind it; afterwards the server answers, and gives back all."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lsp_client import PATIENCE, frame
from test_actions import CAPABILITIES, SAFE, WHOLE
from test_notebooks_open import FUNCTION, IMPORTS, cell


def session() -> bytes:
    uri = {"uri": "file:///a.py"}
    place = {"line": 6, "character": 8}
    cells = [cell(number, text) for number, text in enumerate((IMPORTS, FUNCTION))]
    notebook = {"uri": "file:///n.ipynb", "version": 1, "cells": [entry for entry, _ in cells]}
    other = {"uri": "file:///b.py", "languageId": "python", "version": 1, "text": "x = 1\n"}
    folders = {"added": [{"uri": "file:///x"}, {"uri": "file:///y"}], "removed": [{"uri": "file:///"}]}
    typed = {"range": {"start": place, "end": place}, "text": "x"}
    sent = [
        ("initialize", {"capabilities": CAPABILITIES, "workspaceFolders": [{"uri": "file:///"}]}),
        ("textDocument/didOpen", {"textDocument": {**uri, "languageId": "python", "version": 1, "text": SAFE}}),
        ("textDocument/codeAction", {"textDocument": uri, "range": WHOLE, "context": {}}),
        ("textDocument/codeAction", {"textDocument": uri, "range": WHOLE, "context": {"only": ["source"]}}),
        ("textDocument/hover", {"textDocument": uri, "position": place}),
        ("textDocument/codeLens", {"textDocument": uri}),
        ("textDocument/didChange", {"textDocument": uri, "contentChanges": [typed]}),
        ("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": [text for _, text in cells]}),
        ("textDocument/diagnostic", {"textDocument": {"uri": cells[1][1]["uri"]}}),
        ("notebookDocument/didClose", {"notebookDocument": notebook}),
        ("textDocument/didOpen", {"textDocument": other}),
        ("workspace/didChangeWorkspaceFolders", {"event": folders}),
        ("workspace/didChangeConfiguration", {"settings": {"graphmend": {"select": "GM9"}}}),
        ("workspace/didChangeConfiguration", {"settings": {"graphmend": {"ignore": "GM8"}}}),
        ("textDocument/didClose", {"textDocument": uri}),
    ]
    frames = []
    for number, (method, params) in enumerate(sent):
        named = {} if "/did" in method else {"id": number}
        frames.append(frame({"jsonrpc": "2.0", **named, "method": method, "params": params}))
    return b"".join(frames)


def test_memory_runs_out(executable, tmp_path) -> None:
    program = Path(executable).with_name("gm-server_memory")
    if not program.exists():
        pytest.skip("this build has no test programs, or its linker cannot put functions in place of malloc")
    path = tmp_path / "session"
    path.write_bytes(session())
    done = subprocess.run([program, path], capture_output=True, text=True, timeout=4 * PATIENCE)
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout.split()[0]) > 50
