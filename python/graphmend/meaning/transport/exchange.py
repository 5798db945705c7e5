"""One post and the answer, as steps for a thread or a coroutine.

A step is a call without arguments: a thread makes the call, a coroutine makes the call and awaits the result. So all
four forms of asking, blocking, in a coroutine, and both as a stream, share the states:

    take a kept connection, or connect -> tunnel -> TLS -> send -> read -> ended -> keep the connection, or close it
"""

from __future__ import annotations

import collections
import functools
import os
import ssl
import time
from collections.abc import Generator
from typing import Any, Callable, Optional

from graphmend.meaning.errors import EndpointError
from graphmend.meaning.transport.address import Address, Post
from graphmend.meaning.transport.clock import Clock, Late
from graphmend.meaning.transport.http import CLOSE, ENDED, HEAD, HttpAnswer

Step = Callable[[], Any]
Steps = Generator[Any, Any, Any]
MAX_OPEN = 100  # connections to one address at the same time; who wants more waits
MAX_IDLE = MAX_OPEN
IDLE = 30.0  # seconds for which they are
GRACE = 0.2  # seconds for the end of a body of which nothing more is needed

BROKEN = (Late, OSError, EOFError, UnicodeError, RuntimeError)  # what a step may raise


def _cause(error: Exception) -> Optional[Exception]:
    return None if isinstance(error, Late) else error


class Pool:
    """Connections waiting for the next post. Each connection belongs to the process that made it."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._idle: collections.deque[tuple[Any, float]] = collections.deque(maxlen=MAX_IDLE)

    def take(self) -> Optional[Any]:
        """A connection without any bytes since its last answer."""
        if os.getpid() != self._pid:
            self._pid, self._idle = os.getpid(), collections.deque(maxlen=MAX_IDLE)
        while True:
            try:
                line, until = self._idle.pop()
            except IndexError:
                return None
            if time.monotonic() < until and line.is_fresh():
                return line
            line.close()

    def keep(self, line: Any) -> None:
        if os.getpid() != self._pid or len(self._idle) == MAX_IDLE:
            line.close()
        else:
            self._idle.append((line, time.monotonic() + IDLE))

    def close(self) -> None:
        while self._idle:
            self._idle.pop()[0].close()


class Exchange:
    """A post, and its answer so far."""

    def __init__(self, hands: Any, pool: Pool, address: Address, clock: Clock, max_bytes: int) -> None:
        self._hands = hands
        self._pool = pool
        self._address = address
        self._clock = clock
        self._max_bytes = max_bytes
        self._line: Any = None
        self.receiving: Any = None  # the step that is taken most often
        self._entered = False  # among those that may have a connection
        self.answer = HttpAnswer(max_bytes)

    def _do(self, step: Callable[..., Any], *given: Any) -> Steps:
        """Run one step, with errors of this package."""
        try:
            return (yield functools.partial(step, *given, self._clock))
        except BROKEN as error:
            raise self.problem(error) from _cause(error)

    def problem(self, error: Exception) -> EndpointError:
        """The error to raise for an exception of a step."""
        return self._clock.late() if isinstance(error, Late) else self._broken(error)

    def _broken(self, error: Exception) -> EndpointError:
        words = f"{type(error).__name__}: {error}"
        if self.answer.begun:
            return EndpointError("cut short", f"the endpoint's answer broke: {words}", again=True)
        again = not isinstance(error, (ssl.SSLCertVerificationError, FileNotFoundError))
        return EndpointError("unreachable", f"the endpoint cannot be reached: {words}", again=again)

    def begin(self, post: Post, fresh: bool) -> Steps:
        """Send the post, read up to the headers of the answer, and return the first bytes of the body. `fresh` requires
        a new connection. A kept connection may have died in the meantime, and the error says so.
        """
        self._clock.check()
        yield from self._do(self._hands.enter)
        self._entered = True
        self._line = None if fresh else self._pool.take()
        if self._line is None:
            yield from self._connect()
            return (yield from self._ask(post))
        self.receiving = functools.partial(self._line.receive, self._clock)
        try:
            return (yield from self._ask(post))
        except EndpointError as error:
            error.was_kept = error.kind == "unreachable"
            raise

    def _connect(self) -> Steps:
        self._line = yield from self._do(self._hands.connect, self._address)
        self.receiving = functools.partial(self._line.receive, self._clock)
        if self._address.tunnel:
            yield from self._tunnel()
        if self._address.target.tls:
            yield from self._do(self._line.start_tls, self._address)

    def _tunnel(self) -> Steps:
        yield from self._do(self._line.send, self._address.tunnelling())
        opened, body = self.answer, b""
        while opened.state == HEAD:
            body = yield from self.more()
        self.answer = HttpAnswer(self._max_bytes)
        if opened.status != 200 or opened.state not in (CLOSE, ENDED) or opened.behind or body:
            raise EndpointError("unreachable", f"the proxy answers {opened.status}", status=opened.status)

    def _ask(self, post: Post) -> Steps:
        yield from self._do(self._line.send, post)
        while self.answer.state == HEAD:
            body: bytes = yield from self.more()
        return body

    def take(self, data: bytes) -> bytes:
        """The bytes of the body among received bytes."""
        if data:
            return self.answer.feed(data)
        if not self.answer.begun:
            words = "the endpoint cannot be reached: it closes the connection without an answer"
            raise EndpointError("unreachable", words, again=True)
        return self.answer.end()

    def more(self) -> Steps:
        """More of the body; not to be called when it has ended."""
        try:
            data: bytes = yield self.receiving
        except BROKEN as error:
            raise self.problem(error) from _cause(error)
        return self.take(data)

    def drain(self) -> Steps:
        """Wait a little for the end of a body behind the end of the answer: then the connection can be kept. Gives the
        rest of the body. Raises faults of the compression: the text in front of them may be wrong, too."""
        self._clock = Clock(min(GRACE, self._clock.left()), GRACE)
        self.receiving = functools.partial(self._line.receive, self._clock)
        parts: list[bytes] = []
        size = 0
        try:
            while self.answer.state != ENDED and size < 1 << 16:
                parts.append((yield from self.more()))
                size += len(parts[-1])
        except EndpointError:
            if self.answer.damaged:
                raise
        return b"".join(parts)

    def close(self, well: bool) -> None:
        """Keep the connection after a complete exchange with an exact end of the answer, else close the connection.
        After an early answer, the rest of the request would stand in front of the next request.
        """
        line, self._line = self._line, None
        if line is not None:
            if well and self.answer.reusable() and line.sent:
                self._pool.keep(line)
            else:
                line.close()
        if self._entered:
            self._entered = False
            self._hands.leave()
