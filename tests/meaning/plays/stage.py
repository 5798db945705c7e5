"""The stage: steps of a script, and a server that carries one out on each connection."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from typing import Any, Callable, Optional, Union


@dataclasses.dataclass
class Wait:
    """Nothing for some seconds."""

    seconds: float


@dataclasses.dataclass
class Drip:
    """Bytes a few at a time."""

    data: bytes
    pause: float = 0.02
    size: int = 1


@dataclasses.dataclass
class Endless:
    """The same bytes until the client goes away."""

    data: bytes
    pause: float = 0.0


class _Sign:
    """A step without a parameter."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


READ = _Sign("READ")  # a whole request
HOLD = _Sign("HOLD")  # until the play is over
RESET = _Sign("RESET")  # the connection ends with RST
Step = Union[bytes, Wait, Drip, Endless, _Sign]
Script = list[list[Step]]  # the steps of each connection; those behind the last one do what it does


class Error:
    """What a play may end with besides a value: an error, of one of these kinds where any are named."""

    def __init__(self, *kinds: str) -> None:
        self.kinds = kinds

    def __repr__(self) -> str:
        return f"Error({', '.join(self.kinds)})"


Want = tuple[Union[str, Error], ...]
ALL = ("blocking", "coroutine", "stream", "coroutine stream")
STREAMS = ALL[2:]
WHOLE = ALL[:2]


@dataclasses.dataclass
class Play:
    """A script, which may depend on whether a stream is asked for, and what each call may end with."""

    group: str
    name: str
    script: Callable[[bool], Script]
    wants: list[Want]
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    forms: tuple[str, ...] = ALL
    requests: Optional[int] = None  # how many requests the server has seen in the end
    url: str = "http://127.0.0.1:{port}/v1"
    before: float = 0.0  # seconds between two calls
    prompt: str = "What is it?"
    accepts: bool = True  # whether connections are accepted at all
    own: bool = False  # whether the play is about what only this client has, such as a deadline

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"


class Server:
    """Plays a script."""

    def __init__(self, script: Script, accepts: bool = True, context: Optional[ssl.SSLContext] = None) -> None:
        self._script = script
        self._context = context
        self._over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128 if accepts else 1)
        self.port: int = self._listener.getsockname()[1]
        self.requests: list[tuple[bytes, bytes]] = []  # heads and bodies
        self.connections = 0
        self.gone = threading.Event()  # a client left in the middle of a script
        self._threads: list[threading.Thread] = []
        self._fillers = [] if accepts else [self._filler() for _ in range(4)]
        if accepts:
            self._start(self._accept)

    def _filler(self) -> socket.socket:
        """A connection that fills the queue of those to be accepted."""
        made = socket.socket()
        made.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            made.connect(("127.0.0.1", self.port))
        return made

    def _start(self, work: Callable[..., None], *given: Any) -> None:
        thread = threading.Thread(target=work, args=given, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._over.is_set():
            try:
                taken, _ = self._listener.accept()
            except OSError:
                return
            number = min(self.connections, len(self._script) - 1)
            self.connections += 1
            self._start(self._serve, taken, self._script[number] if self._script else [])

    def _serve(self, connection: socket.socket, steps: list[Step]) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.closing(connection):
            try:
                if self._context is not None:
                    connection = self._context.wrap_socket(connection, server_side=True)
                self._rest = b""
                for step in steps:
                    if not self._carry_out(connection, step):
                        return
                if steps and steps[-1] is not RESET:
                    with contextlib.suppress(OSError):
                        connection.shutdown(socket.SHUT_WR)
                    self._drain(connection)
            except OSError:
                self.gone.set()
            finally:
                with contextlib.suppress(OSError):
                    connection.close()

    def _drain(self, connection: socket.socket) -> None:
        """What the client still sends: a close in front of it would be a reset."""
        connection.settimeout(0.2)
        with contextlib.suppress(OSError):
            while connection.recv(1 << 16):
                pass

    def _carry_out(self, connection: socket.socket, step: Step) -> bool:
        if isinstance(step, bytes):
            connection.sendall(step)
        elif isinstance(step, Wait):
            return not self._over.wait(step.seconds)
        elif isinstance(step, Drip):
            for at in range(0, len(step.data), step.size):
                connection.sendall(step.data[at : at + step.size])
                if self._over.wait(step.pause):
                    return False
        elif isinstance(step, Endless):
            while not self._over.is_set():
                connection.sendall(step.data)
                if step.pause:
                    self._over.wait(step.pause)
            return False
        elif step is READ:
            return self._read(connection)
        elif step is HOLD:
            connection.settimeout(0.05)
            while not self._over.is_set():
                with contextlib.suppress(TimeoutError, socket.timeout):
                    if not connection.recv(1 << 16):
                        self.gone.set()
                        return False
            return False
        elif step is RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            return False
        return True

    def _read(self, connection: socket.socket) -> bool:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(1 << 16)
            if not piece:
                return False
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        while len(body) < length:
            piece = connection.recv(1 << 16)
            if not piece:
                return False
            body += piece
        self.requests.append((head, body))
        return True

    def sent(self) -> list[Any]:
        """The bodies of the requests."""
        return [json.loads(body) for _, body in self.requests]

    def close(self) -> None:
        self._over.set()
        for filler in self._fillers:
            filler.close()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)


@contextlib.contextmanager
def server(script: Script, accepts: bool = True, context: Optional[ssl.SSLContext] = None) -> Iterator[Server]:
    made = Server(script, accepts, context)
    try:
        yield made
    finally:
        made.close()
