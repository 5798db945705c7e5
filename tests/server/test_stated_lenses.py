"""What lenses say of functions that are called by so many others, so often, in so many ways; held in `stated`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsp_client import Client
from stated_texts import hold

HEAD = "import torch\n\n\ndef asked(x):\n    return x * 2\n\n\n"
CALLS = [
    "asked(x)",
    "asked(asked(x))",
    "asked(x) + asked(x) + asked(x)",
    "[asked(x) for _ in range(3)]",
    "(lambda: asked(x))()",
    "asked",
]
COMPILED = "@torch.compile\ndef {name}(x: torch.Tensor):\n"
WAYS = {
    "compiled": f"{COMPILED}    return {{call}}\n\n\n",
    "plain": "def {name}(x):\n    return {call}\n\n\n",
    "method": "class C{name}(torch.nn.Module):\n    def forward(self, x):\n        return {call}\n\n\n",
    "nested": f"{COMPILED}    def inner():\n        return {{call}}\n\n    return inner()\n\n\n",
    "far": f"def far_{{name}}(x):\n    return {{call}}\n\n\n{COMPILED}    return far_{{name}}(x)\n\n\n",
}


def titles(client: Client, name: str, text: str) -> str:
    uri = client.open(name, text)
    lenses = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return "".join(f"    {lens['range']['start']['line']}: {lens['command']['title']}\n" for lens in lenses)


def test_stated_lenses(start: Any) -> None:
    client = start(options={"codeLens": True})
    rows: list[str] = []
    for way, form in WAYS.items():
        for call in CALLS:
            for count in (1, 2, 3, 4, 5):
                text = HEAD + "".join(form.format(name="abcde"[number], call=call) for number in range(count))
                rows.append(f"{way} {call} {count}\n{titles(client, f'{len(rows)}.py', text)}")
    hold(Path(__file__).parent / "stated" / "lenses.txt", "".join(rows))
