"""Hooks of modules that a call registers and removes."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import compare, load

MODEL = """
    import torch
    from torch import nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
            self.net[2].register_forward_hook(lambda module, inputs, output: output + 1)
            self.kept = []
        def note(self, module, inputs, output):
            self.kept.append(output.detach().abs().mean())
        def forward(self, x):
            self.kept.clear()
            {body}
    make = Model
    """
WHOLE = {
    "one hook": """seen = {}
            handle = self.net[0].register_forward_hook(lambda m, a, out: seen.__setitem__("a", out * 2))
            y = self.net(x)
            handle.remove()
            return y, seen["a"], self.net(x)""",
    "hooks of all layers": """handles = [layer.register_forward_hook(self.note) for layer in self.net]
            try:
                y = self.net(x)
            finally:
                for handle in handles:
                    handle.remove()
            return y, torch.stack(self.kept)""",
    "in a block": """with self.net[1].register_forward_hook(lambda m, a, out: -out):
                y = self.net(x)
            return y, self.net(x)""",
    "before the layer": """def halve(module, inputs):
                return (inputs[0] / 2,)
            handle = self.net[2].register_forward_pre_hook(halve)
            y = self.net(x)
            handle.remove()
            handle.remove()
            return y""",
    "with keywords": """def add(module, inputs, keywords, output):
                return output + len(keywords)
            handle = self.net.register_forward_hook(add, with_kwargs=True)
            y = self.net(input=x)
            handle.remove()
            return y""",
    "a branch on data": """handle = self.net[0].register_forward_hook(self.note)
            y = self.net(x)
            handle.remove()
            if y.sum() > 1:
                y = y * 2
            return y, self.kept[0]""",
}
KEPT = {
    "the handle": """handle = self.net[0].register_forward_hook(self.note)
            y = self.net(x)
            handle.remove()
            return y, handle.id in self.net[0]._forward_hooks, type(handle).__name__""",
    "the hook": """self.net[0].register_forward_hook(self.note)
            return self.net(x), len(self.net[0]._forward_hooks), len(self.kept)""",
    "the hook until the next call": """if hasattr(self, "handle"):
                self.handle.remove()
            self.handle = self.net[0].register_forward_hook(self.note)
            return self.net(x), len(self.net[0]._forward_hooks), len(self.kept)""",
    "a module with a hook": """self.last = nn.Identity()
            self.last.register_forward_hook(lambda m, a, out: out * 3)
            return self.last(self.net(x)), [key >= 0 for key in self.last._forward_hooks]""",
    "the hook where the call raises": """handle = self.net[0].register_forward_hook(self.note)
            y = self.net(x)
            if x.sum() > 5:
                raise ValueError(len(self.net[0]._forward_hooks))
            handle.remove()
            return y, len(self.kept)""",
}


def calls() -> list[Any]:
    return [lambda n=n: (torch.ones(2, 3) * n,) for n in (0.1, 0.5, 1.5, 0.2)]


@pytest.mark.parametrize("name", WHOLE)
def test_hooks_that_end_with_the_call_are_part_of_the_graph(tmp_path: Any, name: str) -> None:
    outcome = compare(load(tmp_path, MODEL.format(body=WHOLE[name])), calls())
    assert [one["mode"] for one in outcome.report["callables"]] == ["whole"], outcome.report


@pytest.mark.parametrize("name", KEPT)
def test_what_outlives_the_call_is_as_in_python(tmp_path: Any, name: str) -> None:
    text = MODEL.format(body=KEPT[name])
    compare(load(tmp_path, text), calls())
