"""Calls of Python's own with constants of the trace alone."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from harness import CountingBackend, compare, load

PROGRAMS = {
    "types with parameters": """
        import typing, torch
        Pair = tuple[int, int]
        def f(x):
            found = typing.cast(dict[Pair, torch.Tensor], {"a": x})
            return found["a"] * 2, list[int]([1, 2]), dict[str, int](a=1), set[int](), list[tuple[int, int]]()
        """,
    "versions of packages": """
        from importlib.metadata import PackageNotFoundError, version
        def f(x):
            try:
                return x * 2, version("no-such-package")
            except PackageNotFoundError as error:
                return x * 3, f"{type(error).__name__}: {error}", error.args, bool(version("torch"))
        """,
    "modules that are loaded": """
        import importlib
        def f(x):
            module = importlib.import_module("math")
            return x * module.floor(2.5), getattr(importlib.import_module("torch"), "abs")(x), module.__name__
        """,
    "generic types": """
        import typing
        import numpy as np
        from numpy.typing import NDArray
        def f(x):
            both = typing.cast(NDArray[np.float64], x.shape[0] * 2)
            return x * both, typing.cast(typing.List[int], [1])
        """,
    "bytes": """
        def f(x):
            data = (5).to_bytes(2, "big") + bytes.fromhex("0a") + bytes("abc", "utf-8")
            return x * data[1] + int.from_bytes(data[:2], "little"), data.hex(), data.split(b"a"), data.upper()
        """,
    "text": """
        import base64, binascii, calendar, unicodedata, urllib.parse
        def f(x):
            key = base64.b32encode(b"name") + binascii.hexlify(b"a")
            table = str.maketrans("ab", "xy")
            link = urllib.parse.urljoin("http://a/b", "c") + "?" + urllib.parse.urlencode({"n": 1})
            return x * calendar.monthrange(2024, 2)[1], key, "abc".translate(table), link, unicodedata.name("a")
        """,
    "lists": """
        def f(x):
            names, lines, rest = "b a c".split(), "x\\ny".splitlines(), "a.b.c".rsplit(".", 1)
            same = names
            names.append("d")
            names.sort()
            lines[0] = "z"
            lines += rest
            rest.insert(0, rest.pop())
            return x * len(names), names, lines, rest, same is names
        """,
    "digests": """
        import hashlib, hmac, zlib
        def f(x):
            keyed = hmac.new(b"k", b"m", "sha256").hexdigest()
            return x * (int(hashlib.new("md5", b"m").hexdigest(), 16) % 5), keyed, len(zlib.compress(b"a" * 9))
        """,
    "numbers": """
        import os.path, struct, torch
        def f(x):
            threads = min(torch.get_num_threads(), 1) * min(torch.get_num_interop_threads(), 1)
            return x * threads, struct.calcsize("<if"), os.path.normpath("/a/../b")
        """,
    "new_containers": """
        import json
        def f(x):
            first, second = json.loads("[1, 2]"), json.loads("[1, 2]")
            first.append(3)
            return x * len(second), first, second
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_with_constants_are_part_of_the_graph(tmp_path: Any, name: str) -> None:
    calls = [lambda: (torch.ones(3),), lambda: (torch.zeros(3),)]
    outcome = compare(load(tmp_path, PROGRAMS[name]), calls)
    assert outcome.report["callables"][0]["mode"] == "whole"


FAILING = {
    "overflow": "(300).to_bytes(1, 'big')",
    "digits": "bytes.fromhex('zz')",
    "name": "unicodedata.name('\\x00')",
    "code": "base64.b64decode('###', validate=True)",
    "json": "json.loads('{')",
    "key": "shlex.split('\"')",
}


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("caught", [True, False])
def test_what_such_calls_raise_comes_from_python(tmp_path: Any, name: str, caught: bool) -> None:
    kind = "(ValueError, OverflowError)" if caught else "KeyError"
    text = f"""
        import base64, json, shlex, unicodedata
        def f(x):
            try:
                return x, {FAILING[name]}
            except {kind} as error:
                return x * 2, str(error), error.args, type(error).__name__
        """
    compare(load(tmp_path, text), [lambda: (torch.ones(3),)])


def test_the_own_functions_of_a_program_are_called(tmp_path: Any) -> None:
    text = """
        import base64
        known = base64.b32encode
        def f(x):
            base64.b32encode = lambda data: b"own"
            try:
                return x * 2, base64.b32encode(b"name")
            finally:
                base64.b32encode = known
        """
    compare(load(tmp_path, text), [lambda: (torch.ones(3),), lambda: (torch.zeros(3),)])


CHANGES = {
    "a new key": "conf['c'] = 1",
    "another order": "conf['a'] = conf.pop('a')",
    "a new key inside": "conf['b']['d'] = 2",
    "a new item": "conf['a'].append(3)",
    "another text": "conf['b']['text'] = 'z'",
    "no key": "del conf['a']",
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("dumps", ["json.dumps", "urllib.parse.urlencode"])
def test_arguments_that_change_between_calls(tmp_path: Any, name: str, dumps: str) -> None:
    text = f"""
        import json, urllib.parse
        conf = {{"a": [1], "b": {{"text": "x"}}}}
        def f(x):
            return x * 2, {dumps}(conf)
        def change():
            {CHANGES[name]}
        """
    program = load(tmp_path, text)()
    torch._dynamo.reset()
    compiled = torch.compile(program, backend="eager")
    for change in (lambda: None, program.__globals__["change"]):
        change()
        assert str(compiled(torch.ones(3))) == str(program(torch.ones(3)))


PARTS = """
import torch
from importlib.metadata import PackageNotFoundError, version

def f(x):
    torch._dynamo.graph_break()
    try:
        version("no-such-package")
    except PackageNotFoundError as error:
        return x * 2, str(error)
    return x, ""

def make():
    return f
"""


def test_a_call_in_parts_catches_the_exception_of_a_folded_call(tmp_path: Any) -> None:
    torch._dynamo.reset()
    backend = CountingBackend()
    mended = load(tmp_path, PARTS)()
    function = torch.compile(mended, backend=backend)
    for _ in range(3):
        result, text = function(torch.ones(2))
        assert result.tolist() == [2.0, 2.0] and text == mended(torch.ones(2))[1]
    assert len(backend.graphs) == 1
