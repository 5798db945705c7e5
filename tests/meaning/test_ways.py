"""The ways to an endpoint: TLS with an authority of its own, tunnels and proxies."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("h11")

import certificates  # noqa: E402
from plays.protocol import STREAM, TEXT, answer, chunk, head, http, pieces  # noqa: E402
from plays.stage import HOLD, READ, RESET, Drip, Server, Wait, server  # noqa: E402

from graphmend.meaning import Endpoint, EndpointError, OptionError, Request  # noqa: E402

KEY = "sk-8c1f7e2a9b"
FORMS = ("blocking", "coroutine", "stream", "coroutine stream")
BIG = "x" * 8_000_000  # more than the buffers of a connection


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def ask(endpoint: Endpoint, form: str, text: str = "What is it?") -> str:
    request = Request([{"role": "user", "content": text}])

    async def stream() -> str:
        return "".join([piece async for piece in endpoint.stream_async(request)])

    if form == "blocking":
        return endpoint.send(request)
    if form == "stream":
        return "".join(endpoint.stream(request))
    return asyncio.run(endpoint.send_async(request) if form == "coroutine" else stream())


def at(stage: Server, scheme: str = "https", **options: Any) -> Endpoint:
    options = {"tries": 1, "timeout": 5.0, "deadline": 20.0, **options}
    return Endpoint("m", f"{scheme}://127.0.0.1:{stage.port}/v1", **options)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator["tuple[ssl.SSLContext, Path]"]:
    """A server's side of TLS, and the certificate of the authority behind it."""
    folder = tmp_path_factory.mktemp("authority")
    certificates.make(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "own.pem", folder / "own.key")
    yield context, folder / "ca.pem"


@pytest.mark.parametrize("form", FORMS)
def test_tls(form: str, authority: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    context, trusted = authority
    stream = "stream" in form
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with server([[READ, Drip(answer(stream), 0.0, 50), READ, answer(stream, "two"), HOLD]], context=context) as stage:
        with pytest.raises(EndpointError) as told:
            ask(at(stage, tries=3), form)
        assert told.value.kind == "unreachable" and isinstance(told.value.__cause__, ssl.SSLCertVerificationError)
        assert len(told.value.attempts) == 1  # a certificate does not get better
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        endpoint = at(stage)
        assert ask(endpoint, form) == TEXT
        if "coroutine" not in form:
            assert ask(endpoint, form) == "two"
            assert len(stage.requests) == 2 and stage.connections == 2
        endpoint.close()


class Proxy(threading.Thread):
    """Takes CONNECT, and hands bytes on."""

    def __init__(self, answer: bytes = b"HTTP/1.1 200 Connected\r\n\r\n") -> None:
        super().__init__(daemon=True)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._answer = answer
        self.port: int = self._listener.getsockname()[1]
        self.heads: list[bytes] = []
        self.start()

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._listener.accept()[0],), daemon=True).start()

    def _serve(self, taken: socket.socket) -> None:
        data = b""
        while b"\r\n\r\n" not in data:
            data += taken.recv(1 << 16)
        self.heads.append(data)
        taken.sendall(self._answer)
        host, port = data.split()[1].decode().rsplit(":", 1)
        with contextlib.closing(taken), contextlib.closing(socket.create_connection((host, int(port)))) as other:
            threading.Thread(target=self._hand_on, args=(other, taken), daemon=True).start()
            self._hand_on(taken, other)

    def _hand_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(1 << 16)
                if not data:
                    break
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()


@pytest.mark.parametrize("form", FORMS)
def test_a_tunnel_through_a_proxy(form: str, authority: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    context, trusted = authority
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("no_proxy", "")
    with contextlib.closing(Proxy()) as proxy:
        monkeypatch.setenv("https_proxy", f"http://ann:secret@127.0.0.1:{proxy.port}")
        with server([[READ, answer("stream" in form), HOLD]], context=context) as stage:
            endpoint = at(stage)
            assert ask(endpoint, form) == TEXT
            endpoint.close()
            assert proxy.heads[0].startswith(f"CONNECT 127.0.0.1:{stage.port} HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic YW5uOnNlY3JldA==" in proxy.heads[0] and KEY.encode() not in proxy.heads[0]
    assert b"Proxy-Authorization" not in stage.requests[0][0] and b"Bearer " + KEY.encode() in stage.requests[0][0]


@pytest.mark.parametrize("form", FORMS)
def test_a_proxy_that_refuses(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    for refusal in (head("content-length: 0", status=403), head("content-length: 0", status=407), b"SSH-2.0\r\n\r\n"):
        with server([[READ, refusal]]) as stage:
            monkeypatch.setenv("https_proxy", f"127.0.0.1:{stage.port}")
            with pytest.raises(EndpointError):
                ask(Endpoint("m", "https://example.test/v1", tries=1, deadline=5.0), form)
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:9")
    with pytest.raises(OptionError, match="no_proxy"):
        ask(Endpoint("m", "https://example.test/v1"), form)


def test_a_connection_of_tls_is_kept(authority: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    context, trusted = authority
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with server([[READ, answer(False), READ, answer(False, "two"), HOLD]], context=context) as stage:
        endpoint = at(stage)
        assert [ask(endpoint, "blocking"), ask(endpoint, "blocking")] == [TEXT, "two"]
        assert stage.connections == 1
        endpoint.close()


SILENCES: "dict[str, list[Any]]" = {
    "behind the handshake": [HOLD],
    "behind the request": [READ, HOLD],
    "in the headers": [READ, b"HTTP/1.1 200 OK\r\ncont", HOLD],
    "in the body": [READ, head("content-length: 300") + b"{", HOLD],
    "in drops": [READ, Drip(head("content-length: 3", "x-filler: " + "x" * 500))],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("silence", SILENCES)
def test_silences_over_tls_end_at_the_deadline(
    silence: str, form: str, authority: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, trusted = authority
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with server([SILENCES[silence]], context=context) as stage:
        with pytest.raises(EndpointError) as told:
            ask(at(stage, deadline=0.5, timeout=30.0), form, BIG if silence == "behind the handshake" else "What?")
    assert told.value.kind == "deadline"


@pytest.mark.parametrize("form", FORMS)
def test_a_refusal_over_tls_in_front_of_the_end_of_the_request(
    form: str, authority: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, trusted = authority
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with server([[Wait(0.2), http(b"too large", status=413), Wait(20.0)]], context=context) as stage:
        with pytest.raises(EndpointError) as told:
            ask(at(stage, timeout=10.0, deadline=10.0), form, BIG)
    assert (told.value.kind, told.value.status, told.value.words) == ("status", 413, "too large")


@pytest.mark.parametrize("form", FORMS)
def test_cuts_over_tls(form: str, authority: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    context, trusted = authority
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    half = STREAM + chunk(pieces("The ")) if "stream" in form else answer(False)[:-5]
    for steps, kind in (([READ], "unreachable"), ([READ, RESET], "unreachable"), ([READ, half], "cut short")):
        with server([steps], context=context) as stage:
            with pytest.raises(EndpointError) as told:
                ask(at(stage), form)
        assert told.value.kind == kind


class HttpProxy(Proxy):
    """Takes requests with whole addresses, and hands them on."""

    def _serve(self, taken: socket.socket) -> None:
        with contextlib.closing(taken):
            data = b""
            while b"\r\n\r\n" not in data:
                data += taken.recv(1 << 16)
            self.heads.append(data)
            line, _, rest = data.partition(b"\r\n")
            method, address, version = line.split()
            host, _, path = address.partition(b"://")[2].partition(b"/")
            name, _, port = host.decode().partition(":")
            with contextlib.closing(socket.create_connection((name, int(port)))) as other:
                other.sendall(b"%s /%s %s\r\n%s" % (method, path, version, rest))
                threading.Thread(target=self._hand_on, args=(other, taken), daemon=True).start()
                self._hand_on(taken, other)


@pytest.mark.parametrize("form", FORMS)
def test_a_proxy_for_http(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    stream = "stream" in form
    with contextlib.closing(HttpProxy()) as proxy:
        monkeypatch.setenv("http_proxy", f"http://ann:secret@127.0.0.1:{proxy.port}")
        with server([[READ, answer(stream), READ, answer(stream, "two"), HOLD]]) as stage:
            endpoint = at(stage, "http")
            assert ask(endpoint, form) == TEXT
            if "coroutine" not in form:
                assert ask(endpoint, form) == "two"
                assert stage.connections == 1
            endpoint.close()
            assert proxy.heads[0].startswith(f"POST http://127.0.0.1:{stage.port}/v1/chat".encode())
    assert b"Proxy-Authorization: Basic YW5uOnNlY3JldA==" in proxy.heads[0]


PROXIES: "dict[str, list[Any]]" = {
    "silence": [HOLD],
    "silence behind the question": [READ, HOLD],
    "an answer in drops": [READ, Drip(b"HTTP/1.1 200 OK\r\nx-filler: " + b"x" * 900)],
    "interim answers without end": [READ, Drip(head(status=100) * 1000, 0.01, 20)],
    "silence in the tunnel": [READ, b"HTTP/1.1 200 OK\r\n\r\n", HOLD],
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", PROXIES)
def test_proxies_that_are_silent_end_at_the_deadline(name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    with server([PROXIES[name]]) as stage:
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{stage.port}")
        with pytest.raises(EndpointError) as told:
            ask(Endpoint("m", "https://example.test/v1", deadline=0.4), form)
    assert told.value.kind == "deadline"


@pytest.mark.parametrize("form", FORMS)
def test_what_stands_behind_a_tunnel_s_answer_is_of_nobody(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "")
    with server([[READ, head() + answer("stream" in form), HOLD]]) as stage:
        monkeypatch.setenv("https_proxy", f"127.0.0.1:{stage.port}")
        with pytest.raises(EndpointError) as told:
            ask(Endpoint("m", "https://example.test/v1", deadline=5.0, tries=1), form)
    assert told.value.kind == "unreachable"
