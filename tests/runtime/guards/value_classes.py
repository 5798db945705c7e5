"""Classes and functions that the kinds of value_kinds.txt are made of; programs take the modules from here, too."""

# ruff: noqa: F401

import abc
import array
import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import inspect
import ipaddress
import itertools
import logging
import math
import operator
import pathlib
import random
import re
import string
import struct
import threading
import types
import typing
import uuid
import weakref

import numpy as np
import torch


class Color(enum.Enum):
    A = 1
    B = 2


class Level(enum.IntEnum):
    A = 1
    B = 2


class Flags(enum.Flag):
    A = 1
    B = 2


class Text(str):
    pass


class Whole(int):
    pass


class Real(float):
    pass


class Items(list):
    pass


class Table(dict):
    pass


class Pair(tuple):
    pass


Point = collections.namedtuple("NT", "a b")


@dataclasses.dataclass
class Record:
    a: int
    b: object = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: int


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Scale:
    def __init__(self, a):
        self.a = a

    def m(self, x):
        return x * self.a

    def __call__(self, x):
        return x * self.a

    @property
    def p(self):
        return self.a * 2

    @classmethod
    def c(cls, x):
        return x * cls.k

    k = 3


class Larger(Scale):
    k = 4


class First:
    v = 1.0


class Second:
    v = 2.0


class Forwarding:
    def __init__(self, a):
        self.__dict__["z"] = a

    def __getattr__(self, n):
        return self.__dict__["z"]


class Kind(type):
    @property
    def w(cls):
        return cls.v


class KindOne(metaclass=Kind):
    v = 1


class KindTwo(metaclass=Kind):
    v = 2


def scaled_by(k):
    return lambda x: x * k


def scaled_by_default(k):
    def f(x, s=k):
        return x * s

    return f


def scaled_by_keyword(k):
    def f(x, *, s=k):
        return x * s

    return f


class Constant:
    def __init__(self, v):
        self.v = v

    def __get__(self, o, t):
        return self.v


class HolderOne:
    d = Constant(1)


class HolderTwo:
    d = Constant(2)


class Scaling(torch.nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.w = torch.nn.Parameter(torch.ones(2) * k)

    def forward(self, x):
        return x * self.k * self.w


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        return x * 2

    @staticmethod
    def backward(c, g):
        return g * 2


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(c, x):
        return x * 3

    @staticmethod
    def backward(c, g):
        return g * 3


def with_attributes(o, **k):
    for n, v in k.items():
        setattr(o, n, v)
    return o


def cached(k):
    @functools.lru_cache
    def f(n):
        return n * k

    return f


def wrapped(k):
    def inner(x):
        return x * k

    @functools.wraps(inner)
    def f(x):
        return inner(x) + k

    return f


class Truth:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return self.v


class Length:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return self.v


class Equal:
    def __init__(self, v):
        self.v = v

    def __eq__(self, o):
        return self.v == o

    def __hash__(self):
        return 1


class Hashed:
    def __init__(self, v):
        self.v = v

    def __hash__(self):
        return self.v


class Index:
    def __init__(self, v):
        self.v = v

    def __index__(self):
        return self.v


class Iterated:
    def __init__(self, v):
        self.v = v

    def __iter__(self):
        return iter(self.v)


class Container:
    def __init__(self, v):
        self.v = v

    def __contains__(self, o):
        return o in self.v


class Indexed:
    def __init__(self, v):
        self.v = v

    def __getitem__(self, o):
        return self.v[o]


class Block:
    def __init__(self, v):
        self.v = v

    def __enter__(self):
        return self.v

    def __exit__(self, *a):
        return False


class Shown:
    def __init__(self, v):
        self.v = v

    def __format__(self, spec):
        return str(self.v)

    def __str__(self):
        return "s" * self.v

    def __repr__(self):
        return "r" * self.v


def counted(n):
    for i in range(n):
        yield i + 1


class Attributes:
    def __init__(self, **k):
        self.__dict__.update(k)


class Layers(torch.nn.Module):
    def __init__(self, n=1, buf=False, hook=False, train=True):
        super().__init__()
        for i in range(n):
            setattr(self, f"l{i}", torch.nn.Linear(2, 2))
        if buf:
            self.register_buffer("b", torch.ones(1))
        if hook:
            self.register_forward_hook(lambda m, i, o: None)
        self.train(train)


class Defaulting(dict):
    def __missing__(self, k):
        return 7


class Mapped:
    def __init__(self, d):
        self.d = d

    def keys(self):
        return self.d.keys()

    def __getitem__(self, k):
        return self.d[k]


class Chain:
    def __init__(self, v, nxt=None):
        self.v = v
        self.next = nxt

    def __iter__(self):
        n = self
        while n is not None:
            yield n.v
            n = n.next


class Parameters(torch.nn.Module):
    def __init__(self, k):
        super().__init__()
        self.ps = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(1)) for _ in range(k)])


@dataclasses.dataclass
class Fields:
    a: int = 1
    b: int = dataclasses.field(default=2, compare=False)


class Abstract(abc.ABC):  # noqa: B024
    pass


class Registered:
    v = 1


class Unregistered:
    v = 1


Abstract.register(Registered)


@typing.runtime_checkable
class Going(typing.Protocol):
    def go(self): ...


class Goes:
    def go(self):
        return 1


class Stays:
    pass


def square(f):
    return f(torch.arange(4.0).reshape(2, 2))


def inferred(t):
    with torch.inference_mode():
        return t.clone()


def hooked(t):
    t.register_hook(lambda g: g)
    return t
