"""Framing, lifecycle, unknown methods, cancellation: the base of the protocol."""

from __future__ import annotations

import json
import subprocess

import pytest
from lsp_client import PATIENCE, frame

INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


def test_shutdown_and_exit(client) -> None:
    assert client.end() == 0


def test_exit_without_shutdown(client) -> None:
    client.notify("exit", None)
    assert client.close() == 1


def test_end_of_input(client) -> None:
    assert client.close() == 1


def test_end_of_output(executable, tmp_path) -> None:
    """A client that no longer reads has gone, though it may not have closed what it wrote to."""
    with subprocess.Popen(
        [executable, "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdout.close()
        server.stdin.write(frame({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}))
        server.stdin.flush()
        assert server.wait(timeout=PATIENCE) == 1


def test_exit_before_initialize(start) -> None:
    client = start(initialize=False)
    client.notify("exit", None)
    assert client.close() == 1


def test_order_of_the_phases(start) -> None:
    client = start(initialize=False)
    assert client.fails("textDocument/hover", {}) == -32002
    client.notify("textDocument/didOpen", {})  # dropped
    client.request("initialize", INITIALIZE)
    assert client.fails("initialize", INITIALIZE) == -32600
    assert client.request("shutdown", None) is None
    assert client.fails("textDocument/hover", {}) == -32600
    client.notify("exit", None)
    assert client.close() == 0


def test_capabilities(client) -> None:
    assert client.capabilities["textDocumentSync"] == {
        "openClose": True,
        "change": 2,
        "save": {"includeText": False},
    }
    assert client.capabilities["positionEncoding"] == "utf-16"
    assert "executeCommandProvider" not in client.capabilities  # needs window.showDocument


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8"], "utf-8"),
        (["utf-16", "utf-8"], "utf-16"),
        (["utf-7", "utf-32", "utf-8"], "utf-32"),
        ([], "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
def test_position_encoding(start, offered, chosen) -> None:
    client = start(general={"positionEncodings": offered})
    assert client.capabilities["positionEncoding"] == chosen


def test_unknown_messages(client) -> None:
    assert client.fails("graphmend/noSuchMethod", {}) == -32601
    assert client.fails("$/noSuchMethod", {}) == -32601
    client.notify("graphmend/noSuchNotification", {})
    client.notify("$/setTrace", {"value": "off"})
    client.send({"jsonrpc": "2.0", "id": 99, "result": None})  # an answer to nothing
    client.alive()


def test_requests_and_notifications_are_told_apart(client) -> None:
    client.notify("textDocument/diagnostic", {})  # ignored
    assert client.fails("textDocument/didOpen", {}) == -32600
    client.alive()


def test_ids_come_back_as_they_were(client) -> None:
    for number in (0, 7, "seven", 'a"b\\c', "\u00e9\u20ac", -3, 2**53):
        client.send({"jsonrpc": "2.0", "id": number, "method": "no"})
        assert client.answer(number)["error"]["code"] == -32601


def test_cancelled_requests_are_answered_and_not_carried_out(client) -> None:
    """Everything is there before the first request is taken, because it comes in one write."""
    uri = client.open("a.py", "x = 1\n")
    ask = {"jsonrpc": "2.0", "method": "textDocument/diagnostic", "params": {"textDocument": {"uri": uri}}}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest"}
    client.send_bytes(
        frame(ask | {"id": 501})
        + frame(ask | {"id": "502"})
        + frame(ask | {"id": 503})
        + frame(cancel | {"params": {"id": 501}})
        + frame(cancel | {"params": {"id": "502"}})
        + frame(cancel | {"params": {"id": 999}})
        + frame(cancel | {"params": None})
    )
    assert client.answer(501)["error"]["code"] == -32800
    assert client.answer("502")["error"]["code"] == -32800
    assert client.answer(503)["result"]["items"] == []


def test_frames_in_pieces(client) -> None:
    data = frame({"jsonrpc": "2.0", "id": 1, "method": "one"}) + frame({"jsonrpc": "2.0", "id": 2, "method": "two"})
    for byte in data:
        client.send_bytes(bytes([byte]))
    assert client.answer(1)["error"]["code"] == client.answer(2)["error"]["code"] == -32601


def test_headers(client) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 5, "method": "no"}).encode()
    length = b"%d" % len(body)
    for header in (
        b"content-length:" + length,
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: " + length,
        b"Content-Length:   " + length + b"  \r\nContent-Type: x",
    ):
        client.send_bytes(header + b"\r\n\r\n" + body)
        assert client.answer(5)["error"]["code"] == -32601
    client.send_bytes(b"Content-Length: " + length + b"\n\n" + body)
    assert client.answer(5)["error"]["code"] == -32601


def test_the_option_that_clients_add(executable, tmp_path) -> None:
    """`vscode-languageclient` adds `--stdio`."""
    data = frame({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}) + frame({"jsonrpc": "2.0", "method": "exit"})
    done = subprocess.run([executable, "server", "--stdio"], input=data, capture_output=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 1 and b"-32002" in done.stdout  # not initialised
    for wrong in (["--port", "1"], ["a.py"]):
        done = subprocess.run([executable, "server", *wrong], capture_output=True, cwd=tmp_path, timeout=60)
        assert done.returncode == 2 and done.stdout == b""
