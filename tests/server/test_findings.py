"""Diagnostics are what `graphmend check` finds in the same text with the settings of its folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsp_client import check, same_findings

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "check"
BRANCH = """import torch


@torch.compile
def f(x):
    if x.sum() > 0:
        x = x + 1
    return x
"""
PULLS = {"textDocument": {"diagnostic": {}}}


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_same_as_check(client, executable, tmp_path, path) -> None:
    text = path.read_text(encoding="utf-8")
    uri = client.open(path.name, text)
    assert same_findings(client.diagnostics(uri), check(executable, str(tmp_path / path.name), text, tmp_path))


def test_members_of_a_diagnostic(client) -> None:
    uri = client.open("a.py", BRANCH)
    (diagnostic,) = client.diagnostics(uri)
    assert diagnostic["range"] == {"start": {"line": 5, "character": 7}, "end": {"line": 5, "character": 18}}
    assert diagnostic["severity"] == 2
    assert diagnostic["code"] == "GM101"
    assert diagnostic["source"] == "graphmend"
    assert diagnostic["codeDescription"]["href"].endswith("/gb/gb0170.html")
    assert "write: " in diagnostic["message"]
    assert diagnostic["data"]["name"] == "data-dependent-branch"


def test_syntax_errors_and_comments_that_silence_nothing(client) -> None:
    uri = client.open("a.py", "def f(:\n")
    (error, *_) = client.diagnostics(uri)
    assert (error["severity"], error["code"]) == (1, "syntax")
    uri = client.open("b.py", "x = 1  # graphmend: ignore[GM101]\n")
    (unused,) = client.diagnostics(uri)
    assert (unused["code"], unused["tags"]) == ("GM001", [1])


def test_unsaved_text_wins(client, tmp_path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n", encoding="utf-8")
    uri = client.open("a.py", BRANCH)
    assert len(client.diagnostics(uri)) == 1
    version = client.change(uri, {"text": "x = 1\n"})
    assert client.diagnostics(uri, version) == []
    assert (tmp_path / "a.py").read_text(encoding="utf-8") == "x = 1\n"


def test_incremental_changes(client) -> None:
    uri = client.open("a.py", BRANCH)
    assert len(client.diagnostics(uri)) == 1
    name = {"start": {"line": 5, "character": 7}, "end": {"line": 5, "character": 18}}
    assert client.diagnostics(uri, client.change(uri, {"range": name, "text": "True"})) == []
    back = {"start": {"line": 5, "character": 7}, "end": {"line": 5, "character": 11}}
    two = ({"range": back, "text": "y"}, {"range": back | {"end": {"line": 5, "character": 8}}, "text": "x.sum() > 0"})
    assert len(client.diagnostics(uri, client.change(uri, *two))) == 1


def test_many_changes_at_once_are_one_analysis(client) -> None:
    """Only the last version need be published; it must be."""
    uri = client.open("a.py", "")
    for at, character in enumerate(BRANCH):
        line, column = BRANCH.count("\n", 0, at), at - (BRANCH.rfind("\n", 0, at) + 1)
        place = {"line": line, "character": column}
        version = client.change(uri, {"range": {"start": place, "end": place}, "text": character})
    assert len(client.diagnostics(uri, version)) == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_count_what_was_agreed(start, encoding) -> None:
    client = start(general={"positionEncodings": [encoding]})
    text = BRANCH.replace("    if x.sum()", '    if "\u00e9\u20ac\U0001f600" and x.sum()')
    uri = client.open("a.py", text)
    (diagnostic,) = client.diagnostics(uri)
    line = text.splitlines()[5]
    units = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    codec = encoding if encoding == "utf-8" else f"{encoding}-le"
    size = [len(line[: line.index(mark)].encode(codec)) // units for mark in ("x.sum()", ":")]
    assert [diagnostic["range"][end]["character"] for end in ("start", "end")] == size
    # replace the emoji by what takes its range in the same units
    begin = len(line[: line.index("\U0001f600")].encode(codec)) // units
    end = begin + len("\U0001f600".encode(codec)) // units
    where = {"start": {"line": 5, "character": begin}, "end": {"line": 5, "character": end}}
    version = client.change(uri, {"range": where, "text": "a"})
    (diagnostic,) = client.diagnostics(uri, version)
    assert diagnostic["range"]["start"]["character"] == size[0] - (end - begin) + 1


def test_line_ends(client) -> None:
    for number, end in enumerate(("\r\n", "\r", "\n")):
        uri = client.open(f"a{number}.py", BRANCH.replace("\n", end))
        (diagnostic,) = client.diagnostics(uri)
        assert diagnostic["range"]["start"] == {"line": 5, "character": 7}


def test_closing_takes_diagnostics_away(client) -> None:
    uri = client.open("a.py", BRANCH)
    client.diagnostics(uri)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    gone = client.wait(lambda message: message.get("method") == "textDocument/publishDiagnostics")
    assert gone["params"] == {"uri": uri, "diagnostics": []}


def test_pulled_diagnostics(start) -> None:
    client = start(**PULLS)
    uri = client.open("a.py", BRANCH)
    report = client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
    assert report["kind"] == "full" and len(report["items"]) == 1
    again = client.request(
        "textDocument/diagnostic", {"textDocument": {"uri": uri}, "previousResultId": report["resultId"]}
    )
    assert again == {"kind": "unchanged", "resultId": report["resultId"]}
    client.change(uri, {"text": "x = 1\n"})
    assert client.pull(uri) == []
    assert not [message for message in client.seen if message.get("method") == "textDocument/publishDiagnostics"]
    assert client.fails("textDocument/diagnostic", {"textDocument": {"uri": "file:///no.py"}}) == -32602


def test_other_languages_are_left_alone(client) -> None:
    uri = client.open("a.txt", BRANCH, "plaintext")
    assert client.pull(uri) == []


def test_a_text_without_a_file(client) -> None:
    uri = client.open("untitled:Untitled-1", BRANCH)
    assert len(client.diagnostics(uri)) == 1


def test_what_an_editor_has_decoded(client) -> None:
    """The cookie tells of the file; the protocol has UTF-8."""
    uri = client.open(
        "a.py", "# -*- coding: latin-1 -*-\n# \u00e9\u20ac\n" + BRANCH.replace("x.sum()", "x.sum(),\u00e9")
    )
    (first, *_) = client.diagnostics(uri)
    plain = client.open("b.py", "#\n# \u00e9\u20ac\n" + BRANCH.replace("x.sum()", "x.sum(),\u00e9"))
    assert [first] == client.diagnostics(plain)[:1]
    uri = client.open("c.py", "\ufeff" + BRANCH)
    (diagnostic,) = client.diagnostics(uri)
    assert diagnostic["range"]["start"] == {"line": 5, "character": 7}


# Settings


def test_settings_of_the_folder(client, executable, tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.graphmend]\nignore = ["GM1"]\n', encoding="utf-8")
    uri = client.open("a.py", BRANCH)
    assert client.diagnostics(uri) == [] == check(executable, "a.py", BRANCH, tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.graphmend]\n", encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": client.uri("pyproject.toml"), "type": 2}]})
    assert len(client.diagnostics(uri)) == 1


def test_settings_that_are_saved(client, tmp_path) -> None:
    uri = client.open("a.py", BRANCH)
    assert len(client.diagnostics(uri)) == 1
    (tmp_path / "pyproject.toml").write_text('[tool.graphmend]\nignore = ["GM1"]\n', encoding="utf-8")
    client.notify("textDocument/didSave", {"textDocument": {"uri": client.uri("pyproject.toml")}})
    assert client.diagnostics(uri) == []


def test_settings_that_leave_a_file_out(client, tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.graphmend]\nexclude = ["made"]\n', encoding="utf-8")
    (tmp_path / "made").mkdir()
    uri = client.open("made/a.py", BRANCH)
    assert client.diagnostics(uri) == []


def test_settings_that_cannot_be_used_are_told_once(client, tmp_path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.graphmend]\nselect = ["GM9\\u001b[31m"]\n', encoding="utf-8")
    for name in ("a.py", "b.py"):
        uri = client.open(name, BRANCH)
        assert client.diagnostics(uri) == []
    (told,) = [message for message in client.seen if message.get("method") == "window/showMessage"]
    assert "pyproject.toml" in told["params"]["message"] and "no rule" in told["params"]["message"]
    assert "\x1b" not in told["params"]["message"]


def test_watchers_are_registered_where_the_client_can(start) -> None:
    client = start(workspace={"didChangeWatchedFiles": {"dynamicRegistration": True}})
    asked = client.wait(lambda message: message.get("method") == "client/registerCapability")
    (registration,) = asked["params"]["registrations"]
    assert registration["registerOptions"] == {"watchers": [{"globPattern": "**/pyproject.toml"}]}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})
    client.alive()


def test_pulling_clients_are_asked_to_pull_again(start, tmp_path) -> None:
    client = start(**PULLS, workspace={"diagnostics": {"refreshSupport": True}})
    uri = client.open("a.py", BRANCH)
    assert len(client.pull(uri)) == 1
    (tmp_path / "pyproject.toml").write_text('[tool.graphmend]\nignore = ["GM1"]\n', encoding="utf-8")
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    client.wait(lambda message: message.get("method") == "workspace/diagnostic/refresh")
    assert client.pull(uri) == []
