"""What is said of every use of every kind of value, and of every two kinds that come together.

Both stand beside this file (stated/matrix.*): for each use the kinds of value by what is said of the result. What is
said is held against the results of Python, where the use does not raise.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

torch = pytest.importorskip("torch")

from test_claims import is_wrong, read_claims  # noqa: E402

HERE = Path(__file__).parent
HEAD = """import math
from collections import deque
from typing import Optional

import torch
from torch import nn


class Own:
    size = 3


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))
        self.register_buffer("mean", torch.zeros(2))
        self.parts = nn.ModuleList([nn.Linear(2, 2)])
        self.rate = 0.5


LIMIT = 3
LAYER = Layer()
"""
KINDS = [
    "x",
    "x.sum()",
    "x > 0",
    "x.long()",
    "x.mean().item()",
    "x.tolist()",
    "x.sum().bool()",
    "bool(x.sum() > 0)",
    "x.shape",
]
KINDS += [
    "x.shape[0]",
    "x.size(1)",
    "len(x)",
    "x.dim()",
    "x.dtype",
    "x.device",
    "x.max(0)",
    "x.unbind(0)",
    "x.numpy()",
    "x.T",
]
KINDS += [
    "u",
    "config",
    "config.size",
    "LIMIT",
    "1",
    "2.5",
    "-1",
    "1j",
    "True",
    "None",
    "'text'",
    "b'xy'",
    "f'{LIMIT}'",
    "...",
    "()",
]
KINDS += [
    "(1, 2)",
    "(x, 1)",
    "[x, x]",
    "[1, 2]",
    "[]",
    "{'a': x}",
    "{'a': 1}",
    "{}",
    "{1, 2}",
    "range(3)",
    "zip([1], [x])",
    "Own()",
]
KINDS += [
    "Own",
    "len",
    "lambda: x",
    "LAYER",
    "LAYER.weight",
    "LAYER.mean",
    "LAYER.parts",
    "LAYER.rate",
    "nn.Linear(2, 2)",
    "math.pi",
]
KINDS += [
    "(x if flag else None)",
    "(x if flag else 1)",
    "(1 if flag else None)",
    "maybe",
    "'%d' % x.sum().item()",
    "torch.float32",
]
KINDS += [
    "torch.ones",
    "torch.ones(2)",
    "torch.finfo(x.dtype).max",
    "[one for one in x]",
    "[len(one) for one in x]",
    "(one for one in x)",
]
USES = [
    "v",
    "v[0]",
    "v[:1]",
    "v[n]",
    "v['a']",
    "v[..., 0]",
    "v[v > 0]",
    "v.size",
    "v.size()",
    "v.real",
    "v.a",
    "v.a()",
    "v()",
    "v(x)",
]
USES += [
    "-v",
    "+v",
    "~v",
    "not v",
    "v + 1",
    "1 + v",
    "v + v",
    "v - 1",
    "v * 2",
    "2 * v",
    "v / 2",
    "v // 2",
    "v % 2",
    "v ** 2",
    "v @ v",
]
USES += [
    "v + x",
    "x + v",
    "v * x",
    "x @ v",
    "v & v",
    "v | v",
    "v ^ v",
    "v << 1",
    "v == v",
    "v != 1",
    "v < 1",
    "1 <= v",
    "v is None",
]
USES += [
    "v is not v",
    "v in [v]",
    "1 in v",
    "v == x",
    "0 < v < 1",
    "v and 1",
    "v or 1",
    "1 and v",
    "v and x",
    "x if v else n",
    "v if n else x",
]
USES += [
    "len(v)",
    "int(v)",
    "float(v)",
    "bool(v)",
    "str(v)",
    "repr(v)",
    "bytes(v)",
    "abs(v)",
    "round(v)",
    "sum(v)",
    "min(v)",
    "max(v)",
]
USES += [
    "min(v, 1)",
    "max(1, v)",
    "list(v)",
    "tuple(v)",
    "set(v)",
    "dict(v)",
    "sorted(v)",
    "list(reversed(v))",
    "list(zip(v, v))",
]
USES += [
    "list(enumerate(v))",
    "list(map(int, v))",
    "next(iter(v))",
    "any(v)",
    "all(v)",
    "isinstance(v, int)",
    "hasattr(v, 'a')",
    "type(v)",
]
USES += [
    "getattr(v, 'size')",
    "getattr(v, 'a', 1)",
    "id(v)",
    "hash(v)",
    "callable(v)",
    "divmod(v, 2)",
    "pow(v, 2)",
    "range(v)",
    "f'{v}'",
]
USES += [
    "'%s' % v",
    "[v]",
    "(v, 1)",
    "{'a': v}",
    "{v}",
    "[*v]",
    "[one for one in v]",
    "{one: 1 for one in v}",
    "(w := v)",
    "v.copy()",
]
USES += [
    "v.item()",
    "v.tolist()",
    "v.float()",
    "v.sum()",
    "v.T",
    "v.shape",
    "v.dtype",
    "v.keys()",
    "v.get('a')",
    "v.append(1)",
    "v.pop()",
]
USES += [
    "v.format(1)",
    "v.split()",
    "v.strip()",
    "v.encode()",
    "v.values",
    "v.weight",
    "v.forward",
    "v.bias",
    "torch.relu(v)",
    "torch.tensor(v)",
]
USES += [
    "torch.zeros(v)",
    "math.sqrt(v)",
    "math.floor(v)",
    "torch.is_tensor(v)",
    "print(v)",
    "deque(v)",
    "v.__class__",
    "v.numel()",
    "v.to(x)",
]
MATCH = """match v:
        case int():
            r = v
        case [_, r]:
            pass
        case {'a': r}:
            pass
        case None:
            r = 0
        case _:
            r = v"""
STATEMENTS = {
    "for": "for r in v:\n        pass",
    "unpack": "r, _ = v",
    "last": "*_, r = v",
    "rest": "_, *r = v",
    "nested": "(_, r), _ = v, 1",
    "starred": "_, r = 1, *v",
    "behind": "r, _ = *v, 1",
    "inner": "(_, r), _ = (1, *v), 2",
    "in front": "r, *_ = v, 1, 2",
    "deep": "((r, _), *_), _ = [((v, 1), 2), 3]",
    "for two": "for _, r in [(1, v), (2, n)]:\n        pass",
    "for items": "for _, r in {'a': v}.items():\n        pass",
    "for enumerated": "for _, r in enumerate(v):\n        pass",
    "with": "with v as r:\n        pass",
    "add": "r = v\n    r += 1",
    "multiply": "r = 2\n    r *= v",
    "matrix": "r = v\n    r @= v",
    "tensor": "r = v if isinstance(v, torch.Tensor) else n",
    "int": "r = n\n    if isinstance(v, int):\n        r = v",
    "none": "r = n\n    if v is not None:\n        r = v",
    "truth": "r = n\n    if v:\n        r = v",
    "is tensor": "r = n\n    if torch.is_tensor(v):\n        r = v",
    "compared": "r = n\n    if v == 1:\n        r = v",
    "returned": "r = n\n    if not isinstance(v, (list, tuple)):\n        return\n    r = v",
    "asserted": "assert v is not None\n    r = v",
    "match": MATCH,
    "while": "r = v\n    while n > 9:\n        r = r + 1",
    "try": "r = n\n    try:\n        r = v[0]\n    except TypeError as e:\n        r = e\n    finally:\n        n = 1",
    "deleted": "r = v\n    del r\n    r = v",
    "function": "def g():\n        return v\n    r = g()",
    "default": "def g(a=v):\n        return a\n    r = g()",
}


# What compares with anything gives a truth value; and a tensor of no dimension that is not known for one has no list.
EQUAL = ["v == v", "v == x", "v != 1"]
OPAQUE = ["config", "len", "LAYER.parts", "(x if flag else None)", "(1 if flag else None)", "maybe"]
KNOWN = {*itertools.product(EQUAL, OPAQUE), ("v.tolist()", "x.sum().bool()")}


def function(number: int, lines: str) -> str:
    head = f"def f{number}(x: torch.Tensor, u, n: int, flag: bool, config, maybe: Optional[torch.Tensor] = None):"
    return f"\n\n{head}\n    {lines}\n    k{number} = r\n    return k{number}\n"


def claims_of(executable: str, path: Path, count: int) -> list[tuple[str, str, set[str], str]]:
    """What is said of `r` at the end of each function."""
    lines = path.read_text().splitlines()
    found = read_claims(executable, path)
    at = {
        line.partition(" = r")[0].strip(): number
        for number, line in enumerate(lines, 1)
        if line.endswith(" = r") and line[4] == "k"
    }
    nothing: tuple[str, str, set[str], str] = ("", "", set(), "")
    places = [(at[f"k{number}"], len(lines[at[f"k{number}"] - 1])) for number in range(count)]
    return [found.get((line, end - 1, line, end), nothing) for line, end in places]


def results(scope: dict[str, Any], number: int) -> list[Any]:
    found = []
    for flag, given in itertools.product((True, False), (1, 0)):
        config = scope["Own"]()
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                found.append(scope[f"f{number}"](torch.tensor([[1.0, 2.0], [3.0, 4.0]]), given, 1, flag, config))
        except Exception:  # whatever Python or torch does not take
            continue
    return found


def judge(executable: str, path: Path, bodies: dict[tuple[str, str], str]) -> str:
    """What is said, by use; and that it is true."""
    path.write_text(HEAD + "".join(function(number, body) for number, body in enumerate(bodies.values())))
    subprocess.run([executable, "debug", "facts", str(path)], check=True, stdout=subprocess.DEVNULL)
    scope: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    told: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    wrong, judged = [], 0
    for number, (pair, claim) in enumerate(zip(bodies, claims_of(executable, path, len(bodies)))):
        class_, form, words, reason = claim
        told[pair[0]][f"{' '.join([class_, form, *sorted(words)])} | {reason}"].append(pair[1])
        for result in results(scope, number) if class_ in ("tensor", "not") else ():
            judged += 1
            if result is not None and pair not in KNOWN and is_wrong(result, class_, form, words):
                wrong.append((pair, type(result).__name__, claim))
    assert not wrong, "\n".join(map(str, wrong))
    assert judged > 500, judged
    rows = [
        f"{use}\n" + "".join(f"  {said}: {'  '.join(some)}\n" for said, some in by.items()) for use, by in told.items()
    ]
    return "".join(rows)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(4))
def test_uses(executable: str, tmp_path: Path, part: int) -> None:
    uses = {use: f"r = {use}" for use in USES} | STATEMENTS
    chosen = list(uses.items())[part::4]
    bodies = {(use, kind): f"v = {kind}\n    {body}" for use, body in chosen for kind in KINDS}
    hold(HERE / "stated" / f"matrix.uses{part}.txt", judge(executable, tmp_path / "a.py", bodies))


@pytest.mark.filterwarnings("ignore")
def test_joins(executable: str, tmp_path: Path) -> None:
    """Of a variable that has one value on one way and another on the other."""
    bodies = {
        (one, other): f"if u:\n        r = {one}\n    else:\n        r = {other}"
        for one, other in itertools.combinations_with_replacement(KINDS[::2], 2)
    }
    hold(HERE / "stated" / "matrix.joins.txt", judge(executable, tmp_path / "a.py", bodies))
