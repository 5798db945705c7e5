"""Code that no reached call comes to is not told: the caller has tested the opposite, or it is off by default."""

from __future__ import annotations

import re

import pytest

HEAD = """import logging
import warnings

import torch

log = logging.getLogger(__name__)


class Layer(torch.nn.Module):
"""
UNMERGE = """    def unmerge(self):
        if not self.merged:
            warnings.warn("nothing to do")
            return
        self.weight -= self.delta
"""
FORWARD = """    def forward(self, x: torch.Tensor):
        if self.disabled:
            if self.merged:
                self.unmerge()
        return x @ self.weight
"""
MERGE = """    def merge(self, safe=False):
        weight = self.weight + self.delta
        if safe and not torch.isfinite(weight).all():
            raise ValueError("broken")
        self.weight = weight

"""


def forward(call: str) -> str:
    return f"    def forward(self, x: torch.Tensor):\n        {call}\n        return x @ self.weight\n"


INIT = """    def __init__(self, chatty=False):
        super().__init__()
        self.chatty = chatty

"""


CASES = {  # a program, and the codes that it has
    "behind the opposite test": (UNMERGE + "\n" + FORWARD, []),
    "the test is a part": (UNMERGE + "\n" + FORWARD.replace("if self.merged", "if x.ndim == 2 and self.merged"), []),
    "in an else": (
        UNMERGE
        + "\n"
        + FORWARD.replace("if self.merged:", "if not self.merged:\n                pass\n            else:"),
        [],
    ),
    "through another method": (
        UNMERGE.replace("unmerge", "_unmerge") + "\n    def unmerge(self):\n        self._unmerge()\n\n" + FORWARD,
        [],
    ),
    "without a test": (UNMERGE + "\n" + forward("self.unmerge()"), ["GM303"]),
    "behind another test": (UNMERGE + "\n" + FORWARD.replace("self.merged", "self.ready"), ["GM303"]),
    "behind the same test": (UNMERGE + "\n" + FORWARD.replace("if self.merged", "if not self.merged"), ["GM303"]),
    "something in between": (
        UNMERGE + "\n" + FORWARD.replace("self.unmerge()", "self.merged = x.ndim == 2\n                self.unmerge()"),
        ["GM303"],
    ),
    "something in front of the test": (
        UNMERGE.replace("        if not", "        self.merged = self.ready\n        if not") + "\n" + FORWARD,
        ["GM303"],
    ),
    "one call of two has no test": (
        UNMERGE + "\n" + FORWARD.replace("return", "self.unmerge()\n        return"),
        ["GM303"],
    ),
    "handed on as a value": (
        UNMERGE
        + "\n    def later(self):\n        return self.unmerge\n\n"
        + FORWARD.replace("return", "self.later()()\n        return"),
        ["GM303"],
    ),
    "a parameter that nobody gives": (MERGE + forward("self.merge()"), []),
    "a parameter that is given": (MERGE + forward("self.merge(True)"), ["GM401"]),
    "a parameter that is given by its name": (MERGE + forward("self.merge(safe=self.safe)"), ["GM401"]),
    "a parameter that may be given": (MERGE + forward("self.merge(**self.options)"), ["GM401"]),
    "a parameter that is bound again": (
        MERGE.replace("weight = self.w", "safe = self.safe\n        weight = self.w", 1) + forward("self.merge()"),
        ["GM401"],
    ),
    "messages that are off by default": (
        forward("if verbose and x.ndim == 2: log.info('shape %s', x.shape)").replace(
            "x: torch.Tensor", "x: torch.Tensor, verbose=False"
        ),
        [],
    ),
    "messages that are on by default": (
        forward("if verbose: log.info('shape %s', x.shape)").replace(
            "x: torch.Tensor", "x: torch.Tensor, verbose=True"
        ),
        ["GM302"],
    ),
    "a flag that is off by default": (INIT + forward("if self.chatty: log.info('shape %s', x.shape)"), []),
    "a flag that is off by default, in a loop": (
        INIT + forward("if self.chatty:\n            for row in x:\n                log.info('row %s', row.shape)"),
        [],
    ),
    "a flag that is off": (
        INIT.replace("= chatty", "= False") + forward("if x.ndim > 1 and self.chatty: print(x.shape)"),
        [],
    ),
    "a flag of the class": ("    chatty = None\n\n" + forward("if self.chatty: warnings.warn('on')"), []),
    "a flag that is on by default": (INIT.replace("=False", "=True") + forward("if self.chatty: print(x)"), ["GM301"]),
    "a flag without a default": (INIT.replace("=False", "") + forward("if self.chatty: print(x)"), ["GM301"]),
    "the opposite of a flag": (INIT + forward("if not self.chatty: print(x)"), ["GM301"]),
    "beside a flag": (INIT + forward("if self.chatty or x.ndim > 1: print(x)"), ["GM301"]),
    "behind the other side of a flag": (
        INIT + forward("if self.chatty:\n            print(1)\n        else:\n            print(x)"),
        ["GM301"],
    ),
    "a flag that the file switches on": (
        INIT + forward("if self.chatty: print(x)") + "\n\nlayer = Layer(chatty=True)\n",
        ["GM301"],
    ),
    "a flag that the file sets": (
        INIT + forward("if self.chatty: print(x)") + "\n\nlayer = Layer()\nlayer.chatty = True\n",
        ["GM301"],
    ),
    "a flag that a method sets": (
        INIT + forward("if self.chatty: print(x)") + "\n    def speak(self, on):\n        self.chatty = on\n",
        ["GM301"],
    ),
    "a flag of what is computed": (
        INIT + forward("if self.chatty:\n            print(x)\n            x = x.relu()"),
        ["GM301"],
    ),
    "a flag that others compute by": (
        INIT
        + forward("if self.chatty: print(x)")
        + "\n    def more(self, x):\n        return x if self.chatty else -x\n",
        ["GM301"],
    ),
    "a flag that is handed on": (
        INIT
        + forward("if self.chatty: print(x)")
        + "\n    def more(self):\n        return Layer(chatty=self.chatty)\n",
        [],
    ),
    "a flag that all calls leave off": (
        INIT.replace("=False", "")
        + forward("if self.chatty: print(x)")
        + "\n\ndef layer(chatty=False):\n    return Layer(chatty=chatty)\n\n\nother = Layer(chatty=False)\n",
        [],
    ),
    "a flag that a call gives": (
        INIT.replace("=False", "")
        + forward("if self.chatty: print(x)")
        + "\n\ndef layer(on):\n    return Layer(chatty=on)\n\n\nother = Layer(chatty=False)\n",
        ["GM301"],
    ),
    "for another way to capture": (forward("if torch.jit.is_tracing() or torch.jit.is_scripting(): print(x)"), []),
    "for another way to capture, and more": (forward("if torch.jit.is_tracing() and x.ndim > 1: print(x)"), []),
    "for all but another way to capture": (forward("if not torch.jit.is_tracing(): print(x)"), ["GM301"]),
    "for another way to capture, or more": (forward("if torch.jit.is_scripting() or x.ndim > 1: print(x)"), ["GM301"]),
    "called for another way to capture": (
        "    def show(self, x):\n        print(x)\n\n" + forward("if torch.jit.is_tracing(): self.show(x)"),
        [],
    ),
    "called where nothing is compiled": (
        "    def show(self, x):\n        print(x)\n\n" + forward("if not torch.compiler.is_compiling(): self.show(x)"),
        [],
    ),
    "called for all but another way to capture": (
        "    def show(self, x):\n        print(x)\n\n"
        + forward("if torch.jit.is_tracing():\n            x = x + 1\n        else:\n            self.show(x)"),
        ["GM301"],
    ),
    "a flag that a local has": (INIT + forward("chatty = self.ready\n        if chatty: print(x)"), ["GM301"]),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_excluded_is_not_told(cli, name) -> None:
    program, codes = CASES[name]
    cli.write("a.py", HEAD + program)
    found = re.findall(r"(?m)^a\.py:\d+:\d+: (\w+)", cli("check", "--output-format", "concise", "a.py").out)
    assert found == codes
    every = cli("check", "--all", "--output-format", "concise", "a.py").out
    assert re.search("GM303|GM401|GM302|GM301", every)


def test_inherited_methods(cli) -> None:
    """A method of a base in the file, which a class below calls by `self`."""
    below = "\n\nclass Below(Layer):\n" + FORWARD
    cli.write("a.py", HEAD + UNMERGE + below)
    assert "GM303" not in cli("check", "--output-format", "concise", "a.py").out
    cli.write("a.py", HEAD + UNMERGE + below.replace("if self.merged", "if self.ready"))
    assert "GM303" in cli("check", "--output-format", "concise", "a.py").out
    cli.write("a.py", HEAD + UNMERGE + below + "        return self.unmerge\n")
    assert "GM303" in cli("check", "--output-format", "concise", "a.py").out


def test_other_files_ask_before_they_call(cli) -> None:
    """A method that warns and returns where there is nothing to do, whose calls stand in other files."""
    base, sub = HEAD + UNMERGE, "import torch\nfrom a import Layer\n\n\nclass Sub(Layer):\n" + FORWARD
    cli.write("a.py", base)
    cli.write("b.py", sub)
    assert "GM303" not in cli("check", "--output-format", "concise", ".").out
    assert "GM303" in cli("check", "--all", "--output-format", "concise", ".").out
    cli.write("a.py", base.replace("            return\n", ""))  # no mistake: it warns, and goes on
    assert "GM303" in cli("check", "--output-format", "concise", ".").out
    cli.write("a.py", base + forward("self.unmerge()"))
    assert "GM303" in cli("check", "--output-format", "concise", ".").out
