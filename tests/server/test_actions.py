"""Code actions and hovers. What an action changes is what the command of the same name changes."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from lsp_client import Client, Message, check

SAFE = """import torch


@torch.compile
def f(x: torch.Tensor):
    y = x.float().sum()
    if y > 0:
        z = y + 1.0
    else:
        z = y - 1.0
    print("seen")
    return z
"""
CAPABILITIES: dict[str, Any] = {
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
    },
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "window": {"showDocument": {"support": True}},
}
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}


def offset(text: str, place: Message) -> int:
    """The offset of a position in ASCII text."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: place["line"]])) + int(place["character"])


def carry_out(text: str, edit: Message, uri: str) -> str:
    """The text with the edits of a document."""
    if "documentChanges" in edit:
        edits = [
            one for change in edit["documentChanges"] if change["textDocument"]["uri"] == uri for one in change["edits"]
        ]
    else:
        edits = edit["changes"][uri]
    for one in reversed(edits):
        start, end = (offset(text, one["range"][name]) for name in ("start", "end"))
        text = text[:start] + one["newText"] + text[end:]
    return text


def actions(client: Client, uri: str, where: Message = WHOLE, only: list[str] | None = None) -> list[Message]:
    context: Message = {"diagnostics": []} | ({} if only is None else {"only": only})
    asked = {"textDocument": {"uri": uri}, "range": where, "context": context}
    return list(client.request("textDocument/codeAction", asked))


def titled(offered: list[Message], words: str) -> Message:
    (found,) = [action for action in offered if words in action["title"]]
    return found


def fix(executable: str, text: str, *options: str) -> str:
    done = subprocess.run([executable, "fix", "--isolated", *options, "-"], input=text, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def able(start) -> Client:
    return start(**CAPABILITIES)


def test_the_safe_fix_of_a_finding(able, executable) -> None:
    uri = able.open("a.py", SAFE)
    action = titled(actions(able, uri), "GM101: write plain torch that does the same")
    assert action["kind"] == "quickfix" and action["isPreferred"]
    assert action["diagnostics"][0]["code"] == "GM101"
    assert action["edit"]["documentChanges"][0]["textDocument"] == {"uri": uri, "version": 1}
    assert carry_out(SAFE, action["edit"], uri) == fix(executable, SAFE) != SAFE


def test_the_fix_that_assumes_something_says_what(able, executable) -> None:
    text = SAFE.replace(".float()", "")
    uri = able.open("a.py", text)
    action = titled(actions(able, uri), "GM101: write plain torch, assuming that ")
    (found,) = [one for one in check(executable, "a.py", text, able.folder) if one["code"] == "GM101"]
    assert found["fix"] == "assumes" and found["fix_note"] in action["title"]
    assert "isPreferred" not in action
    assert carry_out(text, action["edit"], uri) == fix(executable, text, "--unsafe")


def test_a_comment_that_silences_one_finding(able) -> None:
    uri = able.open("a.py", SAFE)
    action = titled(actions(able, uri), "GM301: ignore it on this line")
    text = carry_out(SAFE, action["edit"], uri)
    assert '    print("seen")  # graphmend: ignore[GM301]\n' in text
    version = able.change(uri, {"text": text})
    assert [diagnostic["code"] for diagnostic in able.diagnostics(uri, version)] == ["GM101"]


def test_a_comment_that_silences_nothing_goes(able) -> None:
    text = "x = 1  # graphmend: ignore[GM101]\n"
    uri = able.open("a.py", text)
    (action,) = actions(able, uri)
    assert carry_out(text, action["edit"], uri) == "x = 1\n"


def test_the_range_chooses(able) -> None:
    uri = able.open("a.py", SAFE)
    line = {"start": {"line": 10, "character": 4}, "end": {"line": 10, "character": 4}}
    assert {action["diagnostics"][0]["code"] for action in actions(able, uri, line)} == {"GM301"}
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}
    assert actions(able, uri, nowhere) == []


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (["quickfix"], {"quickfix"}),
        (["source"], {"source.fixAll.graphmend"}),
        (["source.fixAll"], {"source.fixAll.graphmend"}),
        (["source.fixAll.ruff"], set()),
        (["source.fix"], set()),
        (["refactor"], set()),
        ([""], set()),
        ([], set()),
    ],
)
def test_the_client_chooses_kinds(able, only, kinds) -> None:
    uri = able.open("a.py", SAFE)
    assert {action["kind"] for action in actions(able, uri, WHOLE, only)} == kinds


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_all_mends_are_those_of_fix(able, executable, end) -> None:
    text = (SAFE + SAFE.replace("def f", "def g")).replace("\n", end)
    uri = able.open("a.py", text)
    (action,) = actions(able, uri, only=["source.fixAll.graphmend"])
    mended = subprocess.run([executable, "fix", "--isolated", "-"], input=text.encode(), capture_output=True).stdout
    assert carry_out(text, action["edit"], uri).encode() == mended
    able.change(uri, {"text": mended.decode()})
    assert actions(able, uri, only=["source.fixAll.graphmend"]) == []


LINES = ["import torch\n", "\n", "def f(x: torch.Tensor):\n", "    y = x + 1\n", "    return y * 2\n"]


@pytest.mark.parametrize("place", range(len(LINES) + 1))
def test_lines_beside_one_that_is_taken_away_stay(able, place) -> None:
    lines = [*LINES[:place], "# graphmend: ignore[GM101]\n", *LINES[place:]]
    uri = able.open("a.py", "".join(lines))
    (action,) = actions(able, uri, only=["source.fixAll.graphmend"])
    where = {"start": {"line": place, "character": 0}, "end": {"line": place + 1, "character": 0}}
    (change,) = action["edit"]["documentChanges"]
    assert change["edits"] == [{"range": where, "newText": ""}]


def test_all_mends_with_their_assumptions_are_those_of_fix_unsafe(able, executable) -> None:
    text = SAFE + (SAFE + SAFE).replace(".float()", "")
    uri = able.open("a.py", text)
    (action,) = actions(able, uri, only=["source.graphmend.fixUnsafe"])
    notes = {one["fix_note"] for one in check(executable, "a.py", text, able.folder) if one["fix"] == "assumes"}
    (note,) = notes
    assert action["title"] == f"Write everything that `graphmend fix --unsafe` writes, assuming that {note}"
    assert carry_out(text, action["edit"], uri) == fix(executable, text, "--unsafe") != fix(executable, text)
    able.change(uri, {"text": SAFE})  # proved mends alone are those of the other action
    assert actions(able, uri, only=["source.graphmend"]) == []


def test_clients_without_versioned_changes(start, executable) -> None:
    client = start(textDocument=CAPABILITIES["textDocument"])
    uri = client.open("a.py", SAFE)
    action = titled(actions(client, uri), "GM101: write plain torch")
    assert carry_out(SAFE, action["edit"], uri) == fix(executable, SAFE)
    assert not [action for action in actions(client, uri) if "command" in action]


def test_clients_without_literals_get_none(start) -> None:
    client = start()
    assert actions(client, client.open("a.py", SAFE)) == []


def test_files_outside_of_the_workspace_are_not_changed(start, tmp_path, executable) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    client = start(folders=[inside], **CAPABILITIES)
    for name in ("outside.py", "inside/../outside2.py", "inside-not/a.py"):
        uri = client.open((tmp_path / "inside").as_uri() + "/../" + name if "/" not in name else client.uri(name), SAFE)
        assert len(client.diagnostics(uri)) == 2  # analysed on their own
        assert {"edit" in action for action in actions(client, uri)} == {False}
        assert actions(client, uri, only=["source.fixAll"]) == []
    uri = client.open("inside/a.py", SAFE)
    assert titled(actions(client, uri), "GM101: write plain torch")
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [], "removed": [{"uri": inside.as_uri(), "name": "inside"}]}},
    )
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": (tmp_path / "other").as_uri(), "name": "other"}], "removed": []}},
    )
    assert {"edit" in action for action in actions(client, uri)} == {False}


def test_the_page_of_a_rule_is_opened_by_the_client(able) -> None:
    assert able.capabilities["executeCommandProvider"] == {"commands": ["graphmend.openRule"]}
    uri = able.open("a.py", SAFE)
    action = next(action for action in actions(able, uri) if action["title"].startswith("GM101: open the page"))
    command = {name: action["command"][name] for name in ("command", "arguments")}
    number = able.start("workspace/executeCommand", command)
    shown = able.wait(lambda message: message.get("method") == "window/showDocument")
    assert shown["params"] == {"uri": action["diagnostics"][0]["codeDescription"]["href"], "external": True}
    assert able.answer(number)["result"] is None
    for wrong in ({"command": "rm"}, {"command": "graphmend.openRule"}, {**command, "arguments": ["GM001"]}, None):
        assert able.fails("workspace/executeCommand", wrong) == -32602


# Hover


def hover(client: Client, uri: str, line: int, character: int) -> Message | None:
    place = {"line": line, "character": character}
    found: Message | None = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
    return found


def test_hover_of_a_finding_has_the_page_of_its_rule(able, executable) -> None:
    uri = able.open("a.py", SAFE)
    shown = hover(able, uri, 6, 8)
    assert shown is not None and shown["contents"]["kind"] == "markdown"
    page = subprocess.run([executable, "rule", "GM101"], capture_output=True, text=True).stdout
    (found, _) = check(executable, "a.py", SAFE, able.folder)
    assert shown["contents"]["value"].startswith(found["message"])
    assert found["because"] in shown["contents"]["value"] and page in shown["contents"]["value"]
    assert shown["range"] == {"start": {"line": 6, "character": 7}, "end": {"line": 6, "character": 12}}


def test_hover_of_a_value_says_why_it_is_a_tensor(able) -> None:
    uri = able.open("a.py", SAFE)
    for line, character in ((5, 4), (5, 20)):
        shown = hover(able, uri, line, character)
        assert shown is not None
        assert shown["contents"]["value"].startswith(
            "0-d tensor of floating point numbers\n\n`sum` of a tensor, line 6"
        ), shown
    assert hover(able, uri, 10, 12) is None or "tensor" not in hover(able, uri, 10, 12)["contents"]["value"][:10]
    assert hover(able, uri, 0, 0) is None
    assert hover(able, uri, 10**6, 10**6) is None


def test_hover_for_clients_without_markdown(client) -> None:
    uri = client.open("a.py", SAFE)
    shown = hover(client, uri, 6, 8)
    assert shown is not None and shown["contents"]["kind"] == "plaintext"


def test_requests_about_what_is_not_open(able) -> None:
    for method in ("textDocument/hover", "textDocument/codeAction"):
        assert able.fails(method, {"textDocument": {"uri": "file:///no.py"}, "range": WHOLE}) == -32602
        assert able.fails(method, None) == -32602
    uri = able.open("a.py", SAFE)
    assert able.fails("textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": -1}}) == -32602
    assert able.fails("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": []}) == -32602
