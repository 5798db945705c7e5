"""When the server tells something by itself, in which order, and about which version."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pytest
from lsp_client import Client, Message, frame

TEXT = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x)\n    return x\n"
REFRESHED: dict[str, Any] = {
    "textDocument": {"diagnostic": {}},
    "workspace": {"diagnostics": {"refreshSupport": True}},
}
LITERALS: dict[str, Any] = {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}


def message(method: str, params: Any, **more: Any) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params, **more}


def opened(uri: str, version: Any = 1, text: str = TEXT) -> Message:
    item = {"uri": uri, "languageId": "python", "version": version, "text": text}
    return message("textDocument/didOpen", {"textDocument": item})


def published(client: Client, count: int) -> list[tuple[str, Any]]:
    """Document and version of the next messages that publish diagnostics."""
    found = []
    for _ in range(count):
        params = client.wait(lambda one: one.get("method") == "textDocument/publishDiagnostics")["params"]
        found.append((params["uri"], params.get("version")))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_the_document_that_was_used_last_is_told_first(client: Client, seed: int) -> None:
    """All messages come in one write: what is due is told when none of them waits any more."""
    chance = random.Random(seed)
    uris = [f"untitled:{number}" for number in range(6)]
    used: list[str] = []
    messages = []
    for uri in [*uris, *chance.choices(uris, k=6)]:
        document = {"textDocument": {"uri": uri}}
        position = {**document, "position": {"line": 0, "character": 0}}
        change = {"textDocument": {"uri": uri, "version": 1}, "contentChanges": [{"text": TEXT}]}
        ways = [message("textDocument/hover", position, id=7), message("textDocument/didChange", change)]
        messages.append(chance.choice(ways) if uri in used else opened(uri))
        used = [*(one for one in used if one != uri), uri]
    client.send_bytes(b"".join(map(frame, messages)))
    assert [uri for uri, _ in published(client, len(uris))] == used[::-1]
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    assert [uri for uri, _ in published(client, len(uris))] == used[::-1]
    assert client.end() == 0


VERSIONS: list[Any] = [1, 0, 7, 2**31 - 1, None, "8", -1, 2.5, True, [], {}, 3]


def test_the_version_that_is_told_is_the_last_number(client: Client) -> None:
    """What is no number from 0 on leaves the version as it was; a document that is opened again begins anew."""
    for first in VERSIONS:
        uri, last = f"untitled:{first}", 0
        client.send(opened(uri, first))
        for step, version in enumerate([first, *VERSIONS]):
            if step > 0:
                changes = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": TEXT}]}
                client.notify("textDocument/didChange", changes)
            last = version if type(version) is int and version >= 0 else last
            assert published(client, 1) == [(uri, last)], (first, version)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        assert published(client, 1) == [(uri, None)]
    assert client.end() == 0


SAVED = [
    "pyproject.toml",
    "a/pyproject.toml",
    "xpyproject.toml",
    "pyproject.tom",
    "pyproject.toml.x",
    "pyproject.toml/",
]
SAVED += ["Pyproject.toml", "pyproject_toml", "a.py", "", "/pyproject.toml", "a/b/c/pyproject.toml"]


def refreshes(client: Client) -> int:
    """How often the client has been asked to pull again since the last time."""
    client.seen.clear()
    client.alive()
    return [one.get("method") for one in client.seen].count("workspace/diagnostic/refresh")


def test_settings_are_looked_at_when_they_are_saved(start: Callable[..., Client]) -> None:
    """By name: of a folder, in full, and as a file; other files that are saved are no settings."""
    client = start(**REFRESHED)
    for uri in [*(f"file:///{name}" for name in SAVED), *SAVED, *(f"untitled:{name}" for name in SAVED)]:
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        of_folder = uri.endswith("/pyproject.toml") and uri != "/pyproject.toml"
        assert refreshes(client) == of_folder, uri
    for wrong in (None, {}, {"textDocument": None}, {"textDocument": {"uri": 7}}):
        client.notify("textDocument/didSave", wrong)
        assert refreshes(client) == 0
    for method in ("workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"):
        client.notify(method, {"changes": [], "settings": None})
        assert refreshes(client) == 1
    assert client.end() == 0


WAYS = {
    "refreshes": ("workspace.diagnostics.refreshSupport", [True]),
    "watches": ("workspace.didChangeWatchedFiles.dynamicRegistration", [True]),
    "pages": ("window.showDocument.support", [True]),
    "versioned": ("workspace.workspaceEdit.documentChanges", [True]),
    "pulls": ("textDocument.diagnostic", [{}, {"dynamicRegistration": False}]),
    "markdown": ("textDocument.hover.contentFormat", [["markdown"], ["plaintext", "markdown"], [7, "markdown"]]),
}
OTHERS: list[Any] = [False, None, 1, "true", "markdown", [True], ["Markdown"], {"markdown": True}, []]


def capability(path: str, value: Any) -> dict[str, Any]:
    for name in reversed(path.split(".")):
        value = {name: value}
    return dict(value)


def abilities(client: Client) -> set[str]:
    """What the server does differently for the client, each seen by itself."""
    uri = client.uri("a.py")
    document = {"textDocument": {"uri": uri}}
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    client.send(opened(uri))
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    actions = client.request("textDocument/codeAction", {**document, "range": whole, "context": {"diagnostics": []}})
    hover = client.request("textDocument/hover", {**document, "position": {"line": 5, "character": 5}})
    pulls = client.request("textDocument/diagnostic", document)["items"] != [] and not is_published(client, uri)
    methods = {one.get("method") for one in client.seen}
    edits = [action["edit"] for action in actions if "edit" in action]
    seen = {
        "refreshes": "workspace/diagnostic/refresh" in methods,
        "watches": "client/registerCapability" in methods,
        "pages": "executeCommandProvider" in client.capabilities,
        "versioned": all("documentChanges" in edit for edit in edits),
        "pulls": pulls,
        "markdown": hover["contents"]["kind"] == "markdown",
    }
    assert edits and any("command" in action for action in actions) == seen["pages"]
    return {name for name, able in seen.items() if able}


def is_published(client: Client, uri: str) -> bool:
    """Whether the diagnostics of a document are told by themselves: by the time that those of the next one would be."""
    client.send(opened("untitled:next"))
    client.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:next"}})
    client.alive()
    told = [one["params"]["uri"] for one in client.seen if one.get("method") == "textDocument/publishDiagnostics"]
    return bool(told)


def test_the_client_can_what_it_says_that_it_can(start: Callable[..., Client]) -> None:
    """A capability counts where it has its right value, alone."""
    for name, (path, right) in WAYS.items():
        wrong = [one for one in OTHERS if name != "pulls" or not isinstance(one, dict)]
        for value in [*right, *wrong]:
            given = capability(path, value)
            given["textDocument"] = {**LITERALS, **given.get("textDocument", {})}
            client = start(**given)
            expected = {name} if any(value is one for one in right) else set()
            assert abilities(client) == expected, (name, value)
            assert client.end() == 0


NUMBERS: list[Any] = [0, 1, 5, 6, 99, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**64, 2**64 + 5, 10**30]
NO_NUMBERS: list[Any] = [-1, 1.0, 5.5, True, None, "5", [], {}]


def test_positions_are_two_numbers(start: Callable[..., Client]) -> None:
    """Any number of digits; lines and characters behind the end are the end, and what is no number is told."""
    client = start(textDocument={"diagnostic": {}, **LITERALS})
    uri = client.open("a.py", "print\n" * 5 + "\u00e9")
    document = {"textDocument": {"uri": uri}}
    for line, character in itertools.product(NUMBERS + NO_NUMBERS, repeat=2):
        position = {"line": line, "character": character}
        right = all(type(one) is int and one >= 0 for one in (line, character))
        answer = client.answer(client.start("textDocument/hover", {**document, "position": position}))
        told = {"code": -32602, "message": "the position is none"}
        assert answer.get("error") == (None if right else told), position
        given = {**document, "range": {"start": position, "end": position}, "context": {"diagnostics": []}}
        answer = client.answer(client.start("textDocument/codeAction", given))
        assert answer.get("error") == (None if right else {"code": -32602, "message": "the range is none"}), position
        if right:
            client.change(uri, {"range": given["range"], "text": "%"})
            lines = ["print\n"] * 5 + ["\u00e9"]
            at = min(character, 5 if line < 5 else 1 if line == 5 else 0)
            text = "".join(lines[: min(line, 6)]) + (lines[line][:at] + "%" + lines[line][at:] if line < 6 else "%")
            text += "".join(lines[line + 1 :]) if line < 6 else ""
            expected = start_of(client, text)
            assert client.pull(uri) == expected, position
            client.change(uri, {"text": "".join(lines)})
    assert client.end() == 0


def start_of(client: Client, text: str) -> list[Message]:
    """What is said of a text that has just been opened."""
    uri = client.open("untitled:fresh", text)
    told = client.pull(uri)
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    return told
