"""Programs that grow by one of what has a limit: the sizes at which the answer changes stand in `stated/limits_*.txt`.

A limit keeps time or memory in proportion to the text. On both sides of it an answer has to be right; a limit that
moves is seen in the diff.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

from stated_texts import hold

HEAD = "import torch\nfrom typing import Optional\nfrom torch import Tensor, nn\n\n\n"
Program = Callable[[int], str]
STATED = Path(__file__).parent / "stated"


def lines(count: int, line: str, indent: int = 4) -> str:
    """So many lines, with their numbers."""
    return "".join(f"{' ' * indent}{line.replace('@', str(number))}\n" for number in range(count))


def nested(count: int, left: str, middle: str, right: str) -> str:
    return left * count + middle + right * count


def chain_of_calls(count: int) -> str:
    inner = "".join(f"def g{number}(x):\n    return g{number - 1}(x)\n\n\n" for number in range(1, count))
    return f"def g0(x):\n    return torch.relu(x)\n\n\n{inner}"


def chain_of_classes(count: int) -> str:
    first = "class C0(nn.Module):\n    def size(self, x):\n        return torch.relu(x)\n\n\n"
    inner = "".join(f"class C{number}(C{number - 1}):\n    pass\n\n\n" for number in range(1, count))
    method = "    def forward(self, x: Tensor):\n        a = self.size(x)\n        return a\n"
    return f"{first}{inner}class D(C{count - 1}):\n{method}"


def loop(count: int) -> str:
    moves = "".join(f"        a{number} = a{number - 1}\n" for number in range(count, 0, -1))
    starts = lines(count + 1, "a@ = 0")
    return f"def f(x: Tensor, n: int):\n{starts}    for i in range(n):\n{moves}        a0 = x\n    return a{count}\n"


def asked(count: int) -> str:
    choices = lines(count, "if n == @: a = n")
    question = "    if isinstance(a, Tensor):\n        return a\n    return a\n"
    return f"def f(a: Tensor, n):\n{choices}{question}"


def aliases(count: int) -> str:
    names = "".join(f"a{number} = a{number - 1}\n" for number in range(1, count))
    return f"a0 = torch.relu\n{names}def f(x: Tensor):\n    y = a{count - 1}(x)\n    return y\n"


# The value of the last expression of a program, and why.
VALUES: dict[str, tuple[Program, range]] = {
    "brackets of an annotation": (
        lambda n: f"def f(x: {nested(n, 'Optional[', 'Tensor', ']')}):\n    return x\n",
        range(8, 10),
    ),
    "tuples that are taken apart": (
        lambda n: f"def f(x: Tensor):\n    {nested(n, '(', 'a', ',)')} = {nested(n, '(', 'x', ',)')}\n    return a\n",
        range(8, 10),
    ),
    "items that are taken apart": (
        lambda n: (
            f"def f(x: Tensor):\n    {', '.join(f'a{i}' for i in range(n))} = {'0, ' * (n - 1)}x\n    return a{n - 1}\n"
        ),
        range(256, 258),
    ),
    "a module's variable bound many times": (
        lambda n: "v = torch.ones(2)\n" * n + "def f():\n    return v\n",
        range(12, 14),
    ),
    "names for one another": (aliases, range(15, 17)),
    "classes behind one another": (chain_of_classes, range(6, 8)),
    "variables that a loop moves on": (loop, range(23, 25)),
    "bindings of a variable that is asked": (asked, range(15, 17)),
}


def answers(told: list[tuple[int, str]]) -> str:
    """The sizes with their answer."""
    text = ""
    for size, answer in told:
        text += f"{size:6} {answer}\n"
    return text


def value_of(cli: Any, text: str) -> str:
    cli.write("a.py", HEAD + text)
    last = cli("debug", "facts", "a.py").out.splitlines()[-1]
    return last.partition(" | ")[2]


def test_limits_of_values(cli: Any) -> None:
    text = ""
    for name, (program, sizes) in VALUES.items():
        text += f"{name}\n" + answers([(size, value_of(cli, program(size))) for size in sizes])
    told = []
    for size in range(100, 102):
        cli.write("a.py", HEAD + f"def f(x: Tensor):\n    if {'not ' * size}(x.sum() > 0):\n        return x\n")
        told.append((size, cli("debug", "facts", "--tests", "a.py").out.splitlines()[-1].partition(" | ")[2]))
    hold(STATED / "limits_of_values.txt", f"{text}not of a test\n{answers(told)}")


def compiled(body: str, arguments: str = "x: Tensor") -> str:
    return f"@torch.compile\ndef f({arguments}):\n{body}"


def nested_blocks(count: int) -> str:
    blocks = "".join(f"{' ' * (number + 1)}if n:\n" for number in range(count))
    inside = " " * (count + 1)
    branch = f"{inside}if x.sum() > 0:\n{inside} x = x + 1\n{inside}else:\n{inside} x = x - 1\n"
    return compiled(f"{blocks}{branch} return x\n", "x: Tensor, n: int")


def side(body: str) -> str:
    return compiled(f"    if x.sum() > 0:\n{body}    else:\n        y = x\n    return y\n")


FINDINGS: dict[str, tuple[Program, range]] = {
    "early returns": (
        lambda n: compiled(lines(n, "if x.sum() > @: return x + @") + "    return x\n"),
        range(7, 9),
    ),
    "statements behind an early return": (
        lambda n: compiled(f"    if x.sum() > 0:\n        return x\n{lines(n, 'x = x + @')}    return x\n"),
        range(397, 399),
    ),
    "tensors in a text": (
        lambda n: compiled(
            f"{lines(n, 'a@ = x + @')}    print({', '.join(f'a{i}' for i in range(n))})\n    return x\n"
        ),
        range(256, 258),
    ),
    "variables of a side": (
        lambda n: side(f"{lines(n, 'a@ = 1', 8)}        y = x + 1\n"),
        range(996, 998),
    ),
    "blocks around a branch": (nested_blocks, range(87, 89)),
    "functions behind one another on a side": (
        lambda n: chain_of_calls(n) + side(f"        y = g{n - 1}(x)\n"),
        range(48, 50),
    ),
}


def findings_of(cli: Any, *arguments: str) -> str:
    out = cli("check", "--no-cache", "--isolated", "--all", "--output-format", "json-lines", *arguments).out
    told = []
    for row in map(json.loads, out.splitlines()):
        reason = re.sub(r"`g\d+`.*", "`g`", row.get("reason") or row["message"])
        told.append(f"{row.get('code')} {row.get('fix')} {reason}")
    return "; ".join(f"{len(list(group))} {one}" for one, group in groupby(told)) or "nothing"


def test_limits_of_findings(cli: Any) -> None:
    text = ""
    for name, (program, sizes) in FINDINGS.items():
        told = []
        for size in sizes:
            cli.write("a.py", HEAD + program(size))
            told.append((size, findings_of(cli, "a.py")))
        text += f"{name}\n" + answers(told)
    hold(STATED / "limits_of_findings.txt", text)


CALLER = (
    "import torch\nfrom torch import Tensor\nfrom MODULE import deep\n\n\n"
    "@torch.compile\ndef f(x: Tensor):\n    return deep(x)\n"
)
DEEP = "def deep(x):\n    return x.item()\n"


def names_handed_on(count: int) -> dict[str, str]:
    inner = {f"m{number}.py": f"from m{number - 1} import deep\n" for number in range(1, count)}
    return {"m0.py": DEEP, **inner, "a.py": CALLER.replace("MODULE", f"m{count - 1}")}


def calls_through_files(count: int) -> dict[str, str]:
    inner = {
        f"m{number}.py": f"import m{number - 1}\n\n\ndef deep(x):\n    return m{number - 1}.deep(x)\n"
        for number in range(1, count)
    }
    return {"m0.py": DEEP, **inner, "a.py": CALLER.replace("MODULE", f"m{count - 1}")}


def folders(count: int) -> dict[str, str]:
    path = "/".join("p" * count)
    return {f"{path}/m.py": DEEP, "a.py": CALLER.replace("MODULE", f"{path.replace('/', '.')}.m")}


FILES: dict[str, tuple[Callable[[int], dict[str, str]], range]] = {
    "files that hand a name on": (names_handed_on, range(8, 10)),
    "files that call one another": (calls_through_files, range(16, 18)),
    "folders of a module": (folders, range(14, 16)),
    "brackets in a notebook": (
        lambda n: {
            "a.ipynb": f'{{"cells": [], "metadata": {{"a": {nested(n, "[", "", "]")}}}, "nbformat": 4}}',
        },
        range(198, 200),
    ),
    "brackets in settings": (
        lambda n: {"pyproject.toml": f"[tool.other]\na = {nested(n, '[', '', ']')}\n", "a.py": DEEP},
        range(64, 66),
    ),
}


def test_limits_of_files(cli: Any) -> None:
    text = ""
    for folder, (name, (files, sizes)) in enumerate(FILES.items()):
        told = []
        for size in sizes:
            for path, content in files(size).items():
                cli.write(f"{folder}/{size}/{path}", content)
            done = cli("check", "--no-cache", "--output-format", "concise", f"{folder}/{size}")
            told.append((size, re.sub(r"\S*/", "", " ".join((done.out + done.err).split())) or "nothing"))
        text += f"{name}\n" + answers(told)
    hold(STATED / "limits_of_files.txt", text)
