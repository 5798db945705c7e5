"""Calls between files of what stands in blocks of a module: both files in each form, and whether the call is seen."""

from __future__ import annotations

from typing import Any

import pytest

CALLED = "def g(x):\n    if x.sum() > 0:\n        x = x + 1\n    return x"
IMPORT = "from b import g"
BLOCKS = {
    "plain": ("{}", True),
    "if": ("if FLAG:\n    {}", True),
    "else": ("if FLAG:\n    pass\nelse:\n    {}", True),
    "elif": ("if FLAG:\n    pass\nelif OTHER:\n    {}", True),
    "try": ("try:\n    {}\nexcept ImportError:\n    pass", True),
    "if in try": ("try:\n    if FLAG:\n        {}\nexcept ImportError:\n    pass", True),
    "try in if": ("if FLAG:\n    try:\n        {}\n    except ImportError:\n        pass", True),
    "handler": ("try:\n    pass\nexcept ImportError:\n    {}", False),
    "finally": ("try:\n    pass\nfinally:\n    {}", False),
    "with": ("with FLAG:\n    {}", False),
    "for": ("for i in FLAG:\n    {}", False),
}


def inside(block: str, text: str) -> str:
    """The text in the block, with its lines indented."""
    first = next(line for line in block.splitlines() if "{}" in line)
    front = first[: len(first) - len(first.lstrip())]
    return block.replace("{}", text.replace("\n", f"\n{front}"))


def found(cli: Any, called: str, caller: str) -> list[str]:
    cli.write("b.py", f"import torch\n\n{called}\n")
    cli.write("a.py", f"import torch\n\n{caller}\n")
    out = cli("check", "--no-cache", "--isolated", "--exit-zero", "--output-format", "concise", ".").out
    return [line.partition(":")[0] for line in out.splitlines()]


COMPILED = "\n\n@torch.compile\ndef f(x, k):\n    return {}\n"


@pytest.mark.parametrize("name", BLOCKS)
def test_where_a_function_stands(cli: Any, name: str) -> None:
    block, seen = BLOCKS[name]
    told = found(cli, inside(block, CALLED), IMPORT + COMPILED.format("g(x)"))
    assert told == ["b.py"] * seen


@pytest.mark.parametrize("name", BLOCKS)
def test_where_an_import_stands(cli: Any, name: str) -> None:
    """A name that is imported is known wherever it is bound, but one that the file hands on is told of some blocks."""
    block, _ = BLOCKS[name]
    assert found(cli, CALLED, inside(block, IMPORT) + COMPILED.format("g(x)")) == ["b.py"]


@pytest.mark.parametrize("name", BLOCKS)
def test_where_it_is_handed_on(cli: Any, name: str) -> None:
    block, seen = BLOCKS[name]
    cli.write("c.py", inside(block, IMPORT) + "\n")
    assert found(cli, CALLED, "from c import g" + COMPILED.format("g(x)")) == ["b.py"] * seen


@pytest.mark.parametrize("name", BLOCKS)
def test_where_a_table_stands(cli: Any, name: str) -> None:
    block, seen = BLOCKS[name]
    table = CALLED + "\n\n\n" + inside(block, "TABLE = {'a': g}")
    assert found(cli, table, "from b import TABLE" + COMPILED.format("TABLE[k](x)")) == ["b.py"] * seen
