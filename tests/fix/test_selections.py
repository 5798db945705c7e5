"""Every form of a condition beside every form of a side: which of them `fix` writes as a selection, and why not others.

What is written stands in full in stated/selections.txt, with the reason of what is left. Where torch is installed, a
function that was mended is called beside the one from before it, over tensors of other types, shapes and strides.
"""

from __future__ import annotations

import copy
import importlib.util
import itertools
import json
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
from stated_texts import hold

HEAD = """import torch


def g(a):
    return a


class Held:
    pass


held = Held()
"""
FUNCTION = """

@torch.compile
def f{number}(x{declared}, y{declared}, n: int):
{body}
"""
CONDITIONS = [
    "x.mean() > 0",
    "x.mean() == 0",
    "x.mean() <= n",
    "0 < x.mean()",
    "0 < x.mean() < 1",
    "x.mean(0) > 0",
    "x.mean(dtype=torch.float32) > 0",
    "y.mean() > 0",
    "x.mean() > 0 and y.sum() > 0",
    "y.sum() > 0 and x.mean() > 0",
    "x.mean() > 0 or y.sum() > 0",
    "not x.mean() > 0",
    "torch.mean(x) > 0",
    "x.sum() > 0",
    "(x.mean() > 0).item()",
    "(x.mean() > 0) & (n > 0)",
    'x.mean().to("cpu") > 0',
    "x.mean().cpu() > 0",
    "x.mean().cuda() > 0",
    "torch.ones(1) > x.mean()",
    "x.mean() > x.mean() - 1",
    "x.mean() > abs(n)",
    "x.mean() > g(n)",
    "x.mean() > held.limit",
    "(x.mean() > 0 if n else y.sum() > 0)",
    "x.any()",
    "(x > 0).any()",
    "torch.isnan(x).any()",
    "torch.isfinite(x).all() and not (x == 0).any()",
    "x.max().item() > 1",
    "torch.equal(x, y)",
    "torch.allclose(x, y)",
]
SIDES = [
    "x",
    "y",
    "n",
    "None",
    "-x",
    "x * 2",
    "x * 0.5",
    "x / 2",
    "x // 2",
    "x % 2",
    "x ** 2",
    "x + n",
    "x + y",
    "x @ x.t()",
    "x > 0",
    "x.float()",
    "x.half()",
    "x.exp()",
    "x.relu()",
    "torch.relu(x)",
    "x.clamp(min=-1.0)",
    "x.clamp(-1, 1)",
    "torch.clamp(x, min=-1000, max=1e30)",
    "torch.clamp(x, min=-x.abs().max(), max=1.0)",
    "torch.nan_to_num(x)",
    "torch.where(x > 0, x, x * 2)",
    "torch.where(x > 0, x, 0.0)",
    "torch.zeros_like(x)",
    "torch.zeros(3)",
    "x.masked_fill(x > 0, 0.0)",
    "x[0]",
    "x.sum()",
    "x.t()",
    "x.unsqueeze(0)",
    "x.reshape(-1)",
    "x.to(y.dtype)",
    "x.clone()",
    "x.contiguous()",
    "x.detach()",
    "x.add_(1)",
    "g(x)",
    "held.scale * x",
    "torch.rand_like(x)",
    "torch.linalg.inv(x)",
]
FORMS = {
    "if-else": "    if {c}:\n        y = {a}\n    else:\n        y = {b}\n    return y",
    "if": "    y = {b}\n    if {c}:\n        y = {a}\n    return y",
    "elif": "    if n > 3:\n        y = x\n    elif {c}:\n        y = {a}\n    else:\n        y = {b}\n    return y",
    "return-else": "    if {c}:\n        return {a}\n    else:\n        return {b}",
    "return-behind": "    if {c}:\n        return {a}\n    return {b}",
    "return-elif": "    if n > 3:\n        return x\n    elif {c}:\n        return {a}\n    return {b}",
    "return-late": "    if {c}:\n        return {a}\n    else:\n        y = {b}\n        return y",
    "return-more": "    if {c}:\n        return {a}\n    y = {b}\n    return y",
    "choice": "    y = {a} if {c} else {b}\n    return y",
    "choice-inside": "    return torch.relu({a} if {c} else {b})",
    "two": "    z = x\n    if {c}:\n        y = {a}\n        z = {b}\n    else:\n        y = {b}\n    return y + z",
    "inner": "    if {c}:\n        t = {a}\n        y = t + 1\n    else:\n        y = {b}\n    return y",
    "again": "    if {c}:\n        y = {a}\n        y = y + {b}\n    return y",
    "other-read": "    if {c}:\n        y = {a}\n        x = y + 1\n    else:\n        x = {b}\n    return x + y",
    "augmented": "    y = {b}\n    if {c}:\n        y += {a}\n    return y",
    "loop": "    for i in range(2):\n        if {c}:\n            y = {a}\n            break\n    return y",
    "with": "    with torch.no_grad():\n        if {c}:\n            y = {a}\n        else:\n            y = {b}",
    "one-line": "    if {c}: y = {a}\n    else: y = {b}\n    return y",
    "comment": "    if {c}:  # why\n        y = {a}\n    else:\n        # so\n        y = {b}\n    return y",
    "raise": "    if {c}:\n        raise ValueError(n)\n    return {a}",
    "nothing": "    if {c}:\n        pass\n    else:\n        y = {a}\n    return y + {b}",
    "held": "    if {c}:\n        held.last = {a}\n    else:\n        held.last = {b}\n    return held.last",
}
Row = tuple[str, str, str, str]


def rows() -> list[Row]:
    """Form, condition, and what the two sides are."""
    found = [("if-else", condition, a, b) for condition in CONDITIONS for a, b in [("x * 2", "x * 3"), ("x * 2", "-y")]]
    found += [("if-else", "x.mean() > 0", a, b) for a in SIDES for b in ("x * 2", "x.float()")]
    found += [("if-else", "(x > 0).any()", "x * 2", b) for b in SIDES]
    found += [("if", "torch.isnan(x).any()", a, "x + 0") for a in SIDES]
    found += [(form, condition, "x * 2", "-x") for form in FORMS for condition in ("x.mean() > 0", "(x > 0).any()")]
    return list(dict.fromkeys(found))


def written(some: list[Row], declared: str) -> str:
    text = HEAD
    for number, (form, condition, a, b) in enumerate(some):
        body = FORMS[form].format(c=condition, a=a, b=b)
        text += FUNCTION.format(number=number, declared=declared, body=body)
    return text


def bodies(text: str) -> list[str]:
    """What is below the head of each function."""
    return [part.partition("\n")[2].strip("\n") for part in text.split("@torch.compile\n")[1:]]


class Texts:
    """A file before `fix`, behind it, and what `check` says of it."""

    def __init__(self, executable: str, folder: Path, declared: str, *options: str) -> None:
        path = folder / "a.py"
        self.before = written(rows(), declared)
        path.write_text(self.before)

        def run(*command: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [executable, *command, "--isolated", "a.py"], cwd=folder, capture_output=True, text=True
            )

        self.said = run("check", "--all", "--no-cache", "--output-format", "json-lines").stdout
        run("fix", *options)
        self.after = path.read_text()
        assert run("fix", "--diff", *options).returncode == 0, "a second fix changes the text of the first"

    def changed(self) -> list[int]:
        return [at for at, (old, new) in enumerate(zip(bodies(self.before), bodies(self.after))) if old != new]


@pytest.fixture(scope="module")
def safe(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Texts:
    return Texts(executable, tmp_path_factory.mktemp("safe"), ": torch.Tensor")


@pytest.fixture(scope="module")
def unsafe(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Texts:
    """Nothing is known of the arguments, and what is assumed may be used."""
    return Texts(executable, tmp_path_factory.mktemp("unsafe"), "", "--unsafe")


@pytest.mark.parametrize("name", ["safe", "unsafe"])
def test_stated(request: pytest.FixtureRequest, name: str) -> None:
    texts: Texts = request.getfixturevalue(name)
    lines = texts.before.splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line.startswith("def f")]
    notes: dict[int, list[str]] = {}
    for line in texts.said.splitlines():
        one = json.loads(line)
        row = max(at for at, start in enumerate(starts) if start <= one["line"])
        note = one["fix_note"] or one["reason"] or "-"
        notes.setdefault(row, []).append(f"{one['code']} run {one['run']}, fix {one['fix']}: {note}")
    stated = []
    for number, (row, old, new) in enumerate(zip(rows(), bodies(texts.before), bodies(texts.after))):
        stated += ["| " + " | ".join(row), *notes.get(number, []), *([new] if new != old else []), ""]
    hold(Path(__file__).parent / "stated" / f"selections.{name}.txt", "\n".join(stated))


def functions(text: str) -> list[Callable[..., object]]:
    scope: dict[str, Any] = {"__name__": "selections"}
    exec(text.replace("@torch.compile\n", ""), scope)
    scope["held"].limit, scope["held"].scale = 0, 2.0
    return [scope[f"f{number}"] for number in range(len(rows()))]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_the_same(safe: Texts) -> None:
    """Values, types, layouts, identity with an argument, and errors, over tensors that decide both ways."""
    import torch

    some = [
        torch.tensor([[1.0, -2.0], [float("nan"), 4.0]]),
        torch.tensor([[1.5, 2.0], [3.0, 4.0]]).t(),
        -torch.ones(2, 2),
    ]
    some += [
        torch.tensor([[1, -2], [3, 4]]),
        torch.ones(2, 2, dtype=torch.float16),
        torch.zeros(2, 2, dtype=torch.bool),
    ]

    def told(function: Callable[..., object], x: torch.Tensor, y: torch.Tensor, n: int) -> object:
        given = [copy.deepcopy(x), copy.deepcopy(y)]
        torch.manual_seed(0)
        try:
            result = function(*given, n)
        except Exception as error:
            return type(error), given[0].tolist().__repr__()
        if not isinstance(result, torch.Tensor):
            return result
        held = [one is result or one.data_ptr() == result.data_ptr() for one in given]
        return result.dtype, result.stride(), repr(result.tolist()), held, repr(given[0].tolist())

    old, new, changed = functions(safe.before), functions(safe.after), safe.changed()
    assert len(changed) > 30
    for at, (x, y), n in itertools.product(changed, [(x, some[at % 2]) for at, x in enumerate(some)], (1, 5)):
        assert told(old[at], x, y, n) == told(new[at], x, y, n), (rows()[at], x, y, n)
