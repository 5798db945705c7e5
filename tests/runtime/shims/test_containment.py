"""`in`: containers of numbers and tensors that data decide are asked as Python asks them."""

from __future__ import annotations

import pytest
import torch
from harness import CountingBackend

INPUTS = [[4, 5, 2, 1], [4, 5, 6, 1], [3, 2, 2, 1], [0, 5, 4, 4]]


def in_list(ids, x):
    return 2 in ids.tolist(), 2 not in tuple(ids.tolist()), [stop for stop in (2, 5) if stop in ids.tolist()]


def cut_at_end(ids, x):
    found = ids.tolist()
    if 2 in found:
        found = found[: found.index(2)]
    return x[: len(found)], found


def of_other_types(ids, x):
    found = ids.tolist()
    return 2.0 in found, True in found, None in found, "2" in found, 2.5 in found


def truth_values(ids, x):
    found = (ids > 2).tolist()
    return True in found, False in found, 1 in found


def inside_others(ids, x):
    found = ids.tolist()
    return [4] in [[i] for i in found], (4, 1) in [(i, 1) for i in found], (0, 4) in list(enumerate(found))


def same_tensors(ids, x):
    first = ids[0]
    counts = [ids[1], first].count(first), [ids[3], first, 4].index(first)
    return counts, first in [ids[1], first], ids[2] in (ids[1], 7), 4 in [ids[0], x[0]], first in []


def views_of_dictionaries(ids, x):
    table = dict(enumerate(ids.tolist()))
    return 4 in table.values(), (0, 4) in table.items(), (1, 4) in table.items(), (9, 4) in table.items()


def tensors(ids, x):
    return 4 in ids.unbind(), 2 in [ids.sum(), ids[0]]


def ranges(ids, x):
    n = ids[0].item()
    return n in range(4), str(n in range(3, 20, 2)), [4 in range(n + 1)], (n in range(n)) is False


def places(ids, x):
    found = (ids / 2).tolist()
    return found.index(max(found)), found.count(found[1]), x[found.index(found[-1])]


def not_a_number(ids, x):
    found = (ids / 0 * 0).tolist()
    return found.index(found[2]), found.count(found[0]), found.count(found[0] + 0)


def not_there(ids, x):
    try:
        return (ids / 2).tolist().index(2.5)
    except ValueError:
        return x


def largest_of_rows(ids, x):
    first, second = ids[:2].float().mean().item(), ids[2:].float().mean().item()
    best = max((first, "a", x), (second, "b", -x))
    return best, min([(second, 1), (first, 0)]), max([[first, 1], [first, 2]])[1]


PROGRAMS = [
    places,
    not_a_number,
    not_there,
    largest_of_rows,
    in_list,
    cut_at_end,
    of_other_types,
    truth_values,
    inside_others,
    views_of_dictionaries,
    same_tensors,
    tensors,
    ranges,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_membership(function):
    counting = CountingBackend()
    compiled = torch.compile(function, backend=counting)
    x = torch.arange(4.0)
    for numbers in INPUTS * 2:
        ids = torch.tensor(numbers)
        assert repr(compiled(ids.clone(), x)) == repr(function(ids, x)), numbers
    assert 0 < len(counting.graphs) <= 2 * len(INPUTS)
