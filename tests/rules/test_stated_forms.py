"""Forms of effects, of branches and of what stands around them: what is said of each and the dialect of it, in full.

Each row is a function of its own. The texts stand in `stated` and are read as a diff; that the dialect does what the
program did is held by tests/runtime and by test_rules.py.
"""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

import pytest
from stated_texts import hold

HEAD = """import logging
import warnings

import torch
from torch import nn

logger = logging.getLogger(__name__)
TABLE = {"a": torch.relu, "b": torch.tanh}
HISTORY = []
LIMIT = 3


def helper(a, b=None):
    return a


def asking(a):
    if a.sum() > 0:
        return a
    return -a


class Layer(nn.Module):
    factor = 2

    def __init__(self):
        super().__init__()
        self.scale, self.linear = 1.0, nn.Linear(2, 2)
        self.layers = nn.ModuleList([nn.Linear(2, 2)])
        self.best = self.last = None
        self.seen = []

    def size(self):
        return len(self.seen)
"""
FUNCTION = """
    @torch.compile
    def f{number}(self, x: torch.Tensor, y: torch.Tensor, n: int, words, flag=False, *rest, **more):
{body}
"""
# What is shown by `print`, and of every third one a log record.
SHOWN = [
    *("x", "x.sum()", "x.sum().item()", "x.shape", "x.shape[0]", "x.dtype, x.device", "n", "words", "'text'", "n + 1"),
    *("self", "self.scale", "self.linear.weight", "self.linear.weight.size(0)", "self.size()", "self.layers[0]"),
    *("self.best is self.last", "self.best is None", "self.best == self.last", "self.seen", "self.seen[-1]"),
    *("f'{x.sum()}'", "f'{x.sum():.3f} {n!r:>{n}}'", "f'{self.size()}'", "'%s' % x.sum()", "'{}'.format(x.mean())"),
    *("[x, n]", "(x, y)", "{'k': x}", "{'k': x.sum().item()}", "[a for a in words]", "[x[i] for i in range(n)]"),
    *(
        "[layer.bias for layer in self.layers]",
        "', '.join(self.layers)",
        "sorted(self.layers)",
        "[list(self.layers), str(self.linear)]",
        "dict(self.layers)",
        "sum(layer.bias.sum() for layer in self.layers)",
        "sum(a for a in words)",
    ),
    *("sum(self.size() for a in words)", "{a: helper(a) for a in words}", "{helper(a) for a in words}"),
    *("helper(x)", "helper(x).sum()", "helper(x, b=y)", "helper(x)[0]", "helper(*rest)", "helper(**more)", "*rest"),
    *("x if n else y", "helper(x) if n else y", "x.sum() if x.any() else n", "n and x", "n or helper(x)", "not n"),
    *("lambda: x", "(m := x.sum())", "x[0]", "x[n]", "x[0, 1].item()", "x[x > 0]", "words[0]", "words[n].name", "-x"),
    *(
        "x > 0",
        "x + y",
        "x.tolist()",
        "x.numpy()",
        "x.detach().cpu()",
        "len(x)",
        "str(x)",
        "repr(x)",
        "type(x)",
        "id(x)",
    ),
    *(
        "int(x.sum())",
        "float(x.sum())",
        "bool(x.any())",
        "max(x)",
        "x.size()",
        "x.size(0)",
        "x.grad",
        "x.requires_grad",
    ),
    *(
        "torch.randn(2)",
        "torch.cuda.is_available()",
        "open('a')",
        "input()",
        "logger",
        "TABLE['a'](x)",
        "HISTORY",
        "LIMIT",
    ),
    *(
        "x.names",
        "x.T",
        "x.data",
        "x.add_(1)",
        "HISTORY.append(x)",
        "HISTORY.pop()",
        "rest",
        "more",
        "more['a']",
        "...",
    ),
]
OTHER_EFFECTS = [
    *("print(x, n, sep=', ', end='')", "print(x, file=None)", "print(x, flush=True)", "print(*words, x)", "print()"),
    *("logger.warning(f'{x.sum()}')", "logger.debug('a')", "logger.log(10, '%s %s', x, n)", "logger.exception('a')"),
    *("logging.info('%s', x)", "warnings.warn(f'{x.sum()}')", "warnings.warn('a', UserWarning, stacklevel=2)"),
    *("logger.info('a', extra={'k': x})", "logger.info('a', exc_info=True)", "logger.info('%s', x, stacklevel=n)"),
    *("self.seen.append(x.sum().item())", "self.seen += [x.mean().item()]", "self.last = x.sum().item()"),
    *("self.best = max(self.best, x.max().item())", "HISTORY.append(float(x.mean()))", "more['a'] = x.sum().item()"),
    *("self.seen.append(x)", "self.seen.clear()", "self.seen.extend(x.tolist())", "self.seen[0] = x.sum().item()"),
    *("self.last, self.best = self.best, x.item()", "del self.seen[0]", "self.factor = n", "Layer.factor += 1"),
    *("self.last = self.last + 1", "self.seen.append((n, x.sum().item()))", "setattr(self, 'last', x.item())"),
    *("global LIMIT; LIMIT = x.sum().item()", "LIMIT2 = n", "words.append(n)", "words.add(x.argmax().item())"),
    *("self.register_buffer('b', x)", "self.linear.weight.data = x", "x.requires_grad = True", "x.grad = None"),
    *("torch.manual_seed(n)", "torch.cuda.synchronize()", "torch.save(x, 'a')", "import time; time.sleep(0)"),
    *("with open('a') as out: out.write(str(x))", "raise ValueError(x)", "assert x.any(), f'{x}'", "breakpoint()"),
]
TESTS = [
    *("x.sum() > 0", "x.any()", "x.sum().item() > n", "bool(x.any())", "not x.any()", "x.any() and n", "n and x.any()"),
    *(
        "x.any() or y.any()",
        "0 < x.sum() < n",
        "x.sum() in (1, 2)",
        "torch.equal(x, y)",
        "torch.allclose(x, y)",
        "x.is_cuda",
    ),
    *(
        "x",
        "len(x) > 0",
        "x.shape[0] > n",
        "n > 0",
        "flag",
        "self.training",
        "self.scale > 0",
        "self.best is None",
        "words",
    ),
    *(
        "(m := x.sum()) > 0",
        "any(a > 0 for a in x)",
        "all([x.any(), y.any()])",
        "max(x) > 0",
        "helper(x)",
        "helper(x) > 0",
    ),
    *(
        "asking(x).any()",
        "x.sum() > (y.sum() if n else 0)",
        "(x.sum() > 0 if n else flag)",
        "self.size() > 0",
        "x[0] > 0",
    ),
    *(
        "x.max() > LIMIT",
        "torch.isnan(x).any().item()",
        "x.nonzero().numel() > 0",
        "x.dim() == 2 and x.any()",
        "x is y",
    ),
    *(
        "isinstance(x, torch.Tensor)",
        "x.sum() == 'a'",
        "x == y",
        "(x == y).all()",
        "x.tolist()[0] > 0",
        "x.unique().numel() > n",
    ),
]
# What stands around a branch; C is its condition.
AROUND = [
    "if {c}:\n    x = x + 1\nreturn x",
    "if {c}:\n    x = x + 1\nelif n:\n    y = x\nelse:\n    y = x - 1\n    z = y\nreturn x + y",
    "if {c}:\n    return x\nreturn y",
    "if n:\n    if {c}:\n        return x\n    y = y + 1\nreturn y",
    "for i in range(n):\n    if {c}:\n        break\n    x = x + i\nelse:\n    y = x\nreturn x, y",
    "for i in range(n):\n    if {c}:\n        continue\n    x = x + i\nreturn x",
    "while {c}:\n    x = x - 1\nreturn x",
    "with torch.no_grad():\n    if {c}:\n        x = x * 2\nreturn x",
    "try:\n    if {c}:\n        x = x * 2\nfinally:\n    y = x\nreturn y",
    "try:\n    x = helper(x) if {c} else y\nexcept ValueError as error:\n    return y\nreturn x",
    "def inner(a):\n    if {c}:\n        return a\n    return -a\nreturn inner(x)",
    "def inner():\n    nonlocal x\n    x = x + 1\nif {c}:\n    inner()\nreturn x",
    "if {c}:\n    raise ValueError(f'{{x}}')\nreturn x",
    "assert {c}, 'a'\nreturn x",
    "if {c}:\n    print(x)\n    x = x + 1\nreturn x",
    "if {c}:\n    self.seen.append(x.sum().item())\nreturn x",
    "if {c}:\n    pass\nreturn x",
    "if {c}:\n    z = x\nelse:\n    z = None\nreturn z",
    "if {c}:\n    z = x\nreturn z",
    "mode = 'a' if {c} else 'b'\nreturn TABLE[mode](x)",
    "z = [x, y] if {c} else [y]\nreturn z",
    "return (x if {c} else y) + 1",
    "return helper(x, b=x if {c} else None)",
    "z = [a for a in words if {c}]\nreturn z",
    "if {c}:\n    del x\n    x = y\nreturn x",
    "if {c}:\n    x[0] = 1\n    x.add_(1)\nreturn x",
    "if {c}:\n    yield x\nyield y",
    "z = lambda a: a if {c} else x\nreturn z(y)",
    "if {c}:\n    import math\n    x = x * math.pi\nreturn x",
    "if {c}: x, y = y, x\nreturn x - y",
    "x += 1 if {c} else 2\nreturn x",
    "print(x)\nif {c}:\n    x = x + 1\nprint(x)\nreturn x",
    "loss = x.sum()\nloss.backward()\nif {c}:\n    x.grad.zero_()\nreturn x.grad",
    "if {c}:\n    return None\nself.last = x.mean().item()",
    "if {c}:\n    locals()\n    x = eval('x')\nreturn x",
]


def indented(body: str) -> str:
    return textwrap.indent(body, "        ")


def pieces() -> dict[str, list[str]]:
    """The bodies of the functions, by the file that they stand in."""
    shown = [f"print({value})\nreturn x" for value in SHOWN]
    shown += [f"logger.info('%s', {value})\nreturn x" for value in SHOWN[::3]]
    return {
        "effects": [*shown, *(f"{effect}\nreturn x" for effect in OTHER_EFFECTS)],
        "tests": [around.format(c=test) for test in TESTS for around in AROUND[:1] + AROUND[2:3] + AROUND[20:21]],
        "around": [
            around.format(c=test) for around in AROUND for test in ("x.sum() > 0", "self.scale > n and y.any()")
        ],
    }


@pytest.mark.parametrize("name", ["effects", "tests", "around"])
def test_stated(executable: str, tmp_path: Path, name: str) -> None:
    bodies = pieces()[name]
    text = HEAD + "".join(FUNCTION.format(number=number, body=indented(body)) for number, body in enumerate(bodies))
    (tmp_path / "a.py").write_text(text)
    compile(text, "a.py", "exec")
    stated = []
    for command in (["check", "--no-cache", "--all", "--isolated"], ["debug", "mend"]):
        done = subprocess.run([executable, *command, "a.py"], cwd=tmp_path, capture_output=True, text=True)
        stated.append(done.stdout + done.stderr)
    hold(Path(__file__).parent / "stated" / f"forms.{name}.txt", "\n".join(stated))
