"""What is found where a value of every kind is used in every way that may break a graph, and what is said of it.

It stands beside this file (stated/kinds.*): for each way the kinds of value by all that is told of the findings.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from stated_texts import hold

HERE = Path(__file__).parent
HEAD = """import logging
import warnings
from typing import Optional

import torch
from torch import nn

logger = logging.getLogger(__name__)
LIMIT = 3
SEEN = []


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))
        self.register_buffer("mean", torch.zeros(2))
        self.rate = 0.5


LAYER = Layer()
"""
KINDS = [
    "x",
    "x.sum()",
    "x > 0",
    "(x > 0).any()",
    "x.mean().item()",
    "x.tolist()",
    "bool(x.sum() > 0)",
    "x.shape",
    "x.shape[0]",
]
KINDS += [
    "len(x)",
    "x.dim()",
    "x.dtype",
    "x.max(0)",
    "x.nonzero()",
    "x[x > 0]",
    "x.numpy()",
    "u",
    "config.size",
    "LIMIT",
    "1",
    "None",
]
KINDS += [
    "'text'",
    "(x, 1)",
    "[x, x]",
    "[1, 2]",
    "{'a': x}",
    "range(3)",
    "LAYER.weight",
    "LAYER.mean",
    "LAYER.rate",
    "torch.ones(2)",
]
KINDS += [
    "(x if flag else None)",
    "maybe",
    "torch.isnan(x).any()",
    "x.sum() == 0",
    "not x.any()",
    "x.sum() > n",
    "n > x.shape[0]",
]
KINDS += [
    "torch.equal(x, x)",
    "x.is_cuda",
    "self.training",
    "self.weight.sum() > 0",
    "[len(one) for one in x]",
    "int(x.sum())",
]
WAYS = {
    "if": "if v:\n            r = r + 1",
    "if else": "if v:\n            r = r + 1\n        else:\n            r = r - 1",
    "if not": "if not v:\n            r = r + 1",
    "and": "if v and flag:\n            r = r + 1",
    "or": "if flag or v:\n            r = r * 2",
    "return": "if v:\n            return r\n        r = r + 1",
    "two returns": "if v:\n            return r + 1\n        else:\n            return r - 1",
    "raise": "if v:\n            raise ValueError(f'bad {v}')",
    "assert": "assert v, 'no'",
    "conditional": "r = r + 1 if v else r",
    "while": "while v:\n            r = r + 1",
    "in a loop": "for i in range(n):\n            if v:\n                break\n            r = r + i",
    "continue": "for i in range(n):\n            if v:\n                continue\n            r = r + i",
    "for": "for i in v:\n            r = r + 1",
    "range": "for i in range(v):\n            r = r + i",
    "print": "print(v)",
    "print text": "print(f'at {v:.2f}', end='')",
    "log": "logger.info('at %s', v)",
    "warn": "warnings.warn(f'bad {v}')",
    "if print": "if v:\n            print('seen')",
    "if log": "if v:\n            logger.warning('seen %s', v)",
    "if append": "if v:\n            SEEN.append(r)",
    "append": "SEEN.append(v)",
    "attribute": "self.seen = v",
    "if attribute": "if v:\n            self.seen = r",
    "item": "r = r * v.item()",
    "float": "r = r * float(v)",
    "int": "r = r[: int(v)]",
    "text": "s = str(v)",
    "index": "r = r[v]",
    "view": "r = r.view(v, -1)",
    "zeros": "r = torch.zeros(v)",
    "comprehension": "r = sum([1 for i in v if i])",
    "in": "if 1 in v:\n            r = r + 1",
    "is": "if v is None:\n            r = r + 1",
    "isinstance": "if isinstance(v, torch.Tensor):\n            r = r + 1",
    "min": "r = r + min(v, 1)",
    "with": "with torch.set_grad_enabled(v):\n            r = r + 1",
    "try": "try:\n            r = r[v]\n        except IndexError:\n            r = r + 1",
    "grad": "v.requires_grad = True",
    "guard": "if v:\n            pass",
    "walrus": "if (w := v):\n            r = r + w",
    "nested": "if v:\n            if r.sum() > 0:\n                r = r + 1",
    "elif": "if flag:\n            pass\n        elif v:\n            r = r + 2\n        else:\n            r = r + 3",
    "save": "torch.save(v, 'a')",
    "match": "r = r + (2 if v == 1 else 3)",
}
TOLD = ("code", "message", "because", "reason", "fix", "fix_note", "run", "run_note")


def program(ways: dict[str, str]) -> tuple[str, list[tuple[str, str, int]]]:
    """The text, and the first line of each method."""
    text, places = f"{HEAD}\n\nclass Model(nn.Module):\n", []
    for way, body in ways.items():
        for kind in KINDS:
            places.append((way, kind, text.count("\n") + 1))
            given = "self, x: torch.Tensor, u, n: int, flag: bool, config, maybe: Optional[torch.Tensor] = None"
            text += f"    @torch.compile\n    def f{len(places)}({given}):\n        r = x * 2\n        v = {kind}\n"
            text += f"        {body}\n        return r\n\n"
    return text, places


def told(one: dict[str, Any], line: int) -> str:
    parts = [f"{name}={one[name]}" for name in TOLD if one.get(name) not in (None, "")]
    words = re.sub(r"line (\d+)", lambda found: f"line +{int(found[1]) - line}", " | ".join(parts))
    return f"{one['line'] - line}:{one['column']} {words}"


@pytest.mark.parametrize("part", range(3))
def test_stated_kinds(executable: str, tmp_path: Path, part: int) -> None:
    text, places = program(dict(list(WAYS.items())[part::3]))
    (tmp_path / "a.py").write_text(text)
    command = [executable, "check", "--no-cache", "--isolated", "--output-format", "json-lines", "a.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    said: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for at, (way, kind, line) in enumerate(places):
        end = places[at + 1][2] if at + 1 < len(places) else 10**9
        rows = [told(one, line) for one in found if line <= one["line"] < end]
        said[way]["".join(f"    {row}\n" for row in rows)].append(kind)
    lines = []
    for way, by in said.items():
        lines += [f"{way}\n", *(f"  {'  '.join(kinds)}\n{rows}" for rows, kinds in by.items())]
    hold(HERE / "stated" / f"kinds.{part}.txt", "".join(lines).replace(str(tmp_path), "FOLDER"))


@pytest.mark.parametrize("part", range(3))
def test_stated_mends(executable: str, tmp_path: Path, part: int) -> None:
    """What `fix --unsafe` writes in place of each way that it changes; what it has written it leaves as it is."""
    text, places = program(dict(list(WAYS.items())[part::3]))
    path = tmp_path / "a.py"
    path.write_text(text)
    command = [executable, "fix", "--unsafe", "--isolated", "a.py"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    after = path.read_text()
    compile(after, "a.py", "exec")
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert path.read_text() == after
    bodies = [re.split(r"\n    @torch\.compile\n", each)[1:] for each in (text, after)]
    assert len(bodies[0]) == len(bodies[1]) == len(places)
    said: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for (way, kind, _), before, behind in zip(places, *bodies):
        if before.strip() != behind.strip():
            said[way][behind.partition(":\n")[2].replace(f"v = {kind}\n", "v = KIND\n").rstrip()].append(kind)
    lines = [f"{way}\n  {'  '.join(kinds)}\n{body}\n" for way, by in said.items() for body, kinds in by.items()]
    hold(HERE / "stated" / f"kinds_mended.{part}.txt", "".join(lines))


def relative(text: str, line: int) -> str:
    return re.sub(r"a\.py:(\d+):", lambda found: f"+{int(found[1]) - line}:", text)


@pytest.mark.parametrize("part", range(3))
def test_stated_runs(executable: str, tmp_path: Path, part: int) -> None:
    """What `graphmend run` runs behind the value, in each way; where a kind of value reads data, its own line too."""
    text, places = program(dict(list(WAYS.items())[part::3]))
    (tmp_path / "a.py").write_text(text)
    command = [executable, "debug", "mend", "a.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    compile(done.stdout, "a.py", "exec")
    bodies = re.split(r"\n    @torch\.compile\n", done.stdout)[1:]
    assert len(bodies) == len(places)
    said: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for at, ((way, kind, line), body) in enumerate(zip(places, bodies), 1):
        placed = relative(body, line).partition(":\n")[2].replace(f"f{at}", "f")
        said[way][placed.replace(f"v = {kind}\n", "v = KIND\n").rstrip()].append(kind)
    lines = [f"{way}\n  {'  '.join(kinds)}\n{body}\n" for way, by in said.items() for body, kinds in by.items()]
    hold(HERE / "stated" / f"kinds_run.{part}.txt", "".join(lines))
