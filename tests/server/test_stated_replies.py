"""Whole replies and messages of the server: to every request at many places of a text, and to bytes that are none.

They stand in `stated` and are read as a diff.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsp_client import Client, frame
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
TEXT = """import torch

W = "\U0001f600 \u00e9"


@torch.compile
def f(x: torch.Tensor, seen: list):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x * 3
    print("\U0001f600\u00e9", y.mean()); z = y.item()
    assert torch.isnan(x).any(), "\u00e9"
    return y + z  # graphmend: ignore[GM101]


def g(x: torch.Tensor):
    return f(x, [])
"""
LITERALS = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}
CLIENTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "utf-8": {"general": {"positionEncodings": ["utf-8"]}, "textDocument": LITERALS},
    "utf-32": {"general": {"positionEncodings": ["utf-32", "utf-16"]}, "textDocument": LITERALS},
    "rich": {
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {
            "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": True},
            "publishDiagnostics": {"relatedInformation": True, "codeDescriptionSupport": True, "versionSupport": True},
            "hover": {"contentFormat": ["markdown", "plaintext"]},
            "codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source.fixAll"]}},
                "isPreferredSupport": True,
                "dataSupport": True,
                "resolveSupport": {"properties": ["edit"]},
            },
        },
        "workspace": {
            "workspaceEdit": {"documentChanges": True},
            "didChangeWatchedFiles": {"dynamicRegistration": True},
            "codeLens": {"refreshSupport": True},
            "inlayHint": {"refreshSupport": True},
            "diagnostics": {"refreshSupport": True},
        },
        "window": {"showDocument": {"support": True}, "workDoneProgress": True},
        "notebookDocument": {"synchronization": {"dynamicRegistration": True}},
    },
    "text only": {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
}
OPTIONS: list[Any] = [None, {}, {"select": "GM3"}, {"ignore": ["GM101"]}, {"all": True}, {"select": 7}, {"odd": 1}, 7]
OPTIONS += [{"torchVersion": "2.9"}, {"torchVersion": "x"}, {"select": "GM9"}, {"maxFileSize": 0}, {"hints": False}]
CHANGES: list[Any] = [
    {"range": [0, 0, 0, 0], "text": "# \U0001f600\n"},
    {"range": [12, 11, 12, 13], "text": "a"},
    {"range": [12, 0, 13, 0], "text": ""},
    {"range": [99, 0, 99, 0], "text": "\n# end"},
    {"range": [5, 3, 2, 1], "text": "x"},
    {"text": "import torch\nx = (\n"},
    {"text": TEXT.replace("\n", "\r\n")},
]
FRAMES: list[bytes] = [
    b"no colon\r\n\r\n",
    b"Content-Length: x\r\n\r\n{}",
    b"Content-Length:\r\n\r\n{}",
    b"Content-Length: 5 5\r\n\r\nhello",
    b"Content-Length: 33554432\n\n",
    b"Content-Length: 33554433\r\n\r\n{}",
    b"Content-Type: a\r\n\r\n{}",
    b"a: " + b"b" * 4090 + b"\r\n",
    b"a: " + b"b" * 4100 + b"\r\n",
    b"Content-Length: 2\r\n\r\n{}",
    b"content-length:\t2 \r\n\r\n[]",
    b"Content-Length: 4\r\n\r\nnull",
    b"Content-Length: 3\r\n\r\n\xff{}",
    b"Content-Length: 1\r\n\r\n{",
]
MESSAGES: list[Any] = [
    {},
    {"jsonrpc": "2.0"},
    {"jsonrpc": "2.0", "id": 1},
    {"jsonrpc": "2.0", "id": 1, "result": None},
    {"jsonrpc": "2.0", "id": 1, "method": 7},
    {"jsonrpc": "2.0", "id": {}, "method": "shutdown"},
    {"jsonrpc": "2.0", "id": None, "method": "shutdown"},
    {"jsonrpc": "2.0", "id": "a", "method": "textDocument/didOpen", "params": {}},
    {"jsonrpc": "2.0", "method": "textDocument/hover", "params": {}},
    {"jsonrpc": "2.0", "id": 2.5, "method": "nothing"},
    {"jsonrpc": "2.0", "method": "nothing"},
    {"jsonrpc": "2.0", "method": "$/nothing"},
    {"jsonrpc": "2.0", "id": 3, "method": "$/nothing"},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}},
    {"jsonrpc": "2.0", "method": "$/cancelRequest"},
    {"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {}},
    {"jsonrpc": "2.0", "id": 5, "method": "shutdown"},
    {"jsonrpc": "2.0", "id": 6, "method": "textDocument/hover", "params": {}},
    {"jsonrpc": "2.0", "id": 7, "method": "shutdown"},
    {"jsonrpc": "2.0", "method": "exit"},
]


def place(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def between(a: int, b: int, c: int, d: int) -> dict[str, Any]:
    return {"start": place(a, b), "end": place(c, d)}


def told(client: Client, name: str, method: str, params: Any) -> str:
    """A request, and what has come before its answer; when diagnostics are published depends on the time."""
    client.seen.clear()
    client.answer(client.start(method, params))
    kept = [message for message in client.seen if message.get("method") != "textDocument/publishDiagnostics"]
    lines = [json.dumps({key: value for key, value in message.items() if key != "id"}) for message in kept]
    return f"{name}\n" + "".join(f"    {line}\n" for line in lines)


def requests_about(client: Client, uri: str, text: str, places: bool) -> list[str]:
    document = {"textDocument": {"uri": uri}}
    said = [told(client, "diagnostic", "textDocument/diagnostic", document)]
    known = client.request("textDocument/diagnostic", document)["resultId"]
    for earlier in (known, "1", known[:-1]):
        said.append(told(client, "again", "textDocument/diagnostic", {**document, "previousResultId": earlier}))
    said.append(told(client, "lenses", "textDocument/codeLens", document))
    whole = between(0, 0, text.count("\n"), 0)
    said.append(told(client, "hints", "textDocument/inlayHint", {**document, "range": whole}))
    for only in (None, ["quickfix"], ["source.fixAll"], ["source.graphmend.fixUnsafe"], ["source"], ["refactor"], []):
        context = {"diagnostics": [], **({} if only is None else {"only": only})}
        said.append(
            told(client, f"actions {only}", "textDocument/codeAction", {**document, "range": whole, "context": context})
        )
    for line in range(6, 14) if places else (7, 11):
        for character in (0, 4, 10, 14, 22, 40):
            at = {**document, "position": place(line, character)}
            said.append(told(client, f"hover {line}:{character}", "textDocument/hover", at))
        spot = {**document, "range": between(line, 4, line, 12), "context": {"diagnostics": []}}
        said.append(told(client, f"actions {line}", "textDocument/codeAction", spot))
        said.append(
            told(client, f"hints {line}", "textDocument/inlayHint", {**document, "range": between(line, 0, line, 9)})
        )
    return said


def stated(client: Client, text: str) -> str:
    version = subprocess.run([client.process.args[0], "--version"], capture_output=True, text=True).stdout.split()[1]
    for known, shown in ((client.folder.as_uri(), "FOLDER"), (str(client.folder), "FOLDER"), (version, "VERSION")):
        text = text.replace(known, shown)
    return re.sub(r'"resultId": "[0-9a-f]{32}"', '"resultId": "ID"', text)


@pytest.mark.parametrize("name", CLIENTS)
def test_replies(start: Callable[..., Client], name: str) -> None:
    client = start(**CLIENTS[name])
    said = [f"{json.dumps(client.capabilities)}\n"]
    uri = client.open("a.py", TEXT)
    said += requests_about(client, uri, TEXT, name in ("plain", "rich"))
    for change in CHANGES:
        more = {**change, "range": between(*change["range"])} if "range" in change else change
        client.change(uri, more)
        said.append(
            told(
                client, f"changed {json.dumps(change)[:60]}", "textDocument/diagnostic", {"textDocument": {"uri": uri}}
            )
        )
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    said.append(told(client, "closed", "textDocument/diagnostic", {"textDocument": {"uri": uri}}))
    for command, arguments in itertools.product(
        ("graphmend.openRule", "odd"), (["GM301"], ["GB0170"], ["x"], [], [7], None)
    ):
        params = {"command": command, **({} if arguments is None else {"arguments": arguments})}
        said.append(told(client, f"command {command} {arguments}", "workspace/executeCommand", params))
    hold(STATED / f"replies.{name.replace(' ', '_')}.txt", stated(client, "".join(said)))


def test_choices_of_the_editor(start: Callable[..., Client]) -> None:
    said = []
    client = start()
    uri = client.open("a.py", TEXT)
    for options in OPTIONS:
        client.notify("workspace/didChangeConfiguration", {"settings": {"graphmend": options}})
        said.append(
            told(client, f"settings {json.dumps(options)}", "textDocument/codeLens", {"textDocument": {"uri": uri}})
        )
    for options in OPTIONS:
        other = start(options=options)
        uri = other.open("a.py", TEXT)
        said.append(
            told(other, f"options {json.dumps(options)}", "textDocument/codeLens", {"textDocument": {"uri": uri}})
        )
    hold(STATED / "choices.txt", stated(client, "".join(said)))


def raw(executable: str, folder: Path, data: bytes) -> str:
    done = subprocess.run([executable, "server"], input=data, capture_output=True, cwd=folder, timeout=120)
    return f"{done.stdout.decode()}{done.stderr.decode()}= {done.returncode}\n".replace("\r\n", "\n")


def test_bytes_that_are_no_messages(executable: str, tmp_path: Path) -> None:
    said = []
    for data in FRAMES:
        behind = frame({"jsonrpc": "2.0", "id": 9, "method": "nothing"})
        said.append(f"{data[:40]!r}\n{raw(executable, tmp_path, data + behind)}\n")
    begin = frame({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}})
    for message in MESSAGES:
        said.append(f"{json.dumps(message)}\n{raw(executable, tmp_path, frame(message))}\n")
    said.append(raw(executable, tmp_path, begin + b"".join(map(frame, MESSAGES))))
    version = subprocess.run([executable, "--version"], capture_output=True, text=True).stdout.split()[1]
    hold(STATED / "messages.txt", "".join(said).replace(version, "VERSION"))
