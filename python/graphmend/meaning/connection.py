"""Posts over httpx, below its clients: an endpoint has no use for cookies, redirects and merged headers, and preparing
them takes as long as the post. Where the environment names a proxy or the address a user, a client does the work."""

from __future__ import annotations

import time
from collections.abc import AsyncIterable, Iterable
from typing import Any

from graphmend import __version__
from graphmend.meaning.errors import CallError


def httpx_module() -> Any:
    """httpx, which is imported when it is needed first."""
    try:
        import httpx
    except ImportError:
        raise CallError("an Endpoint needs httpx: pip install graphmend[meaning]") from None
    return httpx


class Clock:
    """How long a response may take as a whole: a server may keep each wait short and never come to an end."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def check(self, piece: bytes) -> bytes:
        if time.monotonic() > self._end:
            raise CallError(f"the endpoint's answer took longer than {self._seconds:g} seconds")
        return piece


class Response:
    """A whole response."""

    __slots__ = ("content", "headers", "status_code")

    def __init__(self, response: Any, content: bytes) -> None:
        self.status_code: int = response.status_code
        self.headers = response.headers
        self.content = content


def pieces_of(response: Any) -> Iterable[bytes]:
    """The body of a response, without its encoding."""
    return response.iter_bytes() if "content-encoding" in response.headers else response.stream


def async_pieces_of(response: Any) -> AsyncIterable[bytes]:
    """The same of a response to a coroutine."""
    return response.aiter_bytes() if "content-encoding" in response.headers else response.stream


class _Posts:
    """What posts to one address are made of, and the error when one cannot be made."""

    def __init__(self, url: str, timeout: float) -> None:
        httpx = httpx_module()
        self._url = httpx.URL(url)
        self._request, self._stream = httpx.Request, httpx.ByteStream
        self.error: type[Exception] = httpx.HTTPError
        self._headers = [
            (b"Host", self._url.netloc),
            (b"Content-Type", b"application/json"),
            (b"Accept-Encoding", b"gzip, deflate"),
            (b"User-Agent", f"graphmend/{__version__}".encode()),
        ]
        self._extensions = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), timeout)}

    def _post(self, body: bytes, headers: list[tuple[bytes, bytes]]) -> Any:
        length = (b"Content-Length", b"%d" % len(body))
        return self._request(
            "POST",
            self._url,
            headers=[*self._headers, length, *headers],
            stream=self._stream(body),
            extensions=self._extensions,
        )

    def _needs_client(self) -> bool:
        from urllib.request import getproxies

        return bool(getproxies().keys() - {"no"} or self._url.userinfo)


class Connection(_Posts):
    """Connections to an address, kept and shared by threads. Errors are httpx's."""

    def __init__(self, url: str, timeout: float) -> None:
        super().__init__(url, timeout)
        self._pool: Any
        if self._needs_client():
            self._pool = httpx_module().Client(timeout=timeout)
            self._send: Any = lambda request: self._pool.send(request, stream=True)
        else:
            self._pool = httpx_module().HTTPTransport()
            self._send = self._pool.handle_request

    def open(self, body: bytes, headers: list[tuple[bytes, bytes]]) -> Any:
        """A response of which the body has not been read; to be closed."""
        return self._send(self._post(body, headers))

    def fetch(self, body: bytes, headers: list[tuple[bytes, bytes]], clock: Clock) -> Response:
        """A whole response."""
        response = self.open(body, headers)
        try:
            return Response(response, b"".join([clock.check(piece) for piece in pieces_of(response)]))
        finally:
            response.close()

    def close(self) -> None:
        self._pool.close()


class AsyncConnection(_Posts):
    """The same for coroutines of one event loop."""

    def __init__(self, url: str, timeout: float) -> None:
        super().__init__(url, timeout)
        self._pool: Any
        if self._needs_client():
            self._pool = httpx_module().AsyncClient(timeout=timeout)
            self._send: Any = lambda request: self._pool.send(request, stream=True)
        else:
            self._pool = httpx_module().AsyncHTTPTransport()
            self._send = self._pool.handle_async_request

    async def open(self, body: bytes, headers: list[tuple[bytes, bytes]]) -> Any:
        """A response of which the body has not been read; to be closed."""
        return await self._send(self._post(body, headers))

    async def fetch(self, body: bytes, headers: list[tuple[bytes, bytes]], clock: Clock) -> Response:
        """A whole response."""
        response = await self.open(body, headers)
        try:
            return Response(response, b"".join([clock.check(piece) async for piece in async_pieces_of(response)]))
        finally:
            await response.aclose()
