"""How many calls from other files reach a function, by what kind it is and by what its own file says of it."""

from __future__ import annotations

import json
from pathlib import Path

from stated_texts import hold

READS = "x.sum().item()"
OTHER = f"\n    def other(self, x):\n        return {READS}\n"
HELPERS = {
    "plain": f"def g(x):\n    return {READS}\n",
    "quiet": "def g(x):\n    return x * 2\n",
    "compiled": f"@torch.compile\ndef g(x):\n    return {READS}\n",
    "called here": f"def g(x):\n    return {READS}\n\n\n@torch.compile\ndef f(x):\n    return g(x)\n",
    "quiet, called here": "def g(x):\n    return x * 2\n\n\n@torch.compile\ndef f(x):\n    return g(x)\n",
    "passes on": f"def g(x):\n    return h(x)\n\n\ndef h(x):\n    return {READS}\n",
    "passes on, behind": f"def h(x):\n    return {READS}\n\n\ndef g(x):\n    return h(x)\n",
    "passes on, called here": f"def g(x):\n    return h(x)\n\n\ndef h(x):\n    return {READS}\n\n\n"
    "@torch.compile\ndef f(x):\n    return h(x)\n",
    "around another": f"def g(x):\n    def h():\n        return {READS}\n    return h()\n",
    "quiet beside another": f"def g(x):\n    return x\n\n\ndef h(x):\n    return {READS}\n",
    "behind another": f"def h(x):\n    return {READS}\n\n\ndef g(x):\n    return x\n",
    "a class": f"class g:\n    def __init__(self, x):\n        self.x = {READS}\n{OTHER}",
    "a quiet class": f"class g:\n    def __init__(self, x):\n        self.x = x\n{OTHER}",
    "a class with a base": f"class Base:\n    def __init__(self, x):\n        self.x = {READS}\n\n\n"
    "class g(Base):\n    pass\n",
    "a decorator": f"def g(x):\n    def h(y):\n        return {READS}\n    return h\n",
    "disabled": f"@torch.compiler.disable\ndef g(x):\n    return {READS}\n",
}
CALLERS = {
    "nobody": "",
    "once": "@torch.compile\ndef a(x):\n    return g(x)\n",
    "twice": "@torch.compile\ndef a(x):\n    return g(x) + g(x)\n",
    "not compiled": "def a(x):\n    return g(x)\n",
    "by a method": "class A(torch.nn.Module):\n    def forward(self, x):\n        return g(x)\n",
    "applied": "@torch.compile\n@g\ndef a(x):\n    return x\n",
    "as a value": "@torch.compile\ndef a(x):\n    return list(map(g, x))\n",
}


def test_callers_by_kind(cli) -> None:
    stated = []
    for kind, helper in HELPERS.items():
        cli.write("pkg/helper.py", f"import torch\n\n\n{helper}")
        for way, caller in CALLERS.items():
            for name in ("a", "b"):
                cli.write(f"pkg/{name}.py", f"import torch\nfrom helper import g\n\n\n{caller}")
            found = []
            for files in (["pkg/helper.py"], ["pkg/helper.py", "pkg/a.py"], ["pkg"]):
                ended = cli("check", "--all", "--no-cache", "--output-format", "json-lines", *files)
                rows = [json.loads(line) for line in ended.out.splitlines()]
                found.append([f"{Path(one['path']).stem}:{one['line']} by {one['callers']}" for one in rows])
            stated.append(f"{kind}, {way}: {' | '.join(', '.join(rows) for rows in found)}\n")
    hold(Path(__file__).parent / "stated" / "callers_by_kind.txt", "".join(stated))
