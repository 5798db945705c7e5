"""What is mended in a file that has names of torch alone: one `import torch`, and none where nothing is mended."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import pytest
from fix_cases import Case, all_cases
from test_name_of_torch import BODY, MENDED

# The cases of cases/, whose one import is that of torch, with the names of torch imported singly instead.
CASES = [case for case in all_cases() if re.findall(r"^(?:import|from) .*", case.before, re.M) == ["import torch"]]
OTHER = BODY.replace("def f", "def other")


def short(text: str) -> str:
    """A program that uses names of torch alone."""
    names = sorted({"Tensor", "compile", *re.findall(r"\btorch\.(\w+)", text)})
    return re.sub(r"^import torch\n", f"from torch import {', '.join(names)}\n", text.replace("torch.", ""), flags=re.M)


def tree(text: str) -> str:
    """What a program is apart from how it names torch and what it imports of it."""
    module = ast.parse(text.replace("torch.", ""))
    module.body = [node for node in module.body if not isinstance(node, (ast.Import, ast.ImportFrom))]
    return ast.dump(module)


# A mend that needs no torch: of it and of what is left alone comes no import.
MASKED = """

@compile
def masked(x: Tensor):
    y = x * 2
    if (y < 0).any():
        y[y < 0] = 0.25
    return y + 1
"""
SHORTER = MASKED.replace("    if (y < 0).any():\n    ", "")
MENDED_OTHER = MENDED.replace("def f", "def other").format(name="torch")


@pytest.mark.parametrize("beside", ["alone", "behind", "in front", "behind masks", "in front of masks"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_what_needs_torch_imports_it(case: Case, beside: str, fixed: Callable[..., str]) -> None:
    """One import where a mend in the file needs it, wherever that stands, and none where none does."""
    head, body = short(case.before).split("\n", 1)
    chosen = case.options[-1].split(",") if "--select" in case.options else ["GM1"]
    other = MENDED_OTHER if {"GM1", "GM101"} & set(chosen) else OTHER
    mask = SHORTER if "GM1" in chosen else MASKED
    before, after = {
        "alone": (body, case.after),
        "behind": (OTHER + body, other + case.after),
        "in front": (body + OTHER, case.after + other),
        "behind masks": (MASKED + body, mask + case.after),
        "in front of masks": (body + MASKED, case.after + mask),
    }[beside]
    found = fixed(f"{head}\n{before}", *case.options)
    assert tree(found) == tree(after)
    assert found.count("import torch\n") == ("torch." in found)
