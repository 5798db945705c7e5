"""Values of numbers, texts and containers of Python alone, however deep; what derives from one of these is none."""

from __future__ import annotations

import collections
import itertools
from typing import Any

import pytest
import torch

from graphmend.runtime.analysis.impure_functions import is_plain


class Own(int):
    pass


PLAIN: list[Any] = [None, True, 3, 2.5, "a", b"a", range(3), (), [], {}]
OTHERS: list[Any] = [Own(3), 1j, {3}, torch.ones(1), object(), int, collections.OrderedDict(), print, bytearray(b"a")]
AROUND = [lambda one: [one], lambda one: (1, one), lambda one: {"k": one}, lambda one: {1: [one, 2]}]


@pytest.mark.parametrize("plain", [True, False])
def test_is_plain(plain: bool) -> None:
    for value in PLAIN if plain else OTHERS:
        assert is_plain(value) is plain, value
        for inner, outer in itertools.product(AROUND, repeat=2):
            assert is_plain(outer(inner(value))) is plain, value
            assert not is_plain([value, object()]) and not is_plain({(1,): value})
