"""Real servers, where they are installed: `make servers` installs and asks them."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("h11")

import certificates  # noqa: E402
from servers import processes  # noqa: E402

from graphmend.meaning import Endpoint, EndpointError, Request, by  # noqa: E402

FORMS = ("blocking", "coroutine", "stream", "coroutine stream")
ECHOES = ("uvicorn", "uvicorn_h11", "hypercorn", "hypercorn_tls", "granian", "litellm")
QUESTIONS = (
    "What is it?",
    "Grüße, 世界 👋 \u2028",
    "  two  \n\n lines\t",
    '"quotes" \\ and {braces}',
    " ".join(map(str, range(2_000))),
)


@pytest.fixture(autouse=True, scope="module")
def _environment() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            patch.delenv(name, raising=False)
        patch.setenv("OPENAI_API_KEY", processes.KEY)
        yield


def needs(*modules: str) -> None:
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"ALOUD: real servers: {', '.join(missing)} not installed (make servers)")


def ask(endpoint: Endpoint, form: str, text: str) -> str:
    return asyncio.run(ask_later(endpoint, form, text)) if "coroutine" in form else ask_now(endpoint, form, text)


def ask_now(endpoint: Endpoint, form: str, text: str) -> str:
    request = Request([{"role": "user", "content": text}])
    return endpoint.send(request) if form == "blocking" else "".join(endpoint.stream(request))


async def ask_later(endpoint: Endpoint, form: str, text: str) -> str:
    request = Request([{"role": "user", "content": text}])
    if form == "coroutine":
        return await endpoint.send_async(request)
    return "".join([piece async for piece in endpoint.stream_async(request)])


@contextlib.contextmanager
def started(name: str, folder: Path) -> Iterator[str]:
    """A server; its address."""
    needs(name.partition("_")[0])
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        port = processes.free_port()
        if name == "litellm":
            needs("uvicorn")
            behind = processes.free_port()
            stack.enter_context(processes.running(processes.uvicorn(behind, folder), behind, folder))
            words = processes.litellm(port, folder, behind)
        else:
            if name.endswith("tls"):
                certificates.make(folder)
                patch.setenv("SSL_CERT_FILE", str(folder / "ca.pem"))
            words = getattr(processes, name)(port, folder)
        stack.enter_context(processes.running(words, port, folder))
        yield f"{'https' if name.endswith('tls') else 'http'}://127.0.0.1:{port}/v1"


@pytest.fixture(scope="module", params=ECHOES)
def echo(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """An endpoint that answers what it is asked."""
    with started(request.param, tmp_path_factory.mktemp(request.param)) as url:
        made = Endpoint("m", url, timeout=60.0)
        yield made
        made.close()


@pytest.mark.parametrize("form", FORMS)
def test_what_is_asked_is_answered(echo: Endpoint, form: str) -> None:
    for question in QUESTIONS:
        assert ask(echo, form, question) == question


@pytest.mark.parametrize("form", FORMS)
def test_each_of_many_questions_has_its_own_answer(echo: Endpoint, form: str) -> None:
    questions = [f"question {number} " * (number % 9) + "." for number in range(120)]

    async def all_later() -> "list[str]":
        return list(await asyncio.gather(*(ask_later(echo, form, question) for question in questions)))

    if "coroutine" in form:
        assert asyncio.run(all_later()) == questions
        return
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda question: ask_now(echo, form, question), questions)) == questions


@pytest.mark.parametrize("form", FORMS)
def test_a_refusal_has_its_status_and_words(echo: Endpoint, form: str) -> None:
    with pytest.raises(EndpointError) as told:
        ask(echo, form, "404")
    assert (told.value.kind, told.value.status) == ("status", 404) and "refused: 404" in told.value.words
    assert ask(echo, form, "once more") == "once more"


def test_a_typed_call(echo: Endpoint) -> None:
    @by(echo)
    def repeat(words: str) -> str: ...

    assert "Saturn" in repeat("Saturn")


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    needs("proxy")
    folder, port = tmp_path_factory.mktemp("proxy"), processes.free_port()
    with processes.running(processes.proxy(port, folder), port, folder):
        yield f"http://127.0.0.1:{port}"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["uvicorn", "hypercorn_tls"])
def test_a_real_proxy(name: str, form: str, proxied: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, proxied)
    monkeypatch.setenv("no_proxy", "")
    with started(name, tmp_path) as url:
        endpoint = Endpoint("m", url, timeout=60.0)
        for question in QUESTIONS:
            assert ask(endpoint, form, question) == question
        endpoint.close()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator["tuple[str, str]"]:
    """The address of a real model, and its name."""
    needs("transformers", "uvicorn", "fastapi", "openai", "accelerate")
    folder, port = tmp_path_factory.mktemp("tiny"), processes.free_port()
    with processes.running(processes.tiny_model(port, folder), port, folder):
        yield f"http://127.0.0.1:{port}/v1", str(folder / "model")


@pytest.mark.parametrize("form", FORMS)
def test_a_real_model_says_the_same_in_all_forms(model: "tuple[str, str]", form: str) -> None:
    url, name = model
    endpoint = Endpoint(name, url, timeout=60.0)
    for question in ("word5 word6", "word9", "word1 word2 word3", "word60"):
        asked = {"model": name, "messages": [{"role": "user", "content": question}]}
        headers = {"content-type": "application/json"}
        sent = urllib.request.Request(f"{url}/chat/completions", json.dumps(asked).encode(), headers)
        with urllib.request.urlopen(sent, timeout=60) as response:
            said = json.load(response)["choices"][0]["message"]["content"]
        assert said and ask(endpoint, form, question) == said
    endpoint.close()
