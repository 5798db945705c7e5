"""A byte order mark moves what is said of the first line, and nothing else; a cookie says nothing in an editor."""

from __future__ import annotations

from typing import Any

import pytest
from lsp_client import Client, Message

ABLE: dict[str, Any] = {
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
}
WIDTHS = {"utf-8": 3, "utf-16": 1, "utf-32": 1}
TEXTS = [
    "def f(:\n",
    "x = 1  # graphmend: ignore[GM101]\n",
    "x = 1  # graphmend: ignore[GM101]",
    "\u00e9 = '\U0001f600'  # graphmend: ignore[GM101]\ndef g(:\n",
    "import torch; y = torch.zeros(3)\n\n\n@torch.compile\ndef g(x: torch.Tensor):\n    return x.item()\n",
    "",
]


LATE = "x = '\u00e9\u20ac'  # graphmend: ignore[GM101]\n"
COOKIES = [
    "# coding: {}\n",
    "#!python\n# -*- coding={} -*-\n",
    "# vim: set fileencoding={} :\n",
    "# coding: {} coding: {}\n",
]
NAMES = ["latin-1", "cp1252", "ascii", "utf-8", "utf8", "UTF_8", "iso-8859-15", "koi8_r"]


def moved(value: Any, width: int) -> Any:
    """What is said, with the places of the first line so far behind."""
    if isinstance(value, list):
        return [moved(one, width) for one in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"line", "character"}:
        return {**value, "character": value["character"] + (width if value["line"] == 0 else 0)}
    return {key: moved(one, width) for key, one in value.items() if key not in ("uri", "version")}


def told(client: Client, name: str, text: str, shift: int) -> list[Any]:
    uri = client.open(name, text)
    places: list[Message] = [{"line": 0, "character": shift + at} for at in range(0, 40, 3)]
    document = {"textDocument": {"uri": uri}}
    found: list[Any] = [client.diagnostics(uri), client.request("textDocument/codeLens", document)]
    found += [client.request("textDocument/hover", {**document, "position": place}) for place in places]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    asked = {**document, "range": whole, "context": {"diagnostics": []}}
    for action in client.request("textDocument/codeAction", asked) or []:
        edits = action.get("edit", {}).get("documentChanges", [])
        found.append([action["title"], [one["edits"] for one in edits]])
    return found


@pytest.mark.parametrize("units", WIDTHS)
@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_with_a_mark(start: Any, units: str, number: int) -> None:
    client = start(general={"positionEncodings": [units]}, **ABLE)
    width = WIDTHS[units]
    plain = told(client, "a.py", TEXTS[number], 0)
    marked = told(client, "b.py", f"\ufeff{TEXTS[number]}", width)
    assert moved(plain, width) == moved(marked, 0)
    assert number == len(TEXTS) - 1 or any(plain)


@pytest.mark.parametrize("cookie", COOKIES)
def test_cookies(client: Client, cookie: str) -> None:
    """An editor has decoded the text, whatever the file says; with a mark in front of it, Python would refuse it."""
    wanted = None
    for name in NAMES:
        head = cookie.format(name, name)
        found = client.diagnostics(client.open(f"{name}.py", head + LATE))
        wanted = wanted or found
        assert found == wanted != [], name
        (error, *_) = client.diagnostics(client.open(f"{name}_.py", "\ufeff" + head + LATE))
        assert (error["code"] == "syntax") == (name.lower().replace("_", "-") != "utf-8"), name
