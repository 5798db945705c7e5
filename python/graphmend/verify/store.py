"""The record of one run: a line of JSON for each event, and the contents of tensors beside the lines.

Lines are written at once, so the record of a crashed or killed run is complete up to the end. Equal contents are kept
once, under the digest of the bytes.
"""

from __future__ import annotations

import array
import json
import os
import threading
from collections.abc import Iterator
from typing import Any

LIMIT = 1 << 30  # bytes of contents


class Writer:
    """Appends to the record of this process, from any thread, and from no forked child."""

    def __init__(self, folder: str) -> None:
        self.lines = open(os.path.join(folder, "record.jsonl"), "a", encoding="utf-8")  # noqa: SIM115
        self.contents = open(os.path.join(folder, "contents.bin"), "ab")  # noqa: SIM115
        self.known: set[str] = set()
        self.process = os.getpid()
        self.lock = threading.RLock()

    def close(self) -> None:
        """Write nothing more."""
        with self.lock:
            self.lines.close()
            self.contents.close()

    def is_full(self) -> bool:
        """Whether no more contents should be kept."""
        return self.contents.closed or self.contents.tell() > LIMIT

    def write(self, kind: str, **members: Any) -> None:
        """Add one line."""
        if os.getpid() != self.process or self.lines.closed:
            return
        line = json.dumps({"kind": kind, **members}, default=repr) + "\n"
        with self.lock:
            self.lines.write(line)
            self.lines.flush()

    def keep(self, key: str, code: str, data: memoryview) -> None:
        """Keep numbers under a key; `code` is their type for `array`."""
        with self.lock:
            if key in self.known or os.getpid() != self.process or self.lines.closed:
                return
            self.known.add(key)
            start = self.contents.tell()
            self.contents.write(data)
            self.contents.flush()
            self.write("contents", key=key, code=code, start=start, size=len(data))


def lines_of(folder: str) -> Iterator[dict[str, Any]]:
    """The records of a process, in order, without an incomplete last line."""
    try:
        stream = open(os.path.join(folder, "record.jsonl"), encoding="utf-8")  # noqa: SIM115
    except OSError:
        return
    with stream:
        for line in stream:
            if line.endswith("\n"):
                yield json.loads(line)


class Contents:
    """The numbers that a process has kept."""

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, "contents.bin")
        self.places: dict[str, tuple[str, int, int]] = {}

    def add(self, line: dict[str, Any]) -> None:
        """Note where a line says that numbers are."""
        self.places[line["key"]] = line["code"], line["start"], line["size"]

    def read(self, key: str) -> array.array[Any]:
        """The numbers under a key."""
        code, start, size = self.places[key]
        numbers = array.array(code)
        with open(self.path, "rb") as stream:
            stream.seek(start)
            numbers.frombytes(stream.read(size))
        return numbers
