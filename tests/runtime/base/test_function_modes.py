"""Function modes around a call: a mode of the program sees the functions that the program calls, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from harness import CountingBackend, load
from torch.overrides import TorchFunctionMode

SOURCE = """
import torch

def make():
    def forward(x):
        y = torch.sin(x)
        if y.sum() > 1:
            y = torch.cos(y)
        return y
    return forward
"""


class Recorder(TorchFunctionMode):
    """Notes the names of functions."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.append(getattr(function, "__name__", str(function)))
        return function(*args, **(kwargs or {}))


def seen(function: Any) -> list[list[str]]:
    """The functions that a mode sees in four calls."""
    modes = []
    for number in (0.1, 1.0, 0.1, 1.0):
        x = torch.full((2,), number)
        with Recorder() as mode:
            function(x)
        modes.append(mode.names)
    return modes


def test_a_mode_sees_what_the_program_calls(tmp_path: Path) -> None:
    names: dict[str, Any] = {}
    exec(SOURCE, names)
    torch._dynamo.reset()
    mended = torch.compile(load(tmp_path, SOURCE)(), backend="eager")
    assert seen(mended) == seen(names["make"]())
    mended(torch.ones(2))
    assert seen(mended) == seen(names["make"]())


def test_calls_are_whole_with_a_default_device(tmp_path: Path) -> None:
    torch._dynamo.reset()
    backend = CountingBackend()
    mended = torch.compile(load(tmp_path, SOURCE)(), backend=backend)
    with torch.device("cpu"):
        mended(torch.ones(2))
        mended(torch.zeros(2))
    assert len(backend.graphs) == 1
