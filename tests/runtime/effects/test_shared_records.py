"""Records in containers that the program knows by another name, too."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch
from harness import compare, load
from torch import nn

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, 2, 3)]


class Shared(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []
        self.table = {"loss": self.losses, "deep": {"rows": [self.losses]}}

    def shown(self) -> list[Any]:
        """What is kept."""
        return [self.losses, self.table]


class Entry(Shared):
    def forward(self, x):
        self.table["loss"].append(x.mean().item())
        return x * (1 + len(self.losses))


class NewEntry(Shared):
    def forward(self, x):
        self.table.setdefault("loss", []).append(x.mean().item())
        return x * (1 + len(self.losses))


class Deep(Shared):
    def forward(self, x):
        self.table["deep"]["rows"][0].append(x.mean().item())
        return x * (1 + len(self.losses))


class Before(Shared):
    def forward(self, x):
        count = len(self.losses)
        self.table["loss"] += [x.mean().item()]
        return x * count


class Apart(Shared):
    """The other name is not used in the call."""

    def forward(self, x):
        self.table["loss"].append(x.mean().item())
        return x * 2


def mended(folder: Any, program: Any) -> Any:
    """Makes a class of this file, mended by the core."""
    text = "from __future__ import annotations\nfrom typing import Any\nimport torch\nfrom torch import nn\n"
    parts = [inspect.getsource(Shared), inspect.getsource(program), f"make = {program.__name__}\n"]
    return load(folder, "\n".join([text, *parts]))


@pytest.mark.parametrize("program", [Entry, NewEntry, Deep, Before, Apart], ids=lambda program: program.__name__)
def test_what_is_written_is_seen_by_the_other_name(tmp_path: Any, program: Any) -> None:
    outcome = compare(mended(tmp_path, program), CALLS)
    assert program is not Apart or outcome.report["callables"][0]["mode"] == "whole"
