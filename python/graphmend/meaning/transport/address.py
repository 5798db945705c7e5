"""Addresses of posts: the endpoint, a proxy in front of it, the places of its name, and the authorities for TLS."""

from __future__ import annotations

import ipaddress
import queue
import re
import socket
import ssl
import threading
import urllib.parse
import urllib.request
from typing import Any, Callable, Optional

from graphmend import __version__
from graphmend.meaning.errors import OptionError
from graphmend.meaning.secret import Secret, basic
from graphmend.meaning.transport.clock import Clock, Late

Place = tuple[Any, Any]  # a family of addresses, and an address
_EXAMPLE = "write an address such as 'https://api.example.com/v1' or 'http://localhost:8000/v1'"


def _bad(url: Any, problem: str) -> OptionError:
    return OptionError(f"the address of the endpoint {problem}: {_EXAMPLE}")


class Target:
    """An address of HTTP in its parts."""

    def __init__(self, url: Any, what: str = "") -> None:
        if not isinstance(url, str):
            raise _bad(url, "is no text")
        if not url.isprintable() or " " in url or "\\" in url:
            raise _bad(url, "has spaces or characters that no address has")
        try:
            parts = urllib.parse.urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise _bad(url, f"cannot be read ({error})") from None
        if parts.scheme not in ("http", "https"):
            raise _bad(url, "does not start with http:// or https://")
        if parts.query or parts.fragment:
            raise _bad(url, "has a query or a fragment")
        self.tls = parts.scheme == "https"
        self.host = _host(parts.hostname, url)
        self.port = port if port is not None else (443 if self.tls else 80)
        if not 0 < self.port < 65536:
            raise _bad(url, "has no right port")
        self.user = basic(_unquoted(parts.username), _unquoted(parts.password)) if parts.username else Secret("")
        self.password = Secret(_unquoted(parts.password))
        shown_host = f"[{self.host}]" if ":" in self.host else self.host
        self.netloc = shown_host if port is None else f"{shown_host}:{port}"
        self.path = urllib.parse.quote(parts.path.rstrip("/"), safe="/%:@!$&'()*+,;=~-._")
        self.url = f"{parts.scheme}://{self.netloc}{self.path}"

    def is_loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost" or self.host.endswith(".localhost")


def _unquoted(text: Optional[str]) -> str:
    return urllib.parse.unquote(text or "")


def _host(name: Optional[str], url: str) -> str:
    if not name:
        raise _bad(url, "names no host")
    try:
        encoded = name if ":" in name else name.encode("idna").decode()
        if ":" in name:
            ipaddress.ip_address(name)
    except ValueError as error:
        raise _bad(url, f"has no right host ({error})") from None
    if not re.fullmatch(r"[A-Za-z0-9_:-][A-Za-z0-9._:-]*", encoded):
        raise _bad(url, "has no right host")
    return encoded


class Address:
    """The address of an endpoint, and the start of its posts."""

    def __init__(self, target: Target, path: str) -> None:
        self.target = target
        self.proxy = _proxy_of(target)
        self.tunnel = self.proxy is not None and target.tls
        self.next = self.proxy or target  # what connections are made to
        whole = f"{target.url}{path}" if self.proxy and not target.tls else f"{target.path}{path}"
        lines = [
            f"POST {whole} HTTP/1.1",
            f"Host: {target.netloc}",
            "Content-Type: application/json",
            "Accept-Encoding: gzip, deflate",
            f"User-Agent: graphmend/{__version__}",
        ]
        self._start = "\r\n".join(lines).encode()
        self._proxy_user = self.proxy.user if self.proxy else Secret("")
        self._context: Optional[ssl.SSLContext] = None

    def post(self, body: bytes, secret: Secret) -> "Post":
        """A post with the secret line of its header."""
        user = self._proxy_user.headers("Proxy-Authorization", "Basic") if not self.tunnel else Secret("")
        start = b"%s\r\nContent-Length: %d\r\n" % (self._start, len(body))
        return Post([(start, user), (b"", secret), (b"\r\n" + body, Secret(""))])

    def tunnelling(self) -> "Post":
        """The request for a tunnel through a proxy."""
        place = f"{self.target.netloc}" if ":" in self.target.netloc else f"{self.target.host}:{self.target.port}"
        start = f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n".encode()
        user = self._proxy_user.headers("Proxy-Authorization", "Basic")
        return Post([(start, user), (b"\r\n", Secret(""))])

    def context(self) -> ssl.SSLContext:
        """The authorities for TLS: SSL_CERT_FILE and SSL_CERT_DIR, else the authorities of certifi or the system."""
        if self._context is None:
            self._context = ssl.create_default_context(cafile=_authorities())
            self._context.set_alpn_protocols(["http/1.1"])
        return self._context


class Post:
    """The bytes of a request, some of which nobody is to see."""

    __slots__ = ("_parts",)

    def __init__(self, parts: "list[tuple[bytes, Secret]]") -> None:
        self._parts = parts

    def view(self) -> memoryview:
        return memoryview(b"".join([secret.within(before, b"") for before, secret in self._parts]))


def _authorities() -> Optional[str]:
    import os

    if os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR"):
        return None
    try:
        import certifi
    except ImportError:
        return None
    return str(certifi.where())


def _proxy_of(target: Target) -> Optional[Target]:
    """The proxy for an address, from the environment."""
    proxies = urllib.request.getproxies()
    url = proxies.get("https" if target.tls else "http") or proxies.get("all")
    if not url or urllib.request.proxy_bypass(target.netloc):
        return None
    url = url if "://" in url else f"http://{url}"
    if not url.lower().startswith("http://"):
        raise OptionError(
            "the environment names a proxy of another kind than http://: write one, or the host in no_proxy"
        )
    return Target(url)


# Names are looked up in a thread: the system's call has no end of its own.


def _numeric(host: str, port: int) -> "list[Place]":
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            socket.inet_pton(family, host)
        except OSError:
            continue
        return [(family, (host, port))]
    return []


def _look_up(host: str, port: int, give: Callable[[Any], None]) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        give([(family, place) for family, _, _, _, place in found])
    except BaseException as error:  # it belongs to the thread that waits
        give(error)


def looking_up(target: Target, give: Callable[[Any], None]) -> "list[Place]":
    """The places of a target with a number as host; otherwise a thread looks the name up, and calls `give` with the
    places or an error.
    """
    found = _numeric(target.host, target.port)
    if not found:
        given = (target.host, target.port, give)
        threading.Thread(target=_look_up, args=given, daemon=True, name="graphmend name").start()
    return found


def places_of(target: Target, clock: Clock) -> "list[Place]":
    """The places of a target; Late where the name takes too long."""
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    found = looking_up(target, waiting.put)
    if found:
        return found
    try:
        result = waiting.get(timeout=max(0.0, clock.left()))
    except queue.Empty:
        raise Late from None
    if isinstance(result, BaseException):
        raise result
    return list(result)
