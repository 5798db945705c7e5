"""Connections of coroutines: a protocol of asyncio for each, and waits that end by the clock or with their task."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
from collections.abc import AsyncGenerator
from typing import Any, Callable, Optional

from graphmend.meaning.transport.address import Address, Place, Post, looking_up
from graphmend.meaning.transport.clock import Clock, Late, within

MUCH = 1 << 18  # bytes that wait to be read; then the server has to wait


class AsyncLine(asyncio.Protocol):
    """A connection."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._pid = os.getpid()
        self._transport: Any = None
        self._data: list[bytes] = []
        self._size = 0
        self._ended = False
        self._error: Optional[BaseException] = None
        self._waiter: Optional[asyncio.Future[None]] = None
        self._paused = False
        self.sent = True  # whether the last request had gone out as a whole when its answer began

    # What asyncio tells

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self.sent and self._sending():
            self.sent = False
        self._data.append(data)
        self._size += len(data)
        if self._size > MUCH and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = True
        self._wake()

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._ended = True
        self._error = error
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # What an exchange does

    async def send(self, post: Post, clock: Clock) -> None:
        """Send a request. What the socket does not take goes on while the answer is awaited."""
        if os.getpid() != self._pid:
            raise OSError("the connection belongs to the process that this one was forked from")
        self.sent = not self._ended
        if self.sent:
            self._transport.write(post.view())

    async def receive(self, clock: Clock) -> bytes:
        """Some bytes; none at the end."""
        seconds = clock.wait()
        if not self._data and not self._ended:
            await self._wait_for_bytes(seconds, clock)
        elif seconds <= 0:
            raise Late
        if not self._data:
            if self._error is not None:
                raise self._error
            return b""
        return self._take()

    async def _wait_for_bytes(self, seconds: float, clock: Clock) -> None:
        """Wait until bytes come. Progress in sending the request starts the time anew: no bytes need come before."""
        sending = self._sending()
        while True:
            await self._wait(seconds)
            if self._data or self._ended:
                return
            left, seconds = self._sending(), clock.wait()
            if left >= sending or seconds <= 0:
                raise Late
            sending = left

    def _sending(self) -> int:
        return int(self._transport.get_write_buffer_size())

    async def _wait(self, seconds: float) -> None:
        self._waiter = waiter = self._loop.create_future()
        handle = self._loop.call_later(max(0.0, seconds), self._wake)
        try:
            await waiter
        finally:
            handle.cancel()
            self._waiter = None

    def _take(self) -> bytes:
        data = self._data[0] if len(self._data) == 1 else b"".join(self._data)
        self._data.clear()
        self._size = 0
        if self._paused:
            self._paused = False
            if not self._transport.is_closing():
                self._transport.resume_reading()
        return data

    async def start_tls(self, address: Address, clock: Clock) -> None:
        context, seconds = address.context(), clock.wait()
        plain = self._transport
        started = self._loop.start_tls(
            plain, self, context, server_hostname=address.target.host, ssl_handshake_timeout=clock.left() + 60
        )
        try:
            made = await within(seconds, started)
        except BaseException:
            plain.abort()
            raise
        if made is None:
            raise OSError("the connection was lost in the TLS handshake")
        self._transport = made

    def is_fresh(self) -> bool:
        """Whether nothing has come since the last answer, neither bytes nor an end."""
        if os.getpid() != self._pid or self._ended or self._data or self._transport.is_closing():
            return False
        made = self._transport.get_extra_info("socket")
        poll = select.poll()
        try:
            poll.register(made.fileno(), select.POLLIN)
            return not poll.poll(0)
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Close the connection at once; a connection from before a fork is left to the parent process."""
        if os.getpid() == self._pid and not self._loop.is_closed():
            self._transport.abort()


class Coroutines:
    """How coroutines of a loop carry out the steps of a post. `close` is called when the loop ends its generators, as
    asyncio.run does."""

    def __init__(self, most: int, close: Callable[[], None]) -> None:
        self._places_left = asyncio.Semaphore(most)
        self.leave = self._places_left.release
        self._close = close
        self._until_the_end: Optional[AsyncGenerator[None, None]] = None

    async def _wait_for_the_end(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            self._close()

    async def enter(self, clock: Clock) -> None:
        """Wait until the pool allows one more connection."""
        if self._until_the_end is None:
            self._until_the_end = self._wait_for_the_end()
            await self._until_the_end.__anext__()
        if self._places_left.locked():
            await within(clock.left(), self._places_left.acquire())
        else:
            await self._places_left.acquire()

    async def connect(self, address: Address, clock: Clock) -> AsyncLine:
        places = await self._places(address, clock)
        for number, (family, place) in enumerate(places):
            made = socket.socket(family, socket.SOCK_STREAM)
            try:
                made.setblocking(False)
                loop = asyncio.get_running_loop()
                await within(clock.wait(len(places) - number), loop.sock_connect(made, place))
                return (await loop.create_connection(AsyncLine, sock=made))[1]
            except BaseException as error:
                made.close()
                if not isinstance(error, (OSError, Late)) or number + 1 == len(places):
                    raise
        raise OSError("the name has no addresses")

    async def _places(self, address: Address, clock: Clock) -> "list[Place]":
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[Any] = loop.create_future()

        def take(result: Any) -> None:
            if not waiting.done():
                waiting.set_result(result)

        def give(result: Any) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(take, result)

        found = looking_up(address.next, give)
        if found:
            return found
        result = await within(clock.left(), waiting)
        if isinstance(result, BaseException):
            raise result
        return list(result)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
