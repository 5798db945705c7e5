"""Connections of threads: sockets with a timeout, which Python and OpenSSL keep for each call as a whole."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import ssl
import threading
import time
from typing import Any

from graphmend.meaning.transport.address import Address, Post, places_of
from graphmend.meaning.transport.clock import Clock, Late

SIZE = 1 << 16


class Line:
    """A connection."""

    def __init__(self, made: socket.socket) -> None:
        self._socket = made
        self._tls = False
        self._pid = os.getpid()
        self._set = 0.0  # the timeout that the socket has
        self._early = b""  # what came while a request was sent
        self.sent = True  # whether the last request has gone out as a whole

    def _limit(self, clock: Clock) -> None:
        """Have the next call on the socket end by the clock."""
        if os.getpid() != self._pid:
            raise OSError("the connection belongs to the process that this one was forked from")
        seconds = clock.wait()
        if seconds != self._set:
            if seconds <= 0:
                raise Late
            self._set_timeout(seconds)

    def _set_timeout(self, seconds: float) -> None:
        self._socket.settimeout(seconds)
        self._set = seconds

    def send(self, post: Post, clock: Clock) -> None:
        """Send a request; not all of it where the answer comes first."""
        self.sent = False
        view = post.view()
        try:
            self.sent = self._sent_over_tls(view, clock) if self._tls else self._sent_plainly(view, clock)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the answer may say why

    def _sent_plainly(self, view: memoryview, clock: Clock) -> bool:
        """Whether all bytes have gone out before an answer came."""
        while True:
            self._limit(clock)
            try:
                view = view[self._socket.send(view) :]
            except socket.timeout as error:
                raise _late(error) from None
            if not view:
                return True
            if self._ready(select.POLLIN | select.POLLOUT, clock) & select.POLLIN:
                return False

    def _sent_over_tls(self, view: memoryview, clock: Clock) -> bool:
        """Whether all bytes have gone out before an answer came. TLS has messages of its own, so only decrypted bytes
        count.
        """
        self._limit(clock)
        self._set_timeout(0.0)
        while True:
            events = select.POLLIN | select.POLLOUT
            try:
                view = view[self._socket.send(view) :]
            except ssl.SSLWantWriteError:
                pass
            except ssl.SSLWantReadError:
                events = select.POLLIN
            if not view:
                return True
            if self._ready(events, clock) & select.POLLIN:
                try:
                    self._early = self._socket.recv(SIZE)
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    continue
                return False

    def _ready(self, events: int, clock: Clock) -> int:
        """The ready events of the socket, among these."""
        poll = select.poll()
        poll.register(self._socket.fileno(), events)
        found = poll.poll(max(0.0, min(clock.wait(), 86400.0)) * 1000)
        if not found:
            raise Late
        return found[0][1]

    def receive(self, clock: Clock) -> bytes:
        """Some bytes; none at the end."""
        if self._early:
            data, self._early = self._early, b""
            return data
        if clock.wait() != self._set or os.getpid() != self._pid:
            self._limit(clock)
        try:
            return self._socket.recv(SIZE)
        except socket.timeout as error:
            raise _late(error) from None

    def start_tls(self, address: Address, clock: Clock) -> None:
        self._limit(clock)
        self._socket = address.context().wrap_socket(
            self._socket, server_hostname=address.target.host, do_handshake_on_connect=False
        )
        self._tls = True
        try:
            self._socket.do_handshake()
        except socket.timeout as error:
            raise _late(error) from None

    def is_fresh(self) -> bool:
        """Whether nothing has come since the last answer, neither bytes nor an end."""
        poll = select.poll()
        try:
            poll.register(self._socket.fileno(), select.POLLIN)
            return os.getpid() == self._pid and not poll.poll(0)
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.close()


def _late(error: OSError) -> Exception:
    """The timeout of a socket ended a wait; a timeout of the network's is an error like others."""
    return error if error.errno else Late()


class Blocking:
    """How threads carry out the steps of a post."""

    def __init__(self, most: int) -> None:
        self._places = threading.Semaphore(most)
        self.leave = self._places.release

    def enter(self, clock: Clock) -> None:
        """Wait until the pool allows one more connection."""
        if not self._places.acquire(timeout=max(0.0, clock.left())):
            raise Late

    def connect(self, address: Address, clock: Clock) -> Line:
        places = places_of(address.next, clock)
        for number, (family, place) in enumerate(places):
            made = socket.socket(family, socket.SOCK_STREAM)
            try:
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._connect(made, place, clock.wait(len(places) - number))
                return Line(made)
            except BaseException as error:
                made.close()
                if not isinstance(error, (OSError, Late)) or number + 1 == len(places):
                    raise
        raise OSError("the name has no addresses")

    def _connect(self, made: socket.socket, place: Any, seconds: float) -> None:
        if seconds <= 0:
            raise Late
        made.settimeout(seconds)
        try:
            made.connect(place)
        except socket.timeout as error:
            raise _late(error) from None

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
