"""Streams of the host, such as those of a notebook's kernel: they carry text out, and are not searched."""

from __future__ import annotations

import importlib
import io
import sys
import types
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from graphmend.runtime.analysis.receiver_reach import reach_of_receivers
from graphmend.runtime.base import host

KERNEL = """
import io

class Out(io.TextIOBase):
    def __init__(self):
        self.kernel = ["every variable of the program"]
    def write(self, text):
        return len(text)

class Named(Out):
    pass

def echo(text):
    return len(text)
"""


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A package that was there before graphmend, and a process that has noted nothing yet."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "own_kernel.py").write_text(KERNEL)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(host, "streams", [])
    monkeypatch.setattr(host, "packages", set())
    yield importlib.import_module("own_kernel")
    del sys.modules["own_kernel"]


def noted(stream: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The stream as that of the process, when the host is noted."""
    monkeypatch.setattr(sys, "stdout", stream)
    host.note()
    return stream


def echo(text: str) -> int:
    """A function of the program."""
    return len(text)


class Own(io.StringIO):
    """A stream of the program."""


def attached(stream: Any, function: Any) -> Any:
    stream.write = function
    return stream


def derived(kernel: Any, **members: Any) -> Any:
    """A stream of a class of the program, derived from one of the host."""
    return type("Derived", (kernel.Out,), members)()


def around(kernel: Any) -> Any:
    """A stream of a class of the host, which gets its `write` from the program."""
    return type("Around", (Own,), {"__module__": "own_kernel"})()


STREAMS: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "of the host": (lambda k: k.Out(), True),
    "with the method of another class of the host": (lambda k: k.Named(), True),
    "of the host, with a function of the host": (lambda k: attached(k.Out(), k.echo), True),
    "of the host, with a function of the program": (lambda k: attached(k.Out(), echo), False),
    "of the host, with a method of the program": (lambda k: attached(k.Out(), Own().write), True),
    "of the host, with a method of a class of the program": (lambda k: attached(k.Out(), Counting().write), False),
    "a file": (lambda k: io.TextIOWrapper(io.BytesIO()), False),
    "a file with a function of the host": (lambda k: attached(io.TextIOWrapper(io.BytesIO()), k.echo), True),
    "a file with a function of the program": (lambda k: attached(io.TextIOWrapper(io.BytesIO()), echo), False),
    "of the program": (lambda k: Own(), False),
    "of the program, derived": (lambda k: derived(k), False),
    "of the program, derived, with a function of the host": (lambda k: attached(derived(k), k.echo), True),
    "of the program, derived, with its own write": (lambda k: attached(derived(k, write=echo), k.echo), False),
    "of the host around one of the program": (lambda k: around(k), True),
}


class Counting(Own):
    def write(self, text: str) -> int:
        return len(text)


@pytest.mark.parametrize("name", STREAMS)
def test_streams(kernel: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    make, expected = STREAMS[name]
    stream = noted(make(kernel), monkeypatch)
    assert host.is_hosts_stream(stream) is expected
    assert not host.is_hosts_stream(kernel.Out())  # as good as the other one, and not the host's


def test_what_is_noted(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first time counts: later streams and packages are the program's."""
    stream = noted(kernel.Out(), monkeypatch)
    assert host.streams == [stream, sys.stderr]
    assert host.is_hosts("own_kernel") and host.is_hosts("own_kernel.part") and host.is_hosts("pytest")
    assert not any(map(host.is_hosts, ("own_program", "io", None, 3, __name__)))
    noted(Own(), monkeypatch)
    assert host.streams == [stream, sys.stderr]


def test_a_process_without_streams(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    noted(None, monkeypatch)
    assert host.streams == []


@pytest.mark.parametrize(
    ("name", "file", "expected"),
    [
        ("a", "/x/site-packages/a/__init__.py", True),
        ("a", "/x/dist-packages/a.py", True),
        ("a.b", "/x/site-packages/a/b.py", False),
        ("a", "/x/a.py", False),
        ("a", None, False),
    ],
)
def test_modules_of_packages(name: str, file: Any, expected: bool) -> None:
    module = types.ModuleType(name)
    module.__file__ = file
    assert host.is_installed(module) is expected


def test_nothing_behind_a_stream_of_the_host_is_reached(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    own, stream = Counting(), noted(kernel.Out(), monkeypatch)
    reason, reach = reach_of_receivers([stream, own])
    assert reason is None and {id(stream), id(own)} <= reach.ids and id(stream.kernel) not in reach.ids
    later = kernel.Out()
    assert id(later.kernel) in reach_of_receivers([later])[1].ids
