"""Loss functions that no graph can hold, and the context manager that usually stands around them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from harness import compare

CALLS = [
    lambda n=n: (
        torch.randn(12, 3, 5),
        torch.randint(1, 5, (3, 4)),
        torch.randint(5, 13 - n, (3,)),
        torch.randint(0, 5, (3,)),
    )
    for n in range(4)
]


def modes(outcome: Any) -> list[str]:
    return [record["mode"] for record in outcome.report["callables"]]


def mean(x, targets, lengths, sizes):
    with torch.backends.cudnn.flags(enabled=False):
        return F.ctc_loss(x.log_softmax(-1), targets, lengths, sizes)


def every(x, targets, lengths, sizes):
    """Impossible targets have an infinite loss, or none."""
    x = x.log_softmax(-1)
    first = F.ctc_loss(x, targets, lengths // 5, sizes, 0, "none", True)
    return (
        first,
        F.ctc_loss(x * 2, targets, lengths, sizes, reduction="none"),
        F.ctc_loss(x[:, 0], targets[0], lengths[0], sizes[0]),
    )


def flat(x, targets, lengths, sizes):
    chosen = targets.masked_select(torch.arange(4) < sizes[:, None])
    return F.ctc_loss(x.double().log_softmax(-1), chosen, lengths, sizes, reduction="sum") / len(x)


def too_long(x, targets, lengths, sizes):
    return F.ctc_loss(x.log_softmax(-1), targets, lengths * 10, sizes)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("program", [mean, every, flat, too_long], ids=lambda program: program.__name__)
def test_whole(program: Any, backend: str) -> None:
    outcome = compare(lambda: program, CALLS, backend=backend)
    assert modes(outcome) == ["whole"]


def test_gradients_of_gradients() -> None:
    """PyTorch has none of this loss, and says so."""

    def program(x, targets, lengths, sizes):
        leaf = x.detach().requires_grad_()
        loss = F.ctc_loss(leaf.log_softmax(-1), targets, lengths, sizes)
        return torch.autograd.grad(loss, leaf, create_graph=True)[0].pow(2).sum().detach()

    compare(lambda: program, CALLS[:2])


def asked(x, *_):
    with torch.backends.cudnn.flags(enabled=False):
        return x * torch.backends.cudnn.enabled


def entered_twice(x, *_):
    flags = torch.backends.cudnn.flags(enabled=False)
    with flags:
        x = x * 2
    with flags:
        return x * 3


def nested(x, *_):
    try:
        with torch.backends.cudnn.flags(enabled=False):
            with torch.backends.cudnn.flags(enabled=True, deterministic=True):
                x = x * 2
            raise ValueError
    except ValueError:
        return x * torch.backends.cudnn.enabled


def misspelt(x, *_):
    with torch.backends.cudnn.flags(enable=False):
        return x * 2


@pytest.mark.parametrize("program, whole", [(asked, False), (entered_twice, False), (nested, True), (misspelt, False)])
def test_flags(program: Any, whole: bool) -> None:
    assert ("whole" in modes(compare(lambda: program, CALLS))) is whole
