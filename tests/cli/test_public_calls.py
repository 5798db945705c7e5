"""Each function of the library, called without each of what it needs: a status says so, and its output is empty."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import pytest

from graphmend import core

BAD_ARGUMENT = 3
HEADER = Path(__file__).parents[2] / "include" / "graphmend.h"
MEANING = b'{"meaning": 1, "root": 0, "types": [{"form": "list", "items": [1]}, {"form": "int"}]}'


class Output(ctypes.Structure):
    """gm_output"""

    _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t)]


def functions() -> dict[str, list[str]]:
    """The parameters of the functions that return a status."""
    text = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S))
    return {name: given.split(", ") for name, given in re.findall(r"GM_API gm_status (\w+)\(([^)]*)\)", text)}


def library() -> ctypes.CDLL:
    return ctypes.CDLL(core.library_path())


def filled(output: Output) -> bool:
    return (output.bytes, output.size) != (None, 0)


class Caller:
    """Calls a function with arguments that are good, but for one that is NULL."""

    def __init__(self) -> None:
        self.library = library()
        self.kept: list[ctypes.c_void_p] = []
        self.reader, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        made = self.library.gm_reader_new(MEANING, ctypes.c_size_t(len(MEANING)), ctypes.byref(self.reader), None)
        assert made == 0 and self.library.gm_stream_new(self.reader, 0, ctypes.byref(self.stream)) == 0

    def argument(self, name: str, parameter: str, output: Output) -> Any:
        if "gm_output *" in parameter:
            return ctypes.byref(output)
        if "**" in parameter:
            self.kept.append(ctypes.c_void_p())
            return ctypes.byref(self.kept[-1])
        if "gm_reader *" in parameter:
            return self.reader
        if "gm_stream *" in parameter:
            return self.stream
        if "size_t" in parameter:
            return ctypes.c_size_t(len(MEANING) if name == "gm_reader_new" else 3)
        if "char *" in parameter:
            words = {"path": b"a.py", "name": b"C", "code": b"GM101", "meaning": MEANING}
            return words.get(parameter.split("*")[-1], b"[1]")
        return ctypes.c_uint(0)

    def __call__(self, name: str, without: int) -> tuple[int, Output]:
        output = Output(bytes=1, size=99)
        given = [
            None if at == without else self.argument(name, parameter, output)
            for at, parameter in enumerate(functions()[name])
        ]
        function = getattr(self.library, name)
        function.restype = ctypes.c_int
        return function(*given), output


@pytest.mark.parametrize("name", functions())
def test_nothing_in_place_of_an_argument(name: str) -> None:
    parameters = functions()[name]
    has_output = any("gm_output *" in parameter for parameter in parameters)
    for at, parameter in enumerate(parameters):
        if "*" not in parameter or "problem" in parameter or "char *code" in parameter or "char *path" in parameter:
            continue
        status, output = Caller()(name, at)
        assert status == BAD_ARGUMENT, (name, parameter)
        assert not has_output or "gm_output *" in parameter or not filled(output), (name, parameter)


@pytest.mark.parametrize("name", functions())
def test_good_arguments(name: str) -> None:
    status, output = Caller()(name, -1)
    assert status == 0
    assert filled(output) == (name != "gm_reader_new"), "a reader that is made has no problem"


@pytest.mark.parametrize("name", ["gm_stream_partial", "gm_stream_finish"])
def test_a_stream_that_is_finished(name: str) -> None:
    caller = Caller()
    assert caller("gm_stream_finish", -1)[0] == 0
    status, output = caller(name, -1)
    assert (status, filled(output)) == (BAD_ARGUMENT, False)
