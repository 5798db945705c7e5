"""Tests in front of operators whose kernels assert on a device; the processor stands for a device that asserts.

A gate is seen in the graph: on the processor a bad index would raise, and the call would be undone all the same.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.nn.functional as F
from harness import compare

import graphmend.runtime as _gm
from graphmend.runtime.analysis import branch_proofs, device_facts
from graphmend.runtime.passes import device_asserts

SITE = "m.py:1:0:GM401"
TABLE = torch.arange(24.0).reshape(6, 4)


def reject(test, message="rejected"):
    if _gm.on(SITE) and _gm.check(SITE, test):
        pass
    else:
        if test:
            raise ValueError(message)


def embeds(ids):
    reject(ids.max() >= 6)
    return F.embedding(ids, TABLE)


def indexes(ids):
    reject(ids.max() >= 6)
    return TABLE[ids, ids % 4] + TABLE.index_select(0, ids).sum(1)


def stores(ids):
    reject(ids.max() >= 6)
    out = torch.zeros(6, 4)
    out[ids] = 1.0
    return out.scatter(0, ids[:, None], 2.0)


def merges(ids):
    """The texts and images of a model: the mask has the layout of an expanded tensor."""
    reject((ids == 5).sum() > 3)
    mask = (ids == 5).unsqueeze(-1).expand(ids.shape[0], 4)
    return torch.ones(ids.shape[0], 4).masked_scatter(mask, TABLE[:3])


def loses(ids):
    reject(ids.max() >= 6)
    return F.cross_entropy(torch.linspace(0, 1, 6 * ids.shape[0]).reshape(ids.shape[0], 6), ids)


def masks(ids):
    """Masks choose, whatever they hold: nothing is gated."""
    reject(ids.max() >= 6)
    out = torch.ones(6)
    out[ids > 2] = 3.0
    return out, torch.nn.functional.batch_norm(TABLE, torch.zeros(4), torch.ones(4), training=True)


def divides(ids):
    """A device divides whole numbers by zero, and the host puts numbers into a tensor."""
    reject(ids.max() >= 6)
    return torch.floor_divide(ids, ids.min() + 1), torch.tensor([ids.sum().item(), 1])


GATES = {embeds: 1, indexes: 3, stores: 2, merges: 1, loses: 1, masks: 0, divides: 0}
CALLS = [lambda: (torch.tensor([0, 1, 2, 5, 5, 5]),), lambda: (torch.tensor([5, 5, 9, 5, 0, 5]),)]


@pytest.fixture(autouse=True)
def asserting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device_asserts, "ends_process", lambda device: device.type == "cpu")


@pytest.mark.parametrize("function", GATES, ids=lambda function: function.__name__)
def test_indices_behind_a_guard_are_gated(function: Any) -> None:
    outcome = compare(lambda: function, CALLS, rounds=2)
    assert outcome.graphs == 1 and outcome.mended("GM401"), outcome.report
    assert outcome.backend.targets().count("masked_fill") == GATES[function]


def draws_by_data(ids):
    """A kernel asserts about probabilities as well, for which zeros are no answer."""
    reject(ids.max() >= 6)
    return ids + torch.multinomial(ids.float(), 6, replacement=True)


def writes_to_index(ids):
    """The operator writes to the tensor of indices: a copy would take the write."""
    reject(ids.max() >= 6)
    own = ids.clone()
    own[own] = own
    return own


def looks_up_nothing(ids):
    """A table without rows has no place 0."""
    reject(ids.max() >= 6)
    return F.embedding(ids[:0], TABLE[:0])


@pytest.mark.parametrize("function", [draws_by_data, writes_to_index, looks_up_nothing])
def test_others_are_refused(function: Any) -> None:
    outcome = compare(lambda: function, CALLS[:1], rounds=1)
    assert not outcome.mended("GM401"), outcome.report
    assert "may fail on the device" in str(outcome.refusals("GM401"))


def test_operators_that_a_device_does_not_survive() -> None:
    found: list[str] = []

    def backend(module: torch.fx.GraphModule, inputs: Any) -> Any:
        names = (
            branch_proofs.name_of(node) for node in module.graph.nodes if device_asserts.sources_to_gate(node) != []
        )
        found.extend(names)
        return module.forward

    def program(x, index, table):
        rows = F.embedding(index, table)
        return rows.softmax(-1) @ x + x[index].cumsum(0) + x.split(1)[0] + x.view(-1).relu()

    torch.compile(program, backend=backend)(torch.ones(3), torch.tensor([0, 1, 2]), torch.ones(3, 3))
    assert found == ["embedding", "getitem"]


def test_tables_name_operators_of_torch() -> None:
    """A name that is misspelled would be no fact at all."""
    known = {name.partition("::")[2].partition(".")[0] for name in torch._C._dispatch_get_all_op_names()}
    assert device_facts.RAISED_BY_HOST | set(device_facts.INDICES) <= known
