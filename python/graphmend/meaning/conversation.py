"""The conversation between a function and a model, apart from input and output: questions, requested tools, and
unreadable answers.

A conversation is a generator. The generator yields a Request or a Run, receives the answer or the result, and returns
the value. `hold` and `hold_async` are the two ways to run a conversation.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator, Sequence
from typing import Any, Callable, Optional, Union

from graphmend.meaning.errors import CallError, EndpointError, ReadError
from graphmend.meaning.model import Message, Model, Request, Scored, ToolCall


class Run:
    """A call of a function of the program, requested by a model."""

    __slots__ = ("function", "keywords", "positional")

    def __init__(self, function: Callable[..., Any], positional: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.function = function
        self.positional = positional
        self.keywords = keywords

    def __call__(self) -> Any:
        return self.function(*self.positional, **self.keywords)


Conversation = Generator[Union[Request, Run], Any, Any]


def next_step(conversation: Conversation, result: Any) -> Union[Request, Run, tuple[Any]]:
    """The next step of a conversation; the value, in a tuple, at the end."""
    try:
        return conversation.send(result)
    except StopIteration as end:
        return (end.value,)


def run_now(run: Run, clock: Any = None) -> Any:
    """The result of a tool without `await`. The clock does not end a running tool."""
    if clock is not None:
        clock.check()
    result = run()
    if inspect.iscoroutine(result):
        result.close()
        name = getattr(run.function, "__name__", run.function)
        raise CallError(f"the tool {name} is a coroutine, and the function that has it is none")
    return result


async def run_later(run: Run, clock: Any = None) -> Any:
    """The result of a tool; a coroutine is awaited, and ended by the clock."""
    if clock is not None:
        clock.check()
    result = run()
    if not inspect.isawaitable(result):
        return result
    return await (result if clock is None else clock.within(result))


def hold(model: Model, conversation: Conversation) -> Any:
    """Go through with a conversation."""
    clock = model.clock()
    step = next_step(conversation, None)
    while not isinstance(step, tuple):
        if isinstance(step, Request):
            step.clock = clock
            result: Any = model.send_scored(step)
        else:
            result = run_now(step, clock)
        step = next_step(conversation, result)
    return step[0]


async def hold_async(model: Model, conversation: Conversation) -> Any:
    """The same without blocking; tools may be coroutines."""
    clock = model.clock()
    step = next_step(conversation, None)
    while not isinstance(step, tuple):
        if isinstance(step, Request):
            step.clock = clock
            result: Any = await model.send_scored_async(step)
        else:
            result = await run_later(step, clock)
        step = next_step(conversation, result)
    return step[0]


def _with(request: Request, *more: Message) -> Request:
    return Request([*request.messages, *more], request.schema, request.name, request.tools, request.scored)


def _again(request: Request, answer: str, error: ReadError) -> Request:
    """The same question, with the error in the previous answer."""
    words = f"This answer cannot be read ({error}). Answer again, completely and in the form asked for."
    return _with(request, {"role": "assistant", "content": answer}, {"role": "user", "content": words})


def _asked_for(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _use(call: ToolCall, tools: dict[str, Any]) -> Generator[Run, Any, Message]:
    """The message with the result of a tool. The model learns of unreadable calls; exceptions inside of a tool belong
    to the program.
    """
    tool = tools.get(call.name)
    if tool is None:
        text = f"There is no tool {call.name}; there are: {', '.join(tools)}."
    else:
        try:
            run = tool.run(call.arguments)
        except ReadError as error:
            text = f"The arguments cannot be read ({error})."
        else:
            text = tool.text((yield run))
    return {"role": "tool", "tool_call_id": call.id, "content": text}


def _after(request: Request, answer: Scored, tools: dict[str, Any]) -> Generator[Run, Any, Request]:
    """The question again, with the results of the tools requested by an answer."""
    calls = [_asked_for(call) for call in answer.calls]
    messages: list[Message] = [{"role": "assistant", "content": answer.text or None, "tool_calls": calls}]
    for call in answer.calls:
        messages.append((yield from _use(call, tools)))
    return _with(request, *messages)


class _Rounds:
    """How often tools have been used in a conversation."""

    def __init__(self, model: Model, rounds: int) -> None:
        self._rounds = rounds
        self._max_calls = model.max_calls
        self._used = 0
        self._calls = 0

    def check(self, request: Request, answer: Scored, attempts: Sequence[Any] = ()) -> None:
        """Raise where an answer wants more than there may be; then none of its calls is made."""
        self._used += 1
        self._calls += len(answer.calls)
        if self._used > self._rounds:
            words = f"{request.name}: the model still asks for tools after {self._rounds} rounds"
            raise CallError(words, list(attempts))
        if self._calls > self._max_calls:
            words = (
                f"{request.name}: the model asks for {self._calls} calls of tools, and {self._max_calls} may be made"
            )
            raise EndpointError("limit", f"{words} (max_calls)")


def use_tools(model: Model, request: Request, tools: dict[str, Any], rounds: int) -> Conversation:
    """Ask until an answer wants no more tools; who holds the conversation knows that answer."""
    used = _Rounds(model, rounds)
    while True:
        answer: Scored = yield request
        if not answer.calls:
            return
        used.check(request, answer)
        request = yield from _after(request, answer, tools)


def ask(
    model: Model,
    request: Request,
    read: Callable[[Scored], Any],
    tools: Optional[dict[str, Any]] = None,
    rounds: int = 8,
    tell: bool = True,
) -> Conversation:
    """Ask until an answer can be read. Tools run in up to `rounds` rounds in between; `tell` says whether the model is
    told the error in its answer.
    """
    attempts: list[tuple[str, ReadError]] = []
    used = _Rounds(model, rounds)
    while True:
        answer: Scored = yield request
        if answer.calls:
            used.check(request, answer, attempts)
            request = yield from _after(request, answer, tools or {})
            continue
        try:
            return read(answer)
        except ReadError as error:
            attempts.append((answer.text, error))
            if len(attempts) > model.retries:
                words = f"{request.name}: no answer that can be read in {len(attempts)} attempts: {error}"
                raise CallError(words, attempts) from error
            request = _again(request, answer.text, error) if tell else request
