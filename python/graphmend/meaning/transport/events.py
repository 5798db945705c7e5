"""Server-sent events, as the WHATWG's HTML standard has them parsed (9.2.6), of bytes as they come in.

Three points differ. The caller refuses bytes outside of UTF-8, where the standard inserts U+FFFD. Text behind the last
empty line, dropped by the standard, is in `rest()`, for callers with a complete body. Lines without a field, ignored by
the standard, are in `foreign`: failing servers write texts and pages. A line is joined once, at its end, so time is
linear in the bytes, whatever the pieces.
"""

from __future__ import annotations

import re
from typing import Optional

from graphmend.meaning.errors import EndpointError

BOM = b"\xef\xbb\xbf"
_NAME = re.compile(rb"[\w-]+")
Event = tuple[str, bytes]  # its name, and its data


def _is_foreign(field: bytes, value: bytes) -> bool:
    """Whether a line without a rule has text to keep, such as `Data: {...}`, rather than a field to ignore."""
    return field == b"error" or value[:1] in (b"{", b"[") or not _NAME.fullmatch(field)


class EventReader:
    """Takes bytes, gives events."""

    def __init__(self, max_line: int = 1 << 20) -> None:
        self._max_line = max_line
        self._line: list[bytes] = []  # the parts of a line without its end
        self._size = 0  # of these parts
        self._cr = False  # whether the bytes so far end in CR: an LF that follows belongs to it
        self._first = True
        self._name = b""
        self._data: Optional[bytes] = None
        self._more: list[bytes] = []  # the data's lines behind the first
        self._length = 0  # of these lines
        self.foreign = b""  # the first line that is no field: its name is no word, it tells an error, or it has JSON
        self.last_id = b""
        self.retry: Optional[int] = None

    def feed(self, data: bytes) -> list[Event]:
        if self._cr and data:
            data = data[1:] if data.startswith(b"\n") else data
            self._cr = False
        if b"\r" in data:
            self._cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = data.split(b"\n")
        if self._line:
            lines[0] = self._joined(lines[0], len(lines) == 1)
        self._keep(lines.pop())
        return self._events(lines)

    def _joined(self, part: bytes, open_: bool) -> bytes:
        """The first line, joined with its earlier parts; the newest part alone while the line has no end."""
        if open_:
            return part
        line = b"".join([*self._line, part])
        self._line.clear()
        self._size = 0
        return line

    def _keep(self, part: bytes) -> None:
        if part:
            self._line.append(part)
            self._size += len(part)
            self._check(self._size)

    def _check(self, size: int) -> None:
        if size > self._max_line:
            raise EndpointError(
                "limit", f"a line or event of the stream is longer than {self._max_line} bytes (max_line_bytes)"
            )

    def _events(self, lines: list[bytes]) -> list[Event]:
        found: list[Event] = []
        for line in lines:
            if line[:6] == b"data: " and self._data is None:  # nearly all lines are one of these two
                if len(line) > self._max_line:
                    self._check(len(line))
                self._data = line[6:]
                self._first = False
            elif not line and not self._first:
                event = self._dispatched()
                if event is not None:
                    found.append(event)
                self._name = b""
            elif line[:1] != b":" or self._first:
                self._field(line)
            else:
                self._check(len(line))
        return found

    def _field(self, line: bytes) -> None:
        self._check(len(line))
        if self._first:
            self._first = False
            line = line[3:] if line.startswith(BOM) else line
        field, _, value = line.partition(b":")
        value = value[1:] if value.startswith(b" ") else value
        if field == b"data":
            if self._data is None:
                self._data = value
            else:
                self._length += len(line) + 1
                self._check(self._length)
                self._more.append(value)
        elif field == b"event":
            self._name = value
        elif field == b"id" and b"\0" not in value:
            self.last_id = value
        elif field == b"retry" and value.isdigit() and len(value) < 19:
            self.retry = int(value)
        elif field and not self.foreign and _is_foreign(field, value):
            self.foreign = line[:2000]

    def _dispatched(self) -> Optional[Event]:
        """The event ended by an empty line; None for an event without data."""
        data, name = self._data or b"", self._name
        if not data and name == b"error":
            self.foreign = self.foreign or b"event: error"
        if self._more:
            data = b"\n".join([data, *self._more])
            self._more.clear()
            self._length = 0
        self._data = None
        return (name.decode("utf-8", "replace") or "message", data) if data else None

    def rest(self) -> list[Event]:
        """The event cut off by the end of the bytes, read as if its lines were complete."""
        lines = [b"".join(self._line), b""]
        self._line.clear()
        return self._events(lines if lines[0] else lines[1:])
