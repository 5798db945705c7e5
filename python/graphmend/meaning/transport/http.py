"""The answer to a post in the framing of HTTP/1.1 (RFC 9112), from incoming bytes: a state machine.

    status and headers -- 1xx --> status and headers
                       -- else -> body, by its length | in chunks | until the close
    body -- its end --> ended
    any  -- the close, except as a proper end --> an error

h11 reads status and headers, the intricate part of the grammar. Bodies are read here: streams have chunks of some
hundred bytes, and for each chunk h11 takes three times as long as json takes for the content.
"""

from __future__ import annotations

import re
import zlib
from typing import Any, Optional

import h11

from graphmend.meaning.errors import EndpointError

MAX_HEAD = 1 << 16  # bytes of status and headers, interim answers included; of trailers, too
MAX_SIZE_LINE = 1 << 10  # bytes of a chunk's size and its extensions
_SIZE = re.compile(rb"(0*[0-9A-Fa-f]{1,15})[ \t]*(;.*)?")
_INTERIM = re.compile(rb"HTTP/1\.[01] 1([0-9]{2})[ \r\n]")
_HEAD_END = re.compile(rb"\n\r?\n")
_LISTS = {"connection", "content-encoding"}  # what stands in several lines of these is one list
HEAD, LENGTH, CHUNKS, TRAILERS, CLOSE, ENDED = "head", "length", "chunks", "trailers", "close", "ended"


def _problem(words: str) -> EndpointError:
    return EndpointError("protocol", f"the endpoint's answer is no right HTTP: {words}", again=True)


class HttpAnswer:
    """Takes bytes, gives those of the body without their framing and compression."""

    def __init__(self, max_bytes: int) -> None:
        self.state = HEAD
        self.status = 0
        self.headers: dict[str, str] = {}
        self.begun = False  # whether any byte has come
        self.behind = False  # whether bytes stand behind the end
        self._closes = False
        self._buffer = b""
        self._heads = 0  # bytes of heads that have been read
        self._left = 0  # bytes of the body, or of the chunk and the line end behind it
        self._sizes: dict[bytes, int] = {}
        self._max_bytes = max_bytes
        self._decoder: Optional[Decoder] = None
        self.damaged = False  # whether what is compressed does not end as it has to
        self._given = 0

    def reusable(self) -> bool:
        """Whether the connection may have another post: the answer ended at its proper place, with nothing behind."""
        return self.state == ENDED and not self.behind and not self._closes

    def feed(self, data: bytes) -> bytes:
        """The bytes of the body among received bytes."""
        if self.state == CHUNKS:
            body = self._read_chunks(data)
        else:
            self.begun = True
            if self.state == HEAD:
                data = self._read_heads(data)
            body = self._read_body(data) if data else b""
        body = self._decoded(body) if body else b""
        if self._decoder is not None and self.state == ENDED:
            self._check_end(self._decoder)
        return body

    def end(self) -> bytes:
        """The rest of the body, because the connection has ended."""
        if self.state == CLOSE:
            self.state = ENDED
        if self.state != ENDED:
            raise EndpointError("cut short", "the connection ended inside of the endpoint's answer", again=True)
        if self._decoder is not None:
            self._check_end(self._decoder)
        return b""

    def _check_end(self, decoder: "Decoder") -> None:
        if not decoder.is_whole():
            self.damaged = True
            raise EndpointError("cut short", "the endpoint's answer ends inside of what is compressed", again=True)

    # Status and headers

    def _read_heads(self, data: bytes) -> bytes:
        """Read heads up to the head of the answer itself; returns the bytes behind."""
        data = self._buffer + data if self._buffer else data
        while self.state == HEAD:
            found = _HEAD_END.search(data, max(0, len(self._buffer) - 3))
            size = found.end() if found else len(data)
            if self._heads + size > MAX_HEAD:
                raise EndpointError("limit", f"status and headers of the answer are longer than {MAX_HEAD} bytes")
            if not found:
                self._check_start(data)
                self._buffer = data
                return b""
            self._buffer = b""
            self._heads += size
            self._read_head(data[:size])
            data = data[size:]
        return data

    def _check_start(self, data: bytes) -> None:
        if not b"HTTP/1.".startswith(data[:7]):
            raise _problem("it does not start with HTTP/1")

    def _read_head(self, head: bytes) -> None:
        interim = _INTERIM.match(head)
        if interim is not None:  # for h11 one belongs to a request that it has seen
            if interim[1] == b"01":
                raise _problem("it changes the protocol")
            return
        reader = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD)
        reader.receive_data(head)
        try:
            event = reader.next_event()
        except h11.RemoteProtocolError as error:
            raise _problem(str(error)) from error
        if not isinstance(event, h11.Response):
            raise _problem("it has no status")
        self.status = event.status_code
        for raw_name, raw_value in event.headers:
            name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
            if name in _LISTS and name in self.headers:
                value = f"{self.headers[name]}, {value}"
            if name in _LISTS or name not in self.headers:
                self.headers[name] = value
        self._closes = event.http_version != b"1.1" or "close" in self.headers.get("connection", "").lower()
        self._choose_framing()

    def _choose_framing(self) -> None:
        length = self.headers.get("content-length")
        if "transfer-encoding" in self.headers:
            if length is not None:
                raise _problem("it has a length and chunks")
            self.state = CHUNKS
        elif self.status in (204, 304):
            self.state = ENDED
        elif length is not None:
            self.state, self._left = (LENGTH, int(length)) if int(length) else (ENDED, 0)
        else:
            self.state = CLOSE
        named = [each.strip() for each in self.headers.get("content-encoding", "").lower().split(",")]
        encoding = ", ".join(each for each in named if each not in ("identity", ""))
        if encoding and self.state != ENDED:
            self._decoder = Decoder(encoding, self._max_bytes)
        elif self._left > self._max_bytes and self.status == 200:
            raise self._too_long()

    # The body

    def _read_body(self, data: bytes) -> bytes:
        if self.state == CHUNKS:
            return self._read_chunks(data)
        if self.state == TRAILERS:
            self._read_trailers(data)
            return b""
        if self.state == ENDED:
            self.behind = True
            return b""
        if self.state == LENGTH:
            body = data[: self._left]
            self._left -= len(body)
            if not self._left:
                self.state = ENDED
                self.behind = len(data) > len(body)
            return body
        return data

    def _read_chunks(self, data: bytes) -> bytes:
        """Read chunks. `_left` is the missing length of a chunk with its line end, 0 in front of a size."""
        data = self._buffer + data if self._buffer else data
        self._buffer = b""
        parts: list[bytes] = []
        at, size = 0, len(data)
        while at < size:
            if self._left:
                at = self._read_chunk(data, at, parts)
                continue
            end = data.find(b"\r\n", at)
            if end < 0:
                self._buffer = data[at:]
                if len(self._buffer) > MAX_SIZE_LINE:
                    raise EndpointError("limit", f"a size of a chunk is longer than {MAX_SIZE_LINE} bytes")
                break
            line = data[at:end]
            length = self._sizes.get(line)
            if length is None:
                length = self._read_size(line)
            at = end + 2
            if not length:
                self.state = TRAILERS
                self._heads = 0
                self._read_trailers(data[at:])
                break
            end = at + length
            if data[end : end + 2] == b"\r\n":
                parts.append(data[at:end])
                at = end + 2
            else:
                self._left = length + 2
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _read_size(self, line: bytes) -> int:
        found = _SIZE.fullmatch(line) if len(line) <= MAX_SIZE_LINE else None
        if not found:
            raise _problem("a chunk has no size")
        if len(self._sizes) < 1000:
            self._sizes[line] = int(found[1], 16)
        return int(found[1], 16)

    def _read_chunk(self, data: bytes, at: int, parts: list[bytes]) -> int:
        """Read a part of a chunk; returns the position of its end."""
        if self._left > 2:
            part = data[at : at + self._left - 2]
            parts.append(part)
            self._left -= len(part)
            at += len(part)
        if self._left <= 2:
            ending = data[at : at + self._left]
            if not b"\r\n"[2 - self._left :].startswith(ending):
                raise _problem("a chunk is longer than its size")
            self._left -= len(ending)
            at += len(ending)
        return at

    def _read_trailers(self, data: bytes) -> None:
        """Skip lines up to an empty line; no code needs the trailers."""
        data = self._buffer + data
        while True:
            line, ending, data = data.partition(b"\n")
            self._heads += len(line) + 1
            if self._heads > MAX_HEAD:
                raise EndpointError("limit", f"trailers of the answer are longer than {MAX_HEAD} bytes")
            if not ending:
                self._heads -= len(line) + 1
                self._buffer = line
                return
            if line in (b"", b"\r"):
                self._buffer = b""
                self.state = ENDED
                self.behind = bool(data)
                return

    # Compression, and the limit

    def _decoded(self, body: bytes) -> bytes:
        if self._decoder is not None:
            try:
                body = self._decoder.feed(body, self._max_bytes - self._given)
            except EndpointError:
                self.damaged = True
                raise
        self._given += len(body)
        if self._given > self._max_bytes:
            raise self._too_long()
        return body

    def _too_long(self) -> EndpointError:
        return EndpointError("limit", f"the answer is longer than {self._max_bytes} bytes (max_answer_bytes)")


class Decoder:
    """gzip, of any number of members, and deflate, with and without the frame of zlib."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        if encoding not in ("gzip", "x-gzip", "deflate"):
            raise _problem(f"its content-encoding is {encoding[:40]}, and gzip or deflate was asked for")
        self._gzip = "gzip" in encoding
        self._made: Any = zlib.decompressobj(31) if self._gzip else None
        self._max_bytes = max_bytes

    def feed(self, data: bytes, room: int) -> bytes:
        """The bytes of which some were compressed; a byte more than there is room for where there are more."""
        parts: list[bytes] = []
        while data:
            self._made = self._made or self._of_deflate(data)
            try:
                part = self._made.decompress(data, max(0, room) + 1)
            except zlib.error as error:
                raise _problem(f"it cannot be decompressed ({error})") from error
            parts.append(part)
            room -= len(part)
            if room < 0:
                break
            data = self._made.unconsumed_tail
            if self._made.eof:
                data = self._made.unused_data
                if data and not self._gzip:
                    raise _problem("bytes stand behind what is compressed")
                self._made = zlib.decompressobj(31) if data else self._made
        return b"".join(parts)

    def _of_deflate(self, data: bytes) -> Any:
        """The decompressor for a body with `deflate`. zlib's frame starts with a multiple of 31 and method 8; some
        servers leave the frame out.
        """
        framed = data[0] & 15 == 8 and (len(data) < 2 or (data[0] << 8 | data[1]) % 31 == 0)
        return zlib.decompressobj(15 if framed else -15)

    def is_whole(self) -> bool:
        return self._made is not None and bool(self._made.eof)
