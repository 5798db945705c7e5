"""Items at places that data decide: one graph for all of them, and the view that Python gives."""

from __future__ import annotations

import pytest
import torch
from harness import CountingBackend, differences, observe


def alone(x, i):
    return x[i] * 2, x[i.argmax() if i.dim() else i]


def in_tuples(x, i):
    return x[:, i] + 1, x[0, i] + 1, x[..., i] + 1, x[1:, None, i, 2] + 1, x[i, :, i] + 1, x[i, 0, i] + 1


def numbers(x, i):
    n = (i + 0).item()
    return x[:, n] + 1, x[0, n, None] + 1, x[n, ..., n] + 1, x[:, -1 - n] * 2


def smaller_types(x, i):
    return x[:, i.to(torch.int32)] + 1, x[i.to(torch.int8), 0] + 1


def last_tokens(x, i):
    lengths = (x > 0).sum((1, 2)) % 3
    return torch.stack([x[row, lengths[row]] for row in range(x.size(0))])


def written(x, i):
    y = x * 1
    y[:, i] += 1
    y[i, 0].mul_(2)
    top, left = i.item(), (2 - i).item()
    y[..., top : top + 2, left:] = x.flip(0)[..., top : top + 2, left:]
    y[0, top:, :left] += 1
    return y, x[top:, i, -left:].sum(), (x[0, top:, :left] * 2).sum()


def lists(x, i):
    n = (i + 0).item()
    kept = [int(row.argmax()) % 2 for row in x.flatten(1)]
    return x[[n, 0]] * 2, x[kept], x[[n, -1 - n], 0], x[:, [n, 0]] + 1, x[kept, ..., [n] * len(kept)]


def crops(x, i):
    top, left = i.item(), (2 - i).item()
    return x[:, top:, left : left + 2].sum(), x[None, top : top + 1, 0, left:].sum()


def beside_tensors(x, i):
    top, left, order = i.item(), (2 - i).item(), torch.tensor([2, 0, 1])
    y = x * 1
    y[..., top:, left:] = x[order, ..., top:, left:]
    return (
        y,
        x[order, top:].sum(0),
        x[top:, order[:2]].sum(0),
        x[order[None], top : top + 1, left:].sum(),
        x[order, :, order],
    )


PROGRAMS = [beside_tensors, crops, alone, in_tuples, numbers, smaller_types, last_tokens, written, lists]


@pytest.mark.parametrize("grad", [False, True], ids=["", "grad"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_one_graph_for_all_places(program, grad):
    counting = CountingBackend()
    compiled = torch.compile(program, backend=counting)
    for place in (1, 2, 0, 2):
        results = []
        for run in (program, compiled):
            x = torch.arange(27.0).reshape(3, 3, 3).sin().requires_grad_(grad)
            found = run(x, torch.tensor(place))
            found = found if isinstance(found, tuple) else (found,)
            if grad:
                sum((value * value).sum() for value in found).backward()
            results.append((found, x.grad, [value.stride() for value in found]))
        assert repr(results[0][0]) == repr(results[1][0])
        assert results[0][2] == results[1][2]
        assert not grad or torch.equal(results[0][1], results[1][1])
    assert len(counting.graphs) == 1 or program in (written, beside_tensors)


def masked(x, i):
    return x[i > 0], x[(i > 0).to(torch.uint8)] if i.dim() else x[:, i]


def outside(x, i):
    return x[:, i] + 1


def test_places_outside_raise_as_in_python():
    compiled = torch.compile(outside, backend=CountingBackend())
    x = torch.arange(4.0).reshape(2, 2)
    calls = [lambda place=place: (x.clone(), torch.tensor(place)) for place in (0, 1, -1, 5, 0)]
    assert not differences(observe(outside, outside, calls), observe(compiled, compiled, calls))


def test_masks_stay_masks():
    compiled = torch.compile(masked, backend=CountingBackend())
    x = torch.arange(4.0).reshape(2, 2)
    for place in (0, 1, 0):
        assert repr(compiled(x, torch.tensor(place))) == repr(masked(x, torch.tensor(place)))


def item_of_input(x, i):
    return x[i], x[:, i]


def test_views_of_inputs():
    compiled = torch.compile(item_of_input, backend="aot_eager")
    for place in (1, 0, 1):
        x = torch.arange(4.0).reshape(2, 2)
        row, column = compiled(x, torch.tensor(place))
        row.add_(10)
        column.mul_(2)
        y = torch.arange(4.0).reshape(2, 2)
        row, column = item_of_input(y, torch.tensor(place))
        row.add_(10)
        column.mul_(2)
        assert torch.equal(x, y)


def pooled(image, box):
    """Pooling asks for the sizes of a crop, which makes constants of its bounds."""
    low, high = (
        [int(place) for place in (box[:2] * 1.0).tolist()],
        [int(place) + 1 for place in (box[2:] * 1.0).tolist()],
    )
    crop = image[:, max(low[0], 0) : min(high[0], 8), max(low[1], 0) : min(high[1], 8)]
    return torch.nn.functional.adaptive_avg_pool2d(crop, (2, 2))


def test_crops_whose_bounds_become_constants():
    compiled = torch.compile(pooled, backend="eager")
    for box in ([0, 0, 4, 4], [1, 0, 5, 7], [0, 2, 3, 9], [0, 0, 4, 4]):
        image, place = torch.arange(192.0).reshape(3, 8, 8).sin(), torch.tensor(box)
        torch.testing.assert_close(compiled(image, place), pooled(image, place), rtol=0, atol=0)
