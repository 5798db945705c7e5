"""Recorded sessions of editors: each request is answered, and the last text is the one that the editor wrote.

A file of `sessions` has a message a line, with FOLDER for the workspace; its last line has the text that the editor
wrote at the end.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lsp_client import Client, check, same_findings

SESSIONS = Path(__file__).parent / "sessions"


@pytest.mark.parametrize("path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_session(start, executable, tmp_path, path) -> None:
    lines = path.read_text(encoding="utf-8").replace("FOLDER", tmp_path.as_uri()).splitlines()
    *messages, last = map(json.loads, lines)
    client: Client = start(initialize=False)
    for message in messages:
        if message.get("method") == "shutdown":
            uri = client.uri("a.py")
            asked = {"jsonrpc": "2.0", "id": "last", "method": "textDocument/diagnostic"}
            client.send(asked | {"params": {"textDocument": {"uri": uri}}})
            found = client.answer("last")["result"]["items"]
            assert found and same_findings(found, check(executable, str(tmp_path / "a.py"), last["final"], tmp_path))
        client.send(message)
        if "id" in message:
            assert "error" not in client.answer(message["id"]), message
    assert client.close() == 0
