"""Calls whose values come from outside of the program, and the facts known about each.

Dynamo breaks at a call of the clock, the file system or a generator of random numbers. Rule GM5 moves such a call in
front of the graph:

    y = layer(x)                              # t = time.time() runs in front of the graph,
    t = time.time()                           # and the graph gets `t` as an input
    return y * (t - self.start)

The move needs facts about the function: does the result depend on the arguments alone, and does the call change a
generator? The tables below have a `Fact` for each known function.
"""

from __future__ import annotations

import ast
import base64
import binascii
import bisect
import calendar
import dataclasses
import datetime
import decimal
import fnmatch
import fractions
import functools
import getpass
import glob
import hashlib
import hmac
import html
import json
import os
import pathlib
import platform
import random
import shlex
import socket
import struct
import sys
import textwrap
import threading
import time
import unicodedata
import urllib.parse
import uuid
import zlib
from typing import Any, Callable, Optional

import torch

from ..base.dynamo_values import as_constant

# The kinds of calls:
PURE = "pure"  # the result depends on the arguments alone
READING = "reading"  # a question to the machine or the file system, with few possible answers
CLOCK = "clock"  # a number that differs at each call
DRAW = "draw"  # a number or an array from a random generator
ORDER = "order"  # a draw of positions: the same positions for every sequence of the same length
SEED = "seed"  # sets a random generator, and returns None

# Classes whose objects nobody can change: the text of an object depends on what the object was made of alone. Not
# `datetime.datetime`, which may have a time zone that the program has written.
VALUES = (decimal.Decimal, fractions.Fraction, uuid.UUID, datetime.timedelta, datetime.date)
MAKERS = (*VALUES, datetime.datetime, datetime.time, uuid.uuid3, uuid.uuid5)

DATES = ("year", "month", "day", "weekday()", "isoweekday()", "isoformat()")
DIGESTS = ("hexdigest()", "digest()")
CHECKS = ("exists()", "is_file()", "is_dir()", "is_symlink()")


@dataclasses.dataclass(frozen=True)
class Fact:
    """Kind of a function, and `parts`: the attributes or method calls of the result that may follow at once ("" is the
    result itself).
    """

    kind: str
    parts: tuple[str, ...] = ("",)


def facts_of_functions() -> dict[Callable[..., Any], Fact]:
    """Facts about all known functions, methods of random generators apart."""
    facts: dict[Callable[..., Any], Fact] = {
        datetime.datetime.now: Fact(READING, DATES[:-1]),
        datetime.datetime.today: Fact(READING, DATES[:-1]),
        datetime.datetime.utcnow: Fact(READING, DATES[:-1]),
        datetime.date.today: Fact(READING, DATES),
        pathlib.Path: Fact(READING, CHECKS),
        threading.current_thread: Fact(READING, ("name", "ident", "native_id", "is_alive()")),
    }
    for name in ("exists", "lexists", "isfile", "isdir", "islink", "getsize"):
        facts[getattr(os.path, name)] = Fact(READING)
    readings: tuple[Callable[..., Any], ...] = (
        *(os.access, os.getcwd, os.listdir, os.getpid, os.getppid, os.cpu_count, socket.gethostname),
        *(getpass.getuser, glob.glob, threading.active_count, time.strftime),
        *(torch.get_num_threads, torch.get_num_interop_threads),
    )
    facts.update(dict.fromkeys(readings, Fact(READING)))
    for name in ("system", "machine", "node", "platform", "release", "python_version"):
        facts[getattr(platform, name)] = Fact(READING)
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        facts[getattr(time, name)] = facts[getattr(time, name + "_ns")] = Fact(CLOCK)
    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s"):
        facts[getattr(hashlib, name)] = Fact(PURE, DIGESTS)
    facts[hashlib.new] = facts[hmac.new] = Fact(PURE, DIGESTS)
    pure: tuple[Callable[..., Any], ...] = (
        json.loads,
        json.dumps,
        zlib.crc32,
        zlib.adler32,
        binascii.crc32,
        base64.b64encode,
        base64.b64decode,
        base64.b32encode,
        base64.b32decode,
        base64.b16encode,
        base64.b16decode,
        base64.urlsafe_b64encode,
        base64.urlsafe_b64decode,
        binascii.hexlify,
        binascii.unhexlify,
        calendar.isleap,
        calendar.monthrange,
        hashlib.pbkdf2_hmac,
        hmac.digest,
        os.path.normpath,
        struct.calcsize,
        zlib.compress,
        zlib.decompress,
        ast.literal_eval,
        textwrap.dedent,
        textwrap.indent,
        textwrap.fill,
        textwrap.shorten,
        textwrap.wrap,
        bisect.bisect,
        bisect.bisect_left,
        bisect.bisect_right,
        fnmatch.fnmatch,
        fnmatch.fnmatchcase,
        html.escape,
        html.unescape,
        shlex.quote,
        shlex.split,
        unicodedata.category,
        unicodedata.name,
        unicodedata.normalize,
        urllib.parse.quote,
        urllib.parse.unquote,
        urllib.parse.urlencode,
        urllib.parse.urljoin,
    )
    facts.update(dict.fromkeys(pure, Fact(PURE)))
    return facts


_functions: dict[Any, Fact] = facts_of_functions()

METHODS_OF_RANDOM = {
    DRAW: (
        "randint",
        "random",
        "randrange",
        "uniform",
        "triangular",
        "gauss",
        "normalvariate",
        "lognormvariate",
        "expovariate",
        "vonmisesvariate",
        "gammavariate",
        "betavariate",
        "paretovariate",
        "weibullvariate",
        "getrandbits",
    ),
    ORDER: ("choice", "shuffle", "sample", "choices"),
    SEED: ("seed",),
}
METHODS_OF_NUMPY = {
    DRAW: (
        "beta",
        "binomial",
        "chisquare",
        "choice",
        "dirichlet",
        "exponential",
        "f",
        "gamma",
        "geometric",
        "gumbel",
        "hypergeometric",
        "integers",
        "laplace",
        "logistic",
        "lognormal",
        "logseries",
        "multinomial",
        "multivariate_hypergeometric",
        "multivariate_normal",
        "negative_binomial",
        "noncentral_chisquare",
        "noncentral_f",
        "normal",
        "pareto",
        "permutation",
        "poisson",
        "power",
        "rand",
        "randint",
        "randn",
        "random",
        "random_integers",
        "random_sample",
        "ranf",
        "rayleigh",
        "sample",
        "standard_cauchy",
        "standard_exponential",
        "standard_gamma",
        "standard_normal",
        "standard_t",
        "triangular",
        "uniform",
        "vonmises",
        "wald",
        "weibull",
        "zipf",
    ),
    ORDER: ("shuffle",),
    SEED: ("seed",),
}
SHARED = random.getstate.__self__  # type: ignore[attr-defined]  # the generator behind the functions of `random`
NATIVE = ("uniform", "randint", "randrange")  # functions of `random` that Dynamo handles itself


def kinds_by_name(table: dict[str, tuple[str, ...]]) -> dict[str, Fact]:
    """The facts of a table of methods, by method name."""
    return {name: Fact(kind) for kind, names in table.items() for name in names}


OF_RANDOM, OF_NUMPY = kinds_by_name(METHODS_OF_RANDOM), kinds_by_name(METHODS_OF_NUMPY)


def numpy_generators() -> tuple[type, ...]:
    """The classes of NumPy's generators; empty where NumPy is not loaded."""
    numpy = sys.modules.get("numpy")
    return (numpy.random.RandomState, numpy.random.Generator) if numpy is not None else ()


def is_numpy_seed(function: Any) -> bool:
    """Whether a function is `numpy.random.seed`, which is no method."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and function is numpy.random.seed


def generator_of(function: Any) -> Any:
    """The random generator that a bound method draws from; None for functions without a generator."""
    if type(function) is functools.partial:  # a draw of torch, bound to its generator (torch_generators.py)
        return function.keywords.get("generator")
    owner = getattr(function, "__self__", None)
    if owner is None and is_numpy_seed(function):
        return sys.modules["numpy"].random.mtrand._rand
    return owner if type(owner) is random.Random or type(owner) in numpy_generators() else None


def is_numpy(generator: Any) -> bool:
    """Whether a generator belongs to NumPy."""
    return type(generator) in numpy_generators()


def is_original_method(function: Any) -> bool:
    """Whether a method of a random generator is still the original method: no attribute of the instance replaced the
    method.
    """
    generator = generator_of(function)
    if generator is None or getattr(function, "__self__", None) is None:
        return True
    return function.__name__ not in getattr(generator, "__dict__", ())


def fact_of(function: Any) -> Optional[Fact]:
    """The fact about a function; None for unknown functions, and for functions that Dynamo handles itself."""
    generator, name = generator_of(function), getattr(function, "__name__", "")
    if type(generator) is random.Random:
        if generator is SHARED and name in NATIVE:
            return None
        return OF_RANDOM.get(name)
    if generator is not None:
        return OF_NUMPY.get(name)
    if function in (torch.manual_seed, torch.random.manual_seed):  # two functions as soon as Dynamo is loaded
        return Fact(SEED)
    try:
        return _functions.get(function)
    except TypeError:  # not hashable
        return None


def save_generator(function: Any) -> Callable[[], None]:
    """Save the state of the generator behind a function of kind DRAW, ORDER or SEED; returns a function that restores
    the state.
    """
    generator = generator_of(function)
    if generator is None:
        return save_torch_generators()
    if type(generator) is torch.Generator:
        return functools.partial(restore_state, generator, generator.get_state())
    if type(generator) is random.Random:
        state = generator.getstate()
        return lambda: generator.setstate(state)
    if hasattr(generator, "bit_generator"):
        bits = generator.bit_generator
        state = bits.state
        return lambda: setattr(bits, "state", state)
    state = generator.get_state(legacy=False)
    return lambda: generator.set_state(state)


def restore_state(generator: torch.Generator, before: torch.Tensor) -> None:
    """Restore the state of a generator of torch."""
    generator.set_state(before)


def save_torch_generators() -> Callable[[], None]:
    """Save the states of torch's default generators; returns a function that restores the states."""
    cpu = torch.get_rng_state()
    is_initialized: Callable[[], bool] = torch.cuda.is_initialized
    devices = torch.cuda.get_rng_state_all() if is_initialized() else None

    def restore() -> None:
        torch.set_rng_state(cpu)
        if devices is not None:
            torch.cuda.set_rng_state_all(devices)

    return restore


def part_of(value: Any, part: str) -> Any:
    """`value.part`, `value.part()`, or the value itself where `part` is empty."""
    if not part:
        return value
    member = getattr(value, part.replace("()", ""))
    return member() if part.endswith("()") else member


PLAIN = (type(None), bool, int, float, str, bytes)


def plain_arguments(args: Any, kwargs: Any) -> Optional[tuple[list[Any], dict[str, Any]]]:
    """The values of the arguments of a call; None where one is not plain, and an exception where one is no constant."""
    values = [as_constant(item) for item in args]
    options = {name: as_constant(item) for name, item in kwargs.items()}
    return (values, options) if is_plain(values) and is_plain(options) else None


def is_plain(value: Any) -> bool:
    """Whether a value consists of numbers, texts, tuples, lists, ranges and dictionaries alone."""
    if type(value) in (tuple, list):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(type(key) in PLAIN and is_plain(item) for key, item in value.items())
    return type(value) in PLAIN or type(value) is range
