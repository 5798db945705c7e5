"""Whatever a client sends, the server goes on, answers what comes next, and writes no file."""

from __future__ import annotations

import json
import random
import resource
import subprocess
from pathlib import Path

import pytest
from lsp_client import Client, frame

TEXT = "import torch\n\n\n@torch.compile\ndef f(x):\n    if x.sum() > 0:\n        x = x + 1\n    return x\n"


@pytest.fixture(autouse=True)
def nothing_is_written(tmp_path: Path):
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "a.py").write_text(TEXT, encoding="utf-8")
    (tmp_path / "kept.py").write_text(TEXT, encoding="utf-8")

    def seen() -> dict[str, bytes]:
        found = [*tmp_path.rglob("*"), *outside.rglob("*")]
        return {str(path): path.read_bytes() for path in found if path.is_file()}

    before = seen()
    yield
    assert seen() == before


def parse_error(client: Client) -> None:
    assert client.answer(None)["error"]["code"] == -32700


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: \r\n\r\n{}",
        b"Content-Length: 99999999999999999999999999\r\n\r\n{}",
        b"Content-Length: 33554433\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"no colon\r\n",
        b"A: " + b"a" * 5000 + b"\r\n\r\n",
        b"a" * 100000,
        b"\x00\xff\xfe\n",
        b"Content-Length: 5 5\r\n\r\nhello",
        b"Content-Length: x\r\nContent-Length: x\r\nContent-Length: x\r\n",
        b'Content-Length: y\r\n\r\n{"text": "Content-Length: 4\\r\\n\\r\\n"}',
    ],
)
def test_broken_headers(client, header) -> None:
    """Told once; what follows is read again."""
    client.send_bytes(header)
    client.alive()
    parse_errors = [message for message in client.seen if message.get("id", 0) is None]
    assert [message["error"]["code"] for message in parse_errors] == [-32700]


@pytest.mark.parametrize("end", [b"no colon\r\n", b"Content-Length: 5 5\r\n\r\n", b"\r\n"])
def test_headers_without_end(executable: str, end: bytes) -> None:
    """Lines that may each begin a header are read a few times, not once for each of those in front of them."""
    lines = b"Content-Length: 70\r\n"
    blocks = lines * 250_000 + end + (lines * 150 + b"no colon\r\n") * 1500
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    ran = subprocess.run(
        [executable, "server"],
        input=blocks + frame({"jsonrpc": "2.0", "id": 7, "method": "shutdown"}),
        capture_output=True,
        check=False,
    )
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert ran.returncode == 1 and b"-32700" in ran.stdout
    assert "sanitize" in executable or seconds < 1


def body(data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%s" % (len(data), data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"[]",
        b"[{}]",
        b"1",
        b'"text"',
        b"null",
        b"{'a': 1}",
        b'{"a": 1,}',
        b'{"a" 1}',
        b"{} {}",
        b'{"a": NaN}',
        b'{"a": "\xff\xfe"}',
        b'{"a": "\xed\xa0\x80"}',
        b'{"a": "\n"}',
        b'{"a": ' + b"[" * 100000,
        b'{"a": ' + b"[" * 1000 + b"]" * 1000 + b"}",
        b'{"a": ' * 100000,
        b'{"a": "' + b"\\u" * 50 + b'"}',
        b"\xef\xbb\xbf{}",
        b'```json\n{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}\n```',
    ],
)
def test_bodies_that_are_no_json_object(client, data) -> None:
    client.send_bytes(body(data))
    parse_error(client)
    client.alive()


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"method": 1, "id": 1},
        {"method": None},
        {"id": 5},
        {"id": None, "method": "shutdown"},
        {"id": [], "method": "shutdown"},
        {"method": "initialize", "id": 1, "params": []},
        {"method": "a\x00b"},
        {"method": "\ud800"},
        {"method": "textDocument/didOpen"},
        {"method": "textDocument/didOpen", "params": []},
        {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 1, "text": 2, "languageId": 3}}},
        {"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///a"}, "contentChanges": [{}]}},
        {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///never-opened.py"}}},
        {"method": "textDocument/didSave", "params": {"textDocument": {"uri": "x"}}},
        {
            "method": "workspace/didChangeWorkspaceFolders",
            "params": {"event": {"added": [1, {"uri": 2}], "removed": 5}},
        },
        {"method": "workspace/didChangeConfiguration", "params": {"settings": {"graphmend": [1]}}},
        {"method": "$/cancelRequest", "params": {"id": {}}},
        {"method": "textDocument/hover", "id": 7, "params": {"textDocument": {"uri": "file:///%00"}, "position": {}}},
        {"method": "workspace/executeCommand", "id": 7, "params": {"command": "graphmend.openRule", "arguments": {}}},
    ],
)
def test_messages_of_another_form(client, message) -> None:
    client.send(message)
    client.alive()
    assert client.end() == 0


def test_positions_beyond_the_text(client) -> None:
    uri = client.open("a.py", TEXT)
    far = 2**31 - 1
    for start, end in (
        ((far, far), (far, far)),
        ((far, 0), (0, 0)),
        ((5, far), (5, 0)),
        ((0, 0), (10**30, 10**30)),
        ((0, 10**30), (0, 10**30)),
    ):
        where = {"start": dict(zip(("line", "character"), start)), "end": dict(zip(("line", "character"), end))}
        client.change(uri, {"range": where, "text": "#"})
        client.pull(uri)
    client.change(uri, {"text": TEXT})
    assert len(client.pull(uri)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"range": {"start": {"line": -1, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"},
        {"range": {"start": {"line": 1.5, "character": 0}, "end": {"line": 2, "character": 0}}, "text": "x"},
        {"range": {"start": {}, "end": {}}, "text": "x"},
        {"range": [], "text": "x"},
        {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}},
        {"text": 5},
        {},
    ],
)
def test_a_change_that_cannot_be_made(client, change) -> None:
    """The text is unknown then: nothing is said of it until the client sends the whole."""
    uri = client.open("a.py", TEXT)
    client.change(uri, change)
    assert client.pull(uri) == []
    client.change(
        uri, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "#"}
    )
    assert client.pull(uri) == []
    client.change(uri, {"text": TEXT})
    assert len(client.pull(uri)) == 1


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "a.py",
        "file:",
        "file://",
        "file://elsewhere/a.py",
        "file:///%",
        "file:///%zz",
        "file:///%00a.py",
        "file:///../../../../etc/passwd",
        "file:///" + "a" * 100000,
        "file:///" + "a/" * 3000 + "b.py",
        "file:///dev/stdin",
        "untitled:\u202e\x1b[31m",
        "http://localhost/a.py",
        "file:///proc/self/mem",
        "file:///a.ipynb",
        "file:///",
    ],
)
def test_uris_of_any_form(client, uri) -> None:
    client.versions[uri] = 1
    item = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
    client.notify("textDocument/didOpen", {"textDocument": item})
    assert len(client.diagnostics(uri)) == 1
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    client.alive()


def test_files_outside_and_links_are_never_written(client, tmp_path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside" / "a.py"
    (tmp_path / "link.py").symlink_to(outside)
    for uri in (outside.as_uri(), (tmp_path / "link.py").as_uri(), (tmp_path / "kept.py").as_uri()):
        client.versions[uri] = 1
        item = {"uri": uri, "languageId": "python", "version": 1, "text": TEXT}
        client.notify("textDocument/didOpen", {"textDocument": item})
        client.change(uri, {"text": TEXT + "#"})
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        where = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        asked = {
            "textDocument": {"uri": uri},
            "range": where,
            "context": {"diagnostics": [], "only": ["source.fixAll"]},
        }
        client.request("textDocument/codeAction", asked)
    (tmp_path / "link.py").unlink()
    assert client.end() == 0


def test_large_and_deep_texts(client) -> None:
    deep = client.open("deep.py", "x = " + "(" * 50000 + ")" * 50000)
    assert [found["code"] for found in client.pull(deep)] == ["syntax"]
    line = client.open("line.py", "@torch.compile\ndef f(x): x = [" + "x.item(), " * 50000 + "]")
    client.pull(line)
    large = client.open("large.py", "x = 1\n" * 3_000_000)
    assert [found["code"] for found in client.pull(large)] == ["too-large"]
    client.alive()


def test_lone_surrogates(client) -> None:
    uri = client.uri("a.py")
    client.versions[uri] = 1
    text = json.dumps(TEXT + "# \ud800 \udfff \U0001f600\n")
    client.send_bytes(
        body(
            b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "%s", '
            b'"languageId": "python", "version": 1, "text": %s}}}' % (uri.encode(), text.encode())
        )
    )
    (found,) = client.diagnostics(uri)
    assert found["code"] == "GM101"
    where = {"start": {"line": 8, "character": 2}, "end": {"line": 8, "character": 7}}
    version = client.change(uri, {"range": where, "text": "\nif"})
    assert [found["code"] for found in client.diagnostics(uri, version)] == ["syntax"]


def test_random_bytes(client) -> None:
    """Bytes by chance between messages; after each of them the server is in step again."""
    chance = random.Random("bytes")
    whole = frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {"uri": "a:b"}}})
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(chance.randrange(1, 8)):
            at = chance.randrange(len(data))
            data[at : at + chance.choice((0, 1, 3))] = chance.randbytes(chance.choice((0, 1, 2)))
        client.send_bytes(bytes(data[: chance.randrange(len(data) + 1)]) + b"\x00\n")
        client.send_bytes(b"x" * 40)
    client.send_bytes(b" " * len(whole) + b"\n")
    client.alive()


def test_random_messages(client) -> None:
    """Every method with parts of right parameters replaced by values of other kinds."""
    chance = random.Random("messages")
    uri = client.open("a.py", TEXT)
    place = {"line": 5, "character": 9}
    right = {
        "textDocument": {"uri": uri, "version": 3, "languageId": "python", "text": TEXT},
        "position": place,
        "range": {"start": place, "end": {"line": 6, "character": 0}},
        "context": {"diagnostics": [], "only": ["quickfix", "source"]},
        "contentChanges": [{"range": {"start": place, "end": place}, "text": "x"}, {"text": TEXT}],
        "command": "graphmend.openRule",
        "arguments": ["GM101"],
        "settings": {"graphmend": {"codeLens": True, "inlayHints": True}},
        "event": {"added": [{"uri": "file:///x"}], "removed": [{"uri": "file:///y"}]},
        "previousResultId": "0",
        "notebookDocument": {
            "uri": "file:///n.ipynb",
            "version": 1,
            "notebookType": "jupyter-notebook",
            "cells": [{"kind": 2, "document": "cell:1"}, {"kind": 1, "document": "cell:2"}],
        },
        "cellTextDocuments": [{"uri": "cell:1", "languageId": "python", "version": 1, "text": TEXT}],
        "change": {
            "cells": {
                "structure": {"array": {"start": 0, "deleteCount": 1, "cells": [{"kind": 2, "document": "cell:3"}]}},
                "textContent": [{"document": {"uri": "cell:1", "version": 2}, "changes": [{"text": "x"}]}],
            }
        },
    }
    others = (None, True, -1, 0, 2**40, "", "x", [], {}, [[]], {"uri": uri}, place)

    def spoil(value):
        if chance.random() < 0.06:
            return chance.choice(others)
        if isinstance(value, dict):
            return {key: spoil(item) for key, item in value.items() if chance.random() > 0.02}
        return [spoil(item) for item in value] if isinstance(value, list) else value

    requests = ["diagnostic", "codeAction", "hover", "codeLens", "inlayHint"]
    methods = [
        *(f"textDocument/{name}" for name in (*requests, "didOpen", "didChange", "didSave", "didClose")),
        *(f"workspace/{name}" for name in ("executeCommand", "didChangeConfiguration", "didChangeWorkspaceFolders")),
        *(f"notebookDocument/{name}" for name in ("didOpen", "didChange", "didSave", "didClose")),
    ]
    for _ in range(1500):
        method = chance.choice(methods)
        params = spoil(right)
        if method.split("/")[1] in (*requests, "executeCommand"):
            client.start(method, params)
        else:
            client.notify(method, params)
    client.alive()
    assert client.end() == 0
