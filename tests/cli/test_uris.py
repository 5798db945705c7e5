"""Paths in SARIF are URIs: each character as it is or by its bytes, as `urllib` quotes it."""

from __future__ import annotations

import json
import urllib.parse

TEXT = "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    print(x.sum())\n    return x\n"
NAMES = [f"a{chr(code)}b.py" for code in range(1, 0x80) if chr(code) not in "/\\"]
NAMES += ["é.py", "\u20ac.py", "\U0001f600.py", "%41.py", "a b/c d.py"]


def test_uris(cli) -> None:
    for name in NAMES:
        cli.write(f"in/{name}", TEXT)
    said = json.loads(cli("check", "--no-cache", "--output-format", "sarif", "in").out)
    found = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for run in said["runs"]
        for result in run["results"]
    }
    assert found == {urllib.parse.quote(f"in/{name}", safe="/-._~") for name in NAMES}
