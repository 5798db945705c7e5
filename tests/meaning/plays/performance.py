"""A client in a play: what it makes of each call, in each form."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
import time
from typing import Any, Callable, Optional

from plays.stage import Drip, Endless, Error, Play, Script, Server, Wait, Want, server

GUARD = 25.0  # seconds; a call that takes longer waits without end
SLOW = 5.0  # how much slower a play is performed again that may have failed for want of a processor
TIMES = {"pause": 0.01, "timeout": 5.0, "deadline": 20.0}  # options that are seconds, as they are where a play has none

Ask = Callable[[Play, str, str, Any], str]  # a play, a form, an address, what an endpoint is kept in: a text


@dataclasses.dataclass
class Outcome:
    """What a play ended with."""

    results: list[Any]  # texts and exceptions
    requests: int
    seconds: float  # as they are in the play
    over: bool


class Graphmend:
    """This package as a client."""

    errors: tuple[type[BaseException], ...]

    def __init__(self) -> None:
        from graphmend.meaning.errors import EndpointError

        self.errors = (EndpointError,)

    def start(self, play: Play, url: Any) -> Any:
        from graphmend.meaning import Endpoint

        return Endpoint("m", url, **{"key_variable": "NO_KEY", **TIMES, **play.options})

    def ask(self, play: Play, endpoint: Any, form: str) -> str:
        return _typed(play, endpoint, form) if play.group == "tools" else _plain(play, endpoint, form)

    async def ask_later(self, play: Play, endpoint: Any, form: str) -> str:
        return await (_typed_later if play.group == "tools" else _plain_later)(play, endpoint, form)

    def close(self, endpoint: Any) -> None:
        endpoint.close()

    def kind(self, error: Any) -> str:
        return str(error.kind)


def _request(play: Play) -> Any:
    from graphmend.meaning import Request

    return Request([{"role": "user", "content": play.prompt}])


def _plain(play: Play, endpoint: Any, form: str) -> str:
    return endpoint.send(_request(play)) if form == "blocking" else "".join(endpoint.stream(_request(play)))


async def _plain_later(play: Play, endpoint: Any, form: str) -> str:
    if form == "coroutine":
        return str(await endpoint.send_async(_request(play)))
    return "".join([piece async for piece in endpoint.stream_async(_request(play))])


class ToolsCalled(Exception):
    """An error behind the call of a tool."""


def _functions(endpoint: Any, made: list[str]) -> Any:
    from graphmend.meaning import by

    def measure(town: str = "") -> int:
        """Degrees in a town."""
        made.append(town)
        return 20

    @by(endpoint, tools=[measure])
    def forecast(town: str) -> str: ...

    @by(endpoint, tools=[measure])
    async def forecast_later(town: str) -> str: ...

    return forecast, forecast_later


def _typed(play: Play, endpoint: Any, form: str) -> str:
    made: list[str] = []
    forecast = _functions(endpoint, made)[0]
    try:
        text = forecast("Ulm") if form == "blocking" else list(forecast.stream("Ulm"))[-1]
    except Exception as error:
        if made:
            raise ToolsCalled(len(made)) from error
        raise
    return f"{len(made)} calls: {text}"


async def _typed_later(play: Play, endpoint: Any, form: str) -> str:
    made: list[str] = []
    forecast = _functions(endpoint, made)[1]
    try:
        if form == "coroutine":
            text = await forecast("Ulm")
        else:
            text = [value async for value in forecast.stream("Ulm")][-1]
    except Exception as error:
        if made:
            raise ToolsCalled(len(made)) from error
        raise
    return f"{len(made)} calls: {text}"


def _calls(client: Any, play: Play, form: str, url: Any, results: list[Any]) -> None:
    endpoint = None

    def keep(error: BaseException) -> None:
        results.append(error)

    try:
        endpoint = client.start(play, url)
    except Exception as error:
        keep(error)
        return
    try:
        if "coroutine" in form:
            asyncio.run(_calls_later(client, play, form, endpoint, results))
            return
        for number, _ in enumerate(play.wants):
            time.sleep(play.before if number else 0)
            try:
                results.append(client.ask(play, endpoint, form))
            except Exception as error:
                keep(error)
    finally:
        client.close(endpoint)


async def _calls_later(client: Any, play: Play, form: str, endpoint: Any, results: list[Any]) -> None:
    for number, _ in enumerate(play.wants):
        await asyncio.sleep(play.before if number else 0)
        try:
            results.append(await client.ask_later(play, endpoint, form))
        except Exception as error:
            results.append(error)


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < 1e6


def _slower(play: Play, factor: float) -> Play:
    """The same play in slow motion: what the server waits, and the times that the client has."""

    def step(made: Any) -> Any:
        if isinstance(made, Wait):
            return Wait(made.seconds * factor)
        if isinstance(made, (Drip, Endless)):
            return dataclasses.replace(made, pause=made.pause * factor)
        return made

    def script(stream: bool) -> Script:
        return [[step(made) for made in steps] for steps in play.script(stream)]

    options = {**TIMES, **play.options}
    options.update({name: options[name] * factor for name in TIMES if _is_time(options[name])})
    return dataclasses.replace(play, script=script, options=options, before=play.before * factor)


def perform(client: Any, play: Play, form: str, context: Any = None, factor: float = 1.0) -> Outcome:
    """Show a client to a play, `factor` times slower than it is written."""
    play = play if factor == 1.0 else _slower(play, factor)
    results: list[Any] = []
    script: Script = play.script("stream" in form)
    stage: Server
    with server(script, play.accepts, context) as stage:
        url = play.url.replace("{port}", str(stage.port)) if isinstance(play.url, str) else play.url
        thread = threading.Thread(target=_calls, args=(client, play, form, url, results), daemon=True)
        start = time.monotonic()
        thread.start()
        thread.join(GUARD * factor)
        seconds = (time.monotonic() - start) / factor
        return Outcome(results, len(stage.requests), seconds, not thread.is_alive())


def _holds(client: Any, want: Want, result: Any, kinds: bool) -> bool:
    if isinstance(result, str):
        return result in want
    if not isinstance(result, client.errors):
        return False
    errors = [each for each in want if isinstance(each, Error)]
    if not kinds:
        return bool(errors)
    return any(not each.kinds or each.kinds == ("no call",) or client.kind(result) in each.kinds for each in errors)


def problem(client: Any, play: Play, outcome: Outcome, kinds: bool = True) -> Optional[str]:
    """What is wrong with an outcome; None where nothing is. `kinds` says whether errors have to be of the right one."""
    if not outcome.over:
        return "it waits without end"
    deadline = play.options.get("deadline")
    if play.own and isinstance(deadline, float) and 0 < deadline < 1 and outcome.seconds > deadline + 5:
        return f"it took {outcome.seconds:.1f} seconds"
    if len(outcome.results) != len(play.wants) and not isinstance(outcome.results[0], client.errors):
        return f"results: {outcome.results!r}"[:300]
    for want, result in zip(play.wants, outcome.results):
        if not _holds(client, want, result, kinds):
            told = f"{type(result).__name__}: {result}" if isinstance(result, BaseException) else repr(result)
            return f"wanted {str(want)[:100]}, got {told[:200]}"
    if play.requests is not None and outcome.requests != play.requests and kinds:
        return f"wanted {play.requests} requests, got {outcome.requests}"
    return None


def _invented(play: Play, outcome: Outcome) -> bool:
    """Whether a call gave a text that it must not give, which no want of time explains."""
    return any(isinstance(result, str) and result not in want for want, result in zip(play.wants, outcome.results))


def settled(client: Any, play: Play, form: str, kinds: bool = True) -> Optional[str]:
    """What is wrong with a client in a play. A machine that is busy with other work makes times too short; so a play
    that fails is performed again in slow motion. Two faults stay: a text, and, of a peer, an answer that it reads for
    ever, because its memory grows."""
    outcome = perform(client, play, form)
    wrong = problem(client, play, outcome, kinds)
    endless = play.group == "costs" and not outcome.over and not isinstance(client, Graphmend)
    if wrong is None or endless or _invented(play, outcome):
        return wrong
    return problem(client, play, perform(client, play, form, factor=SLOW), kinds)
