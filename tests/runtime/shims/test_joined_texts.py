"""Texts made of texts that the trace does not know, against eager Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

PROGRAMS = {
    "join of a list": """
        def f(x):
            n = x.sum().item()
            parts = []
            for key in ("a", "b"):
                parts.append(f"{key}={n:.2f}")
            return x * 2, "{, }".join(parts), "".join(["a", f"{n}"]), "-".join([f"{n:.1f}"])
        """,
    "join of a generator": """
        def f(x):
            n = x.sum().item()
            losses = {"a": n, "{b}": n * 2}
            return x * 2, " | ".join(f"{key}: {value:.3f}" for key, value in losses.items())
        """,
    "join of map": """
        def f(x):
            return x * 2, ", ".join(map(str, (x.sum().item(), 1.5, 2)))
        """,
    "plus": """
        def f(x):
            n = x.sum().item()
            text = "loss " + f"{n:.2f}" + " {end}"
            text += f" {n}"
            return x * 2, text, f"{n}" + f"{n:.1f}"
        """,
    "str": """
        def f(x):
            n, k, b = x.sum().item(), x.long().sum().item(), (x.sum() > 1).item()
            return x * 2, str(n), "k" + str(k), str(b) + "!"
        """,
    "texts that the trace knows": """
        def f(x):
            n = x.sum().item()
            return x * n, "-".join(c for c in "abc"), "a" + "b", "".join([])
        """,
    "no text": """
        def f(x):
            n = x.sum().item()
            try:
                return x * 2, "".join([f"{n}", 1])
            except TypeError as error:
                return x * 2, str(error)
        """,
}
CALLS = [lambda: (torch.ones(2),), lambda: (torch.zeros(2),), lambda: (torch.full((2,), -1.25),)]
BREAKS = ("no text",)


@pytest.mark.parametrize("name", PROGRAMS)
def test_joined_texts(name: str, tmp_path: Any) -> None:
    outcome = compare(load(tmp_path, PROGRAMS[name]), CALLS, grad=False, rounds=6)
    assert name in BREAKS or outcome.report["callables"][-1]["mode"] == "whole", outcome.report
    assert name in BREAKS or outcome.graphs == 1, outcome.graphs
