"""Bare exceptions: whatever the address, the options or the answer, errors are of one type."""

from __future__ import annotations

from typing import Any

from plays.protocol import answer
from plays.stage import HOLD, READ, Error, Play


def _bad(name: str, *, url: str = "http://127.0.0.1:{port}/v1", **options: Any) -> Play:
    """Refused at construction."""
    return Play("options", name, lambda stream: [], [(Error("option"),)], options, url=url, requests=0, own=True)


def _lost(name: str, url: str) -> Play:
    """An address that is right, where nobody is."""
    return Play("options", name, lambda stream: [], [(Error("unreachable"),)], {"tries": 1, "deadline": 5.0}, url=url)


PLAYS = [
    *(
        _bad(f"the address {url!r}", url=url)
        for url in (
            "",
            "127.0.0.1",
            "localhost:8000/v1",
            "ftp://127.0.0.1/v1",
            "http://",
            "http:///v1",
            "http://127.0.0.1:99999/v1",
            "http://127.0.0.1:abc/v1",
            "http://127.0.0.1:-1/v1",
            "http://[::1/v1",
            "http://a b/v1",
            "http://127.0.0.1/v1\r\nx: y",
            "http://127.0.0.1/a b",
            "http://127.0.0.1/v1?x=1",
            "http://127.0.0.1/v1#x",
            "http://" + "a" * 300 + "/v1",
            "http://a..b/v1",
        )
    ),
    _bad("an address that is none", url=None),  # type: ignore[arg-type]
    _bad("a negative timeout", timeout=-1),
    _bad("a timeout of nothing", timeout=0),
    _bad("a timeout that is a text", timeout="5"),
    _bad("a timeout that is no number", timeout=float("nan")),
    _bad("no timeout", timeout=None),
    _bad("a negative deadline", deadline=-1),
    _bad("a deadline without end", deadline=float("inf")),
    _bad("a deadline that is true", deadline=True),
    _bad("no tries", tries=0),
    _bad("tries that are a fraction", tries=1.5),
    _bad("a negative pause", pause=-1),
    _bad("a pause that is no number", pause=float("nan")),
    _bad("negative retries", retries=-1),
    _bad("a budget that is a text", max_tokens_spent="5"),
    _bad("a negative budget", max_tokens_spent=-5),
    _bad("a callback that is none", on_event="print"),
    _bad("a cache that is none", cache=3),
    _bad("an option that JSON does not have", temperature=object()),
    _bad("an option that is no number", temperature=float("nan")),
    _bad("an option that is written by the client", stream=True),
    _bad("a switch that is a text", schema="no"),
    _bad("a switch that is a number", insecure=1),
    _bad("choices that are true", n=True),
    _bad("an address with a backslash", url="http://127.0.0.1\\@example.test/v1"),
    _bad("an address that starts with a point", url="http://.example.test/v1"),
    _bad("messages as an option", messages=[]),
    _bad("several choices", n=2),
    _bad("a limit of nothing", max_answer_bytes=0),
    _bad("a key's variable that is none", key_variable=""),
    _lost("nobody there", "http://127.0.0.1:1/v1"),
    _lost("nobody there over TLS", "https://127.0.0.1:1/v1"),
    _lost("a name that does not exist", "http://nowhere.invalid/v1"),
    Play(
        "options",
        "TLS to a server that has none",
        lambda stream: [[READ, answer(stream)]],
        [(Error(),)],
        {"tries": 1, "timeout": 0.5},
        url="https://127.0.0.1:{port}/v1",
    ),
    Play(
        "options",
        "an address with a slash at its end",
        lambda stream: [[READ, answer(stream), HOLD]],
        [("The answer is 42.",)],
        url="http://127.0.0.1:{port}/v1/",
    ),
    Play(
        "options",
        "an address with a name",
        lambda stream: [[READ, answer(stream), HOLD]],
        [("The answer is 42.",)],
        url="http://localhost:{port}",
    ),
    Play(
        "options",
        "a question with lone surrogates",
        lambda stream: [[READ, answer(stream), HOLD]],
        [("The answer is 42.", Error())],
        prompt="\ud800",
    ),
]
