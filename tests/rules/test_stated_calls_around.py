"""What the calls of a method say of it, and what flags nobody turns on: its conditions, for every way to call it.

Nothing is said by default of a branch that no call comes to: behind a parameter that no call gives, behind a test that
all calls have made already, and behind a flag for messages that is off.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from stated_matrices import matrix
from stated_texts import hold

STATED = Path(__file__).parent / "stated"
HEAD = """import logging
import warnings

import torch

logger = logging.getLogger(__name__)
"""
CLASS = """

class Model{number}(torch.nn.Module):
    def __init__(self, on=True, off=False, none=None, number=0, given=False, *, later=False, must):
        super().__init__()
        self.on, self.both = on, True
        self.off = off
        self.none = none
        self.number = number
        self.given = given
        self.later: bool = later
        self.must = must
        self.never = False
        self.twice = False
        self.twice = False
        self.used = False
        self.changed = False

    def use(self):
        return 1 if self.used else 2

    def change(self):
        self.changed = True

    def inner(self, x, off=False, none=None, on=True, *rest, later=False, **more):
{body}

    def forward(self, x, flag):
{call}


{made}
"""
MADE = "model = torch.compile(Model(must=False))"
BRANCH = "if {c}:\n    if x.sum() > 0:\n        x = x + 1\nreturn x"
CONDITIONS = [
    *("off", "none", "on", "later", "rest", "more", "not off", "not on", "not not off", "x is None", "off and on"),
    *("on and off", "off or later", "off or on", "not (off or on)", "not (on and off)", "self.on", "not self.on"),
    *("self.off", "self.never", "not self.never", "self.never and on", "on and self.never", "self.never or on"),
    *("self.number", "self.other", "Model.on", "off == 1", "True"),
]
BODIES = [BRANCH.format(c=condition) for condition in CONDITIONS]
BODIES += [
    "'what it does'\n" + BRANCH.format(c="self.on"),
    "x = x + 1\n" + BRANCH.format(c="self.on"),
    "off = x\n" + BRANCH.format(c="off"),
    "if self.on:\n    return x\nelse:\n    if x.sum() > 0:\n        x = x + 1\nreturn x",
    "if off:\n    x = x - 1\nelif x.sum() > 0:\n    x = x + 1\nreturn x",
    "if off and x.sum() > 0:\n    x = x + 1\nreturn x",
    "if x.sum() > 0 and off:\n    x = x + 1\nreturn x",
    "while off:\n    if x.sum() > 0:\n        break\nreturn x",
    "return x + 1 if off and x.any() else x",
    "if on:\n    if self.on:\n        if x.any():\n            x = x + 1\nreturn x",
    "self.deeper(x, off)",
]
CALLS = [
    *(
        "return self.inner(x)",
        "return self.inner(x, flag)",
        "return self.inner(x, False)",
        "return self.inner(x, off=flag)",
    ),
    *(
        "return self.inner(x, none=flag)",
        "return self.inner(x, later=flag)",
        "return self.inner(*x)",
        "return self.inner(x, **flag)",
    ),
    *("return Model.inner(self, x)", "return self.inner", "if self.on:\n    return self.inner(x)\nreturn x"),
    *(
        "if not self.on:\n    return self.inner(x)\nreturn x",
        "if self.on:\n    return x\nelse:\n    return self.inner(x)",
    ),
    *(
        "if self.on and flag:\n    return self.inner(x)\nreturn x",
        "if self.on or flag:\n    return self.inner(x)\nreturn x",
    ),
    *(
        "if self.on:\n    x = x + 1\n    return self.inner(x)\nreturn x",
        "if self.on:\n    'says'\n    return self.inner(x)\nreturn x",
    ),
    *("if self.off:\n    return self.inner(x)\nreturn x", "if self.never:\n    return self.inner(x)\nreturn x"),
    *(
        "for i in range(2):\n    x = self.inner(x)\nreturn x",
        "if self.on:\n    with flag:\n        return self.inner(x)\nreturn x",
    ),
    *("self.inner(x)\nreturn self.inner(x, True)", "if not (self.on or flag):\n    return self.inner(x)\nreturn x"),
]


def indented(body: str) -> str:
    return textwrap.indent(body, "        ")


DEEPER = """

    def deeper(self, x, off):
        if self.on:
            if x.any():
                x = x + 1
        return x"""


def model(body: str, call: str, made: str, number: int) -> str:
    """A class with a method, a call of the method, and what makes an object of the class."""
    body = indented(body) + (DEEPER if "deeper" in body else "")
    made, call = (re.sub(r"\bModel\b", f"Model{number}", text) for text in (made, call))
    return CLASS.format(number=number, body=body, call=indented(call), made=made)


def test_calls(executable: str, tmp_path: Path) -> None:
    text = matrix(executable, tmp_path, HEAD, BODIES, CALLS, lambda body, call, number: model(body, call, MADE, number))
    hold(STATED / "calls_around.txt", text)


FLAGS = ["on", "off", "none", "number", "given", "later", "must", "never", "twice", "used", "changed", "both", "other"]
SHOWN = [
    "if {c}:\n    print(x)\nreturn x",
    "if not {c}:\n    print(x)\nreturn x",
    "if {c}:\n    warnings.warn(f'{{x.sum()}}')\n    pass\nreturn x",
    "if {c}:\n    logger.info('%s', x)\nelse:\n    print(x)\nreturn x",
    "if {c}:\n    for i in range(2):\n        print(x)\nreturn x",
    "if {c}:\n    for i in range(2):\n        print(x)\n    else:\n        x = x + 1\nreturn x",
    "if {c}:\n    if on:\n        print(x)\nreturn x",
    "if {c}:\n    print(x)\n    x = x + 1\nreturn x",
    "if {c}:\n    logging.warning('%s', x)\nreturn x",
    "if {c}:\n    print(x)\n    return\nx = x + 1\nreturn x",
    "if not {c}:\n    print(x)\n    return None\nx = x + 1\nreturn x",
    "if {c}:\n    print(x)\n    return x\nreturn x",
    "if {c}:\n    return\nprint(x)",
    "if on and {c}:\n    print(x)\nreturn x",
    "print(x, {c})\nreturn x",
]
MAKERS = [
    *(MADE, "model = torch.compile(Model(must=True))", "def make(must):\n    return torch.compile(Model(must=must))"),
    "def make(other=None):\n    return torch.compile(Model(must=other))",
    "def make(other=True):\n    return torch.compile(Model(must=other))",
    "model = torch.compile(Model(given=True, must=False))",
    "model = torch.compile(Model(must=None, given=False))\nother = Model(must=None)",
    "model = torch.compile(Model(must=None))\nother = Model(must=1)",
    "model = torch.compile(Model(**OPTIONS))",
    "model = torch.compile(Model(must=False))\nmodel.off = True",
    "model = torch.compile(Model(must=False))\nmodel.off = model.never = False",
    "model = torch.compile(Model(must=False))\nother(later=True, number=True)",
    "Model = print\nmodel = torch.compile(Model(must=False))",
]


def test_flags(executable: str, tmp_path: Path) -> None:
    """Of a model whose attributes are flags, by what makes the model and what is behind the flag."""
    text = ""
    for number, made in enumerate(MAKERS):

        def flagged(body: str, flag: str, column: int, made: str = made) -> str:
            return model(body.format(c=f"self.{flag}"), "return self.inner(x)", made, column)

        folder = tmp_path / str(number)
        folder.mkdir()
        rows = SHOWN if number == 0 else SHOWN[:2]
        text += f"# {' / '.join(made.splitlines())}\n" + matrix(executable, folder, HEAD, rows, FLAGS, flagged) + "\n"
    hold(STATED / "calls_around.flags.txt", text)
