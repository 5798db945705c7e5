"""Files in which nothing can reach torch: every request at every position is answered, and only findings are told."""

from __future__ import annotations

from typing import Any

import pytest
from lsp_client import Client

TEXTS = {
    "no import": "x = [1]\ny = x[0].z\ndef f(a):\n    b = a.c\n    return b\n",
    "other imports": "import os\nfrom json import loads\nrows: list = loads(os.environ['ROWS'])\nfirst = rows[0]\n",
    "a class": "class A:\n    n = 1\n    def g(self):\n        self.k = self.n\n        return self.k\n\na = A().g()\n",
    "a name like torch": "def run(torch):\n    y = torch.ones(2)\n    if y.sum() > 1:\n        y = -y\n    return y\n",
    "a comment": "value = 1  # graphmend: ignore[GM101]\nother = value\n",
    "broken": "def f(x:\n    y = x\n  z = (y\n",
    "nothing": "",
}


def touches(given: Any, line: int, character: int) -> bool:
    start, end = ((given[name]["line"], given[name]["character"]) for name in ("start", "end"))
    return bool(start <= (line, character) <= end)


@pytest.mark.parametrize("name", TEXTS)
def test_requests(client: Client, name: str) -> None:
    lines = TEXTS[name].split("\n")
    document = {"uri": client.open("plain.py", TEXTS[name])}
    found = client.pull(document["uri"])
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    for line, text in enumerate(lines):
        for character in range(len(text) + 1):
            place = {"line": line, "character": character}
            told = client.request("textDocument/hover", {"textDocument": document, "position": place})
            touching = [one["message"] for one in found if touches(one["range"], line, character)]
            assert (told is None) == (touching == []), (place, told)
            here: Any = {"start": place, "end": place}
            client.request(
                "textDocument/codeAction", {"textDocument": document, "range": here, "context": {"diagnostics": []}}
            )
    assert client.request("textDocument/inlayHint", {"textDocument": document, "range": whole}) == []
    client.request("textDocument/codeLens", {"textDocument": document})
    assert client.end() == 0
