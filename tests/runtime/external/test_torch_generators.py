"""Tensors that are drawn from a `torch.Generator` which outlives the call."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from harness import compare, load
from torch import nn

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, 2, 3)]


class Drawing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.generator = torch.Generator().manual_seed(5)
        self.other = torch.Generator().manual_seed(6)

    def shown(self) -> list[Any]:
        """Where the generators are."""
        return [self.generator.get_state().tolist(), self.other.get_state().tolist()]


class Noise(Drawing):
    def forward(self, x):
        return x + torch.randn(x.shape, generator=self.generator)


class Several(Drawing):
    """Two generators, the shared one in between, and a tensor that is written to."""

    def forward(self, x):
        first = torch.rand(3, generator=self.generator, dtype=torch.float64).mul_(2)
        order = torch.randperm(3, generator=self.other)
        labels = torch.randint(0, 9, (2,), generator=self.generator)
        return x[order] * first + torch.rand(3), labels, torch.rand((), generator=self.other) * torch.rand(())


class Decides(Drawing):
    def forward(self, x):
        if torch.rand((), generator=self.generator) > 0.05:
            return x + torch.rand(3, generator=self.generator)
        return x - 1


class Given(Drawing):
    def forward(self, x):
        return torch.rand(3, generator=self.generator)


class Sizes(Drawing):
    def forward(self, x):
        return x + torch.randn(len(x), generator=self.generator)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("program", [Noise, Several, Decides, Given], ids=lambda program: program.__name__)
def test_whole(program: Any, backend: str) -> None:
    outcome = compare(program, CALLS, backend=backend)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]


def test_no_generator_and_open_sizes(tmp_path: Any) -> None:
    text = """
        import torch

        def f(x):
            if x.sum() > 100:
                x = x + 1
            noise = torch.randn(x.shape, generator=None) + torch.rand(size=(x.shape[0],), generator=None)[:, None]
            return x * noise + torch.bernoulli(x / 9, generator=None), torch.randperm(len(x), generator=None)
        """
    calls = [lambda n=n: (torch.ones(n, 2),) for n in (2, 3, 5, 7, 4)]
    outcome = compare(load(tmp_path, text), calls, False)
    assert [record["mode"] for record in outcome.report["callables"]] == ["whole"]


def test_sizes() -> None:
    compare(Sizes, [lambda n=n: (torch.ones(n),) for n in (2, 3, 2, 5, 7, 4, 9)])


class Printed(Drawing):
    """What is shown before comes before."""

    def forward(self, x):
        print("first", x.sum().item())
        return x + torch.rand(3, generator=self.generator)


class Checked(Drawing):
    """A call that raises behind a draw has drawn."""

    def forward(self, x):
        noise = torch.rand(3, generator=self.generator)
        if x.sum() > 8:
            raise ValueError(f"too large: {x.sum().item()}")
        return x + noise + torch.rand(3, generator=self.generator)


class Seeded(Drawing):
    def forward(self, x):
        self.generator.manual_seed(3)
        return x + torch.rand(3, generator=self.generator)


class Side(Drawing):
    def forward(self, x):
        if x.sum() > 4:
            x = x + torch.rand(3, generator=self.generator)
        return x * 2


class Default(Drawing):
    def forward(self, x):
        return x + torch.rand(3) + torch.rand(3, generator=torch.default_generator)


class InPlace(Drawing):
    def forward(self, x):
        return x + torch.zeros(3).normal_(generator=self.generator) + torch.rand(3, generator=self.generator)


class Probabilities(Drawing):
    def forward(self, x):
        return x + torch.rand(3, generator=self.generator), torch.multinomial(x, 2, generator=self.generator)


class Replaced(Drawing):
    def forward(self, x):
        self.generator, self.other = self.other, self.generator
        return x + torch.rand(3, generator=self.generator)


def mended(folder: Any, program: Any) -> Any:
    """Makes a class of this file, mended by the core."""
    text = "from __future__ import annotations\nfrom typing import Any\nimport torch\nfrom torch import nn\n"
    parts = [inspect.getsource(Drawing), inspect.getsource(program), f"make = {program.__name__}\n"]
    return load(folder, "\n".join([text, *parts]))


OTHERS = [Printed, Checked, Seeded, Side, Default, InPlace, Probabilities, Replaced]


@pytest.mark.parametrize("program", OTHERS, ids=lambda program: program.__name__)
def test_others(tmp_path: Any, program: Any) -> None:
    compare(mended(tmp_path, program), CALLS)
    compare(program, CALLS)


def test_another_generator_is_drawn_from_after_it_was_set() -> None:
    torch._dynamo.reset()
    module = Noise()
    compiled = torch.compile(module, backend="eager")
    compiled(torch.zeros(3))
    module.generator = torch.Generator().manual_seed(9)
    expected = torch.randn(3, generator=torch.Generator().manual_seed(9))
    assert torch.equal(compiled(torch.zeros(3)), expected)
