"""The C core, through ctypes: bytes in, plain data out. include/graphmend.h is the manual.

    fix_source(path, source)    # findings and the mended text
    meaning_source(...)         # the meaning of a function or class

The functions copy the core's answer into Python objects and release the memory of the core.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import sys
import sysconfig
from collections.abc import Iterator
from typing import Any

import graphmend

FIX_ASSUMED = 1
FIX_DROP_OUTPUT = 2
_STATUS = {1: "out of memory", 2: "the file is too large", 3: "bad argument"}


class CoreError(Exception):
    """The core has failed, or its library is missing."""


class _Output(ctypes.Structure):
    # An address instead of c_char_p: ctypes would turn c_char_p into bytes and lose the address to release.
    _fields_ = (("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t))


def library_candidates() -> Iterator[str]:
    """Where the library may be: named by the environment, in the package, in site-packages (editable install)."""
    named = os.environ.get("GRAPHMEND_LIBRARY")
    if named:
        yield named
        return
    name = "libgraphmend.dylib" if sys.platform == "darwin" else "libgraphmend.so"
    folders = [*graphmend.__path__]
    folders += [os.path.join(sysconfig.get_path(kind), "graphmend") for kind in ("platlib", "purelib")]
    for folder in dict.fromkeys(folders):
        yield os.path.join(folder, name)


@functools.cache
def library_path() -> str:
    """The file of the library."""
    for candidate in library_candidates():
        if os.path.exists(candidate):
            return candidate
    raise CoreError("libgraphmend is not installed beside the package graphmend")


def _meaning_signatures() -> dict[str, tuple[Any, list[Any]]]:
    output, handle, text = ctypes.POINTER(_Output), ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_size_t]
    source = [ctypes.c_char_p, *text]
    return {
        "gm_meaning_source": (ctypes.c_int, [*source, ctypes.c_char_p, output]),
        "gm_meaning_notes": (ctypes.c_int, [*source, output]),
        "gm_reader_new": (ctypes.c_int, [*text, ctypes.POINTER(handle), output]),
        "gm_reader_free": (None, [handle]),
        "gm_reader_meaning": (ctypes.c_int, [handle, output]),
        "gm_reader_read": (ctypes.c_int, [handle, *text, ctypes.c_uint, output]),
        "gm_stream_new": (ctypes.c_int, [handle, ctypes.c_uint, ctypes.POINTER(handle)]),
        "gm_stream_feed": (ctypes.c_int, [handle, *text]),
        "gm_stream_partial": (ctypes.c_int, [handle, output]),
        "gm_stream_finish": (ctypes.c_int, [handle, output]),
        "gm_stream_free": (None, [handle]),
    }


@functools.cache
def _library() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(library_path())
    except OSError as error:
        raise CoreError(f"libgraphmend cannot be loaded: {error}") from None
    output, source = ctypes.POINTER(_Output), [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t]
    signatures: dict[str, tuple[Any, list[Any]]] = {
        "gm_version_text": (ctypes.c_char_p, []),
        "gm_output_free": (None, [output]),
        "gm_check_source": (ctypes.c_int, [*source, output]),
        "gm_fix_source": (ctypes.c_int, [*source, ctypes.c_uint, output]),
        "gm_mend_source": (ctypes.c_int, [*source, output]),
        "gm_rule_page": (ctypes.c_int, [ctypes.c_char_p, output]),
        **_meaning_signatures(),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name, None)
        if function is None:
            raise CoreError(f"libgraphmend has no function {name}")
        function.restype, function.argtypes = result, arguments
    return library


def _call(name: str, *arguments: Any) -> bytes:
    """The output of a function of the core."""
    return _written(_library(), name, *arguments)


def _written(library: ctypes.CDLL, name: str, *arguments: Any) -> bytes:
    output = _Output()
    status = getattr(library, name)(*arguments, ctypes.byref(output))
    try:
        if status != 0:
            raise CoreError(f"{name}: {_STATUS.get(status, f'status {status}')}")
        return ctypes.string_at(output.bytes, output.size)
    finally:
        library.gm_output_free(ctypes.byref(output))


def _source_arguments(path: str, data: bytes) -> tuple[bytes, bytes, int]:
    return os.fsencode(path), data, len(data)


def version() -> str:
    """The version of the library and of the package."""
    text: bytes = _library().gm_version_text()
    return text.decode()


def check_source(path: str, data: bytes) -> dict[str, Any]:
    """The findings of a file."""
    result: dict[str, Any] = json.loads(_call("gm_check_source", *_source_arguments(path, data)))
    return result


def fix_source(path: str, data: bytes, flags: int = 0) -> dict[str, Any]:
    """The findings of a file and its text in the source dialect."""
    result: dict[str, Any] = json.loads(_call("gm_fix_source", *_source_arguments(path, data), flags))
    return result


def mend_source(path: str, data: bytes) -> dict[str, Any]:
    """A file in the runtime dialect (docs/runtime-dialect.md)."""
    result: dict[str, Any] = json.loads(_call("gm_mend_source", *_source_arguments(path, data)))
    return result


def rule_page(code: str) -> str:
    """The page of a rule or of a kind of graph break, by code or by name, as Markdown."""
    return _call("gm_rule_page", code.encode()).decode()


def meaning_source(path: str, data: bytes, name: str) -> dict[str, Any]:
    """The meaning of a function or class of a file, or the reason why the meaning is unknown."""
    result: dict[str, Any] = json.loads(_call("gm_meaning_source", *_source_arguments(path, data), name.encode()))
    return result


def meaning_notes(path: str, data: bytes) -> dict[str, Any]:
    """The notes about the functions and classes of a file."""
    result: dict[str, Any] = json.loads(_call("gm_meaning_notes", *_source_arguments(path, data)))
    return result


READ_STRICT, READ_PARTIAL, READ_PLAIN, READ_BRIEF = 1, 2, 4, 8


class Reader:
    """A type, ready to read texts; any number of threads may share a reader."""

    def __init__(self, meaning: str) -> None:
        self._handle = ctypes.c_void_p()
        self._library = _library()
        data, problem = meaning.encode("utf-8", "surrogatepass"), _Output()
        status = self._library.gm_reader_new(data, len(data), ctypes.byref(self._handle), ctypes.byref(problem))
        words = ctypes.string_at(problem.bytes, problem.size).decode() if problem.size else _STATUS.get(status, "")
        self._library.gm_output_free(ctypes.byref(problem))
        if status != 0:
            raise CoreError(f"not a meaning: {words}")

    def __del__(self) -> None:
        if self._handle:
            self._library.gm_reader_free(self._handle)

    def meaning(self) -> str:
        """The meaning in its canonical form."""
        return _call("gm_reader_meaning", self._handle).decode()

    def read(self, text: str, flags: int = 0) -> dict[str, Any]:
        """The value in a text."""
        data = text.encode("utf-8", "surrogatepass")
        written = _written(self._library, "gm_reader_read", self._handle, data, len(data), flags)
        result: dict[str, Any] = json.loads(written.decode("utf-8", "surrogatepass"))
        return result


class Stream:
    """A text that arrives in pieces. Pieces below `collect` bytes are collected until the next read."""

    def __init__(self, reader: Reader, flags: int = 0, collect: int = 512) -> None:
        self._pieces: list[bytes] = []
        self._room = self._collect = collect
        self._handle = ctypes.c_void_p()
        self._reader = reader  # the reader must outlive the stream
        self._library = _library()
        self._check(self._library.gm_stream_new(reader._handle, flags, ctypes.byref(self._handle)))

    def __del__(self) -> None:
        if self._handle:
            self._library.gm_stream_free(self._handle)

    def _check(self, status: int) -> None:
        if status != 0:
            raise CoreError(f"stream: {_STATUS.get(status, f'status {status}')}")

    def feed(self, data: bytes) -> None:
        """More of the text, in UTF-8; a character may be cut in two."""
        self._pieces.append(data)
        self._room -= len(data)
        if self._room <= 0:
            self._pass_on()

    def _pass_on(self) -> None:
        data = b"".join(self._pieces)
        self._pieces.clear()
        self._room = self._collect
        if data:
            self._check(self._library.gm_stream_feed(self._handle, data, len(data)))

    def partial(self) -> dict[str, Any]:
        """The value of the text so far."""
        self._pass_on()
        result: dict[str, Any] = json.loads(_call("gm_stream_partial", self._handle))
        return result

    def finish(self) -> dict[str, Any]:
        """The value of the whole text, and the end of the stream."""
        self._pass_on()
        self._room = self._collect = 0
        result: dict[str, Any] = json.loads(_call("gm_stream_finish", self._handle))
        return result
