"""Texts of the program's own objects."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from harness import compare, load

START = """
import abc
import collections
import copy
import fractions
import pathlib

import torch

class Plain:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Plain({self.value})"

class Named(Plain):
    def __str__(self):
        return f"named {self.value}"

class Wrapped(Plain):
    def __str__(self):
        return "<" + super().__str__() + ">"

class Abstract(abc.ABC):
    def __repr__(self):
        return f"{type(self).__name__} of {self.value}"

class Concrete(Abstract):
    def __init__(self, value):
        self.value = value

class Formatted(Plain):
    def __format__(self, spec):
        return f"[{self.value}:{spec}]"

class Slots:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __str__(self):
        return f"slot {self.value}"

class Table(collections.UserDict):
    pass

kept = Named(1)
kept.inner = Plain(2)
half = fractions.Fraction(1, 2)
net = torch.nn.Sequential(torch.nn.Identity(), torch.nn.ReLU())
BASE, NAME = pathlib.PurePosixPath("/a"), "b"

def show(text):
    return text
"""
NEW = {
    "repr": "f'{Plain(3)}'",
    "str": "f'{Named(3)}'",
    "conversion": "f'{Named(3)!r:>12}|{Named(4)!s:<9}|{Plain(5)!a}'",
    "format": "f'{Formatted(3):.2f}'",
    "slots": "f'{Slots(3)}'",
    "inside": "f'{Named([Plain(1), 2])} of {len(x.shape)}'",
    "method": "'{} {!r} {name:>7}'.format(Named(3), Plain(4), name='a')",
    "numbered": "'{1} {0} {{}} {1!r}'.format(Named(3), Plain(4))",
    "fraction": "f'{half + 1}'",
    "path": "f'{BASE / NAME}'",
    "chain": "f'{collections.ChainMap({1: 2}, {3: 4}).parents}'",
    "table": "f'{Table(a=1)}'",
    "length": "len(f'{Named(3)}')",
    "key": "{f'{Named(3)}': 1}",
    "number": "f'{Named(x.shape[0])}'",
    "handed_on": "show(f'{Named(3)}') + '!'",
    "by_class": "Plain.__str__(Named(3)) + Named.__str__(Named(4)) + Plain.__str__(kept)",
    "by_abstract_class": "tuple(Abstract.__str__(Concrete(5))) + (str(Concrete(6)),)",
    "of_a_module": "tuple(torch.nn.Module.__str__(net)) + (str(net), str(copy.deepcopy(net)))",
    "by_super": "str(Wrapped(3)) + f'{Wrapped(4)}' + repr(Wrapped(5))",
}
CHANGED = {
    "changed_before": "kept.value += 1; text = f'{kept}'",
    "changed_behind": "text = f'{kept}'; kept.value += 1",
    "changed_around": "kept.value += 1; text = f'{kept}'; kept.value += 10",
    "changed_inside": "kept.inner.value += 1; text = f'{kept.inner}'; kept.inner.value += 10",
    "unchanged": "text = f'{kept} {kept!r}'",
}
CALLS = [lambda: (torch.ones(3),), lambda: (torch.ones(3),), lambda: (torch.ones(4),)]


@pytest.mark.parametrize("name", NEW)
def test_new_objects(tmp_path: Path, name: str) -> None:
    compare(load(tmp_path, f"{START}\ndef f(x):\n    return x + 1, {NEW[name]}\n"), CALLS)


@pytest.mark.parametrize("name", CHANGED)
def test_objects_from_before_the_call(tmp_path: Path, name: str) -> None:
    text = f"{START}\ndef f(x):\n    {CHANGED[name]}\n    return x + 1, text\n"
    compare(load(tmp_path, text), CALLS)


def test_texts_of_data_beside_objects(tmp_path: Path) -> None:
    text = f"{START}\ndef f(x):\n    print(f'{{Named(3)}} {{x.sum().item():.1f}} {{Plain(4)!r}}')\n    return x + 1\n"
    compare(load(tmp_path, text), CALLS)


PROTOCOLS = """
import math
import operator
import os

import torch

class Shown:
    value = 1

    def __repr__(self):
        return f"Shown({self.value})"

class Told(Shown):
    def __str__(self):
        return f"told {self.value}"

class Whole:
    value = 1

    def __init__(self):
        self.table = {}

    def __hash__(self): return self.value
    def __len__(self): return self.value
    def __bool__(self): return self.value > 2
    def __eq__(self, other): return self.value == 2
    def __int__(self): return self.value
    def __float__(self): return float(self.value)
    def __index__(self): return self.value
    def __contains__(self, item): return item == self.value
    def __iter__(self): return iter([self.value])
    def __call__(self): return self.value
    def __getitem__(self, key): return self.value + key
    def __abs__(self): return self.value
    def __round__(self, digits=0): return self.value
    def __format__(self, spec): return f"{self.value}{spec}"
    def __neg__(self): return -self.value
    def __fspath__(self): return f"/p{self.value}"

shown, told, whole = Shown(), Told(), Whole()
OBJECTS = (shown, told, whole)
"""
ASKED = """
str(shown); repr(shown); ascii(shown); '%s' % shown; '%r' % (shown,); f'{shown}'; f'{shown!r}'; '{}'.format(shown)
str([shown]); f'{[shown]}'; str({1: shown}); ' '.join([str(shown)]); str(told); repr(told); f'{told}'; '%s' % told
hash(whole); len(whole); bool(whole); whole == 1; int(whole); float(whole); [0, 1, 2, 3, 4, 5][whole]; 2 in whole
list(whole); whole(); whole[1]; abs(whole); round(whole); f'{whole:>3}'; -whole; operator.index(whole); sum(whole)
max(whole); tuple(whole); [*whole]; not whole; any(whole); range(whole); 1 if whole else 2; os.fspath(whole); hex(whole)
"""


def test_objects_that_change_between_calls(tmp_path: Path) -> None:
    wrong = []
    for expression in ASKED.replace("\n", "; ").strip("; ").split("; "):
        f = load(tmp_path, f"{PROTOCOLS}\ndef f(x):\n    return x + 1, {expression}\n")()
        torch._dynamo.reset()
        function = torch.compile(f, backend="eager")
        for value in (1, 2, 2, 3):
            for one in f.__globals__["OBJECTS"]:
                one.value = value
            if function(torch.ones(1))[1] != f(torch.ones(1))[1]:
                wrong.append((expression, value))
    assert not wrong
