"""Texts of exceptions that the call raises and handles, of classes with a text of their own and of others."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from harness import CountingBackend, compare, load

CALLS = [lambda n=n: (torch.full((3,), float(n)),) for n in (1, -1)]

PROGRAM = """
    import torch

    class Own(Exception):
        def __str__(self):
            return f"own {self.args}"

    class Second(KeyError):
        pass

    def f(x):
        try:
            if x.sum() < 0:
                raise MADE
            return x + 1
        except Exception as error:
            print(f"skipped: {error}", str(error))
            return x - 1, str(error), f"{error}", f"{error!s:>9}", "{}".format(error)

    make = lambda: f
    """

MADE = {
    "key": "KeyError('loss')",
    "number": "KeyError(3)",
    "no key": "KeyError()",
    "two keys": "KeyError('a', 'b')",
    "derived": "Second('loss')",
    "system": "OSError(2, 'no such thing')",
    "bytes": "UnicodeDecodeError('utf8', b'a', 0, 1, 'odd')",
    "program": "Own(1, 2)",
    "plain": "ValueError('loss')",
    "plain of two": "ValueError('loss', 2)",
}


@pytest.mark.parametrize("name", MADE)
def test_texts_are_those_of_python(name: str, tmp_path: Any) -> None:
    compare(load(tmp_path, PROGRAM.replace("MADE", MADE[name])), CALLS, grad=False)


def test_a_text_of_constants_is_a_key() -> None:
    """A function behind a cache is asked with the text of an exception."""
    torch._dynamo.reset()
    told: list[str] = []
    once = functools.lru_cache(maxsize=None)(told.append)

    def check(x: torch.Tensor) -> torch.Tensor:
        try:
            raise TypeError("no mask")
        except TypeError as error:
            once(f"falls back ({error})")
        return x + 1

    counting = CountingBackend()
    compiled = torch.compile(check, backend=counting)
    for _ in range(3):
        compiled(torch.ones(2))
    assert told == ["falls back (no mask)"]
