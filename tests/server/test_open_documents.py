"""Documents, folders, settings and cells that come, go and change at random: after each step what a model of them says.

The model is a dictionary of texts, a list of folders, and a list of cells; paths are those of `urllib` and `posixpath`,
and the diagnostics of a notebook those of one that has just been opened.
"""

from __future__ import annotations

import itertools
import posixpath
import random
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
from lsp_client import Client, Message

ABLE: dict[str, Any] = {
    "textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
        "diagnostic": {},
    },
}
SILENT = "x = 1  # graphmend: ignore[GM101]\n"
WHOLE = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
NAMES = ["a/x.py", "a/b/x.py", "ab/x.py", "a%62/y.py", "a/./b/../z.py", "a//b//w.py", "a/b/%78.py", "a/%2e%2e/c/x.py"]
NAMES += [
    "c/caf%C3%A9.py",
    "c/%4A%4a.py",
    "c/x%zz.py",
    "c/x%4.py",
    "c/x%00.py",
    "c/%",
    "../x.py",
    "a/../../../../../../x.py",
]
FOLDERS = ["a", "a/", "a/b", "ab", "a/../a", "%61", "c", ".", "a/b/..", "d", "a/%zz", "c/%43", "a/b/x.py"]
SCHEMES = ["file://", "file://", "file://", "file://localhost", "file://other", "untitled:", "FILE://"]


def path_of(uri: str) -> str | None:
    """The path of a URI; None where it has none."""
    found = re.fullmatch(r"file://(?:localhost)?(/.*)", uri)
    if found is None or re.search(r"%(?![0-9a-fA-F]{2})|%00", found[1]):
        return None
    return posixpath.normpath(re.sub("/+", "/", unquote(found[1], errors="surrogateescape")))


class World:
    """Texts that are open and folders of the workspace, and the server that has been told of them."""

    def __init__(self, client: Client, chance: random.Random) -> None:
        self.client, self.chance = client, chance
        self.texts: dict[str, str] = {}
        self.folders = [str(client.folder)]

    def uri(self, names: list[str]) -> str:
        return f"{self.chance.choice(SCHEMES)}{self.client.folder}/{self.chance.choice(names)}"

    def step(self) -> None:
        known = list(self.texts)
        kind = self.chance.choice(["open", "open", "change", "change", "close", "folders"])
        if kind == "open":
            uri = self.uri(NAMES)
            self.texts[uri] = SILENT * self.chance.randrange(4)
            self.client.open(uri, self.texts[uri])
        elif kind == "folders":
            self.change_folders()
        elif known:
            uri = self.chance.choice(known)
            if kind == "close":
                self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
                del self.texts[uri]
            else:
                self.change(uri)

    def change(self, uri: str) -> None:
        if self.chance.random() < 0.3:
            self.texts[uri] = SILENT * self.chance.randrange(3)
            self.client.change(uri, {"text": self.texts[uri]})
            return
        first, last = sorted(self.chance.choices(range(self.texts[uri].count("\n") + 1), k=2))
        ends = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        lines, new = self.texts[uri].splitlines(keepends=True), self.chance.choice([SILENT, "y = 2\n", ""])
        self.texts[uri] = "".join([*lines[:first], new, *lines[last:]])
        self.client.change(uri, {"range": ends, "text": new})

    def change_folders(self) -> None:
        gone = [self.uri(FOLDERS) for _ in range(self.chance.randrange(3))]
        come = [self.uri(FOLDERS) for _ in range(self.chance.choice([0, 0, 1, 2]))]
        for path in filter(None, map(path_of, gone)):
            if path in self.folders:
                self.folders.remove(path)
        self.folders += filter(None, map(path_of, come))
        event = {"removed": [{"uri": uri} for uri in gone], "added": [{"uri": uri} for uri in come]}
        self.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})

    def may_change(self, uri: str) -> bool:
        path = path_of(uri)
        below = [path is not None and f"{path}/".startswith(f"{folder.rstrip('/')}/") for folder in self.folders]
        return path is None or not self.folders or any(below)

    def check(self, uri: str) -> None:
        document = {"textDocument": {"uri": uri}}
        if uri not in self.texts:
            assert self.client.fails("textDocument/diagnostic", document) == -32602, uri
            return
        lines = [one["range"]["start"]["line"] for one in self.client.pull(uri)]
        expected = [at for at, line in enumerate(self.texts[uri].splitlines()) if "ignore" in line]
        assert lines == expected, (uri, self.texts[uri])
        asked = {**document, "range": WHOLE, "context": {"diagnostics": []}}
        offered = self.client.request("textDocument/codeAction", asked)
        assert len(offered) == (len(expected) if self.may_change(uri) else 0), (uri, self.folders, offered)


@pytest.mark.parametrize("seed", range(3))
def test_documents_and_folders(start: Callable[..., Client], seed: int) -> None:
    client = start(**ABLE)
    world = World(client, random.Random(seed))
    for _ in range(250):
        world.step()
        for uri in {world.uri(NAMES), *world.chance.sample(sorted(world.texts), min(len(world.texts), 2))}:
            world.check(uri)
    for uri in sorted(world.texts):
        world.check(uri)
    assert client.end() == 0


def test_many_documents_are_kept_apart(start: Callable[..., Client]) -> None:
    """Some thousand, of which some share a place in the tables by their names."""
    client = start(**ABLE)
    uris = [client.open(f"untitled:{number}", SILENT * (number % 2)) for number in range(3000)]
    for uri in uris[::3]:
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    for number in range(0, 3000, 7):
        if number % 3 == 0:
            assert client.fails("textDocument/diagnostic", {"textDocument": {"uri": uris[number]}}) == -32602
        else:
            assert len(client.pull(uris[number])) == number % 2, number
    assert client.end() == 0


CHOICES: list[Any] = [True, False, None, 7, "true", {}]


def test_choices_are_kept_until_they_are_made_anew(start: Callable[..., Client]) -> None:
    """True and false are choices; anything else leaves what was chosen before."""
    text = "import torch\n\n\n@torch.compile\ndef f(x):\n    y = torch.relu(x)\n    return y\n"
    for first in (None, *({"codeLens": one, "inlayHints": other} for one, other in zip(CHOICES, reversed(CHOICES)))):
        client = start(options=first, **ABLE)
        uri = client.open("a.py", text)
        chosen = {"codeLens": True, "inlayHints": False}
        steps: list[Any] = [
            first,
            *({"codeLens": one, "inlayHints": other} for one, other in itertools.product(CHOICES, repeat=2)),
        ]
        for step, given in enumerate([*steps, {}, None, {"inlayHints": True}, {"codeLens": True}, 7]):
            if step > 0:
                client.notify("workspace/didChangeConfiguration", {"settings": {"graphmend": given}})
            said = given if isinstance(given, dict) else {}
            chosen.update({name: value for name, value in said.items() if isinstance(value, bool)})
            document = {"textDocument": {"uri": uri}}
            shown = {
                "codeLens": bool(client.request("textDocument/codeLens", document)),
                "inlayHints": bool(client.request("textDocument/inlayHint", {**document, "range": WHOLE})),
            }
            assert shown == chosen, (first, given)
        assert client.end() == 0


IMPORTS, FUNCTION = "import torch", "@torch.compile\ndef f(x):\n    if x.sum() > 0:\n        print(x)\n    return x"
CELLS = [
    IMPORTS,
    FUNCTION,
    "x = 1",
    "",
    "\n",
    "def f(:",
    FUNCTION.replace("f(x)", "g(x)") + "\n",
    "%magic\nx.item()",
    "\u00e9",
]
URI = "file:///nowhere/n.ipynb"


def named(number: int) -> str:
    return f"vscode-notebook-cell:/n.ipynb#{number}"


def text_of(number: int, text: str, language: str) -> Message:
    return {"uri": named(number), "languageId": language, "version": 1, "text": text}


def open_notebook(client: Client, cells: list[int], texts: dict[int, tuple[str, str]]) -> None:
    entries = [{"kind": 2, "document": named(number)} for number in cells]
    notebook = {"uri": URI, "notebookType": "jupyter-notebook", "version": 1, "cells": entries}
    opened = [text_of(number, *texts[number]) for number in cells]
    client.notify("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": opened})


def structure_change(chance: random.Random, cells: list[int], texts: dict[int, tuple[str, str]]) -> Message:
    """Some cells in a row give way to others, to new ones, and to themselves in another order."""
    start = chance.randrange(len(cells) + 1)
    gone = cells[start : start + chance.choice([0, 1, 1, 2, 3, len(cells)])]
    kept = chance.sample(gone, chance.randrange(len(gone) + 1))
    new = [len(texts) + at for at in range(chance.choice([0, 0, 1, 2]))]
    for number in new:
        texts[number] = (chance.choice(CELLS), chance.choice(["python", "python", "python", "markdown"]))
    come = [*kept, *new]
    chance.shuffle(come)
    cells[start : start + len(gone)] = come
    array = {
        "start": start,
        "deleteCount": len(gone),
        "cells": [{"kind": 2, "document": named(number)} for number in come],
    }
    opened = [text_of(number, *texts[number]) for number in new]
    closed = [{"uri": named(number)} for number in gone if number not in kept]
    return {"structure": {"array": array, "didOpen": opened, "didClose": closed}}


def text_changes(chance: random.Random, cells: list[int], texts: dict[int, tuple[str, str]]) -> Message:
    changes = []
    for number in chance.sample(cells, min(len(cells), chance.randint(1, 2))):
        new = chance.choice(CELLS)
        texts[number] = (new, texts[number][1])
        change = {"text": new} if chance.random() < 0.5 else {"range": WHOLE, "text": new}
        changes.append({"document": {"uri": named(number), "version": 2}, "changes": [change]})
    return {"textContent": changes}


@pytest.mark.parametrize("seed", range(3))
def test_cells_that_come_go_and_change(start: Callable[..., Client], seed: int) -> None:
    chance, client, fresh = random.Random(seed), start(**ABLE), start(**ABLE)
    texts = {number: (text, "python") for number, text in enumerate(CELLS[:4])}
    cells = list(texts)
    open_notebook(client, cells, texts)
    for _ in range(60):
        change: Message = {}
        if chance.random() < 0.7:
            change.update(structure_change(chance, cells, texts))
        if chance.random() < 0.5:
            change.update(text_changes(chance, cells, texts))
        notebook = {"uri": URI, "version": 2}
        client.notify("notebookDocument/didChange", {"notebookDocument": notebook, "change": {"cells": change}})
        open_notebook(fresh, cells, texts)
        for number in range(len(texts)):
            document = {"textDocument": {"uri": named(number)}}
            if number in cells:
                assert client.pull(named(number)) == fresh.pull(named(number)), (number, cells, change)
            else:
                assert client.fails("textDocument/diagnostic", document) == -32602, (number, cells, change)
        fresh.notify("notebookDocument/didClose", {"notebookDocument": {"uri": URI}, "cellTextDocuments": []})
    assert client.end() == fresh.end() == 0
