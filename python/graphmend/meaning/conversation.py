"""What is said between a function and a model, without saying how: questions, tools that the model asks for, and
answers that cannot be read.

A conversation is a generator. It yields what it waits for, a Request or a Run, and is sent the answer or the result;
what it returns is the value. `hold` and `hold_async` are the two ways to go through with one.
"""

from __future__ import annotations

import inspect
from collections.abc import Generator
from typing import Any, Callable, Optional, Union

from graphmend.meaning.errors import CallError, ReadError
from graphmend.meaning.model import Message, Model, Request, Scored, ToolCall


class Run:
    """A function of the program's that is to be called."""

    __slots__ = ("function", "keywords", "positional")

    def __init__(self, function: Callable[..., Any], positional: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.function = function
        self.positional = positional
        self.keywords = keywords

    def __call__(self) -> Any:
        return self.function(*self.positional, **self.keywords)


Conversation = Generator[Union[Request, Run], Any, Any]


def _next(conversation: Conversation, result: Any) -> Union[Request, Run, tuple[Any]]:
    """What comes next; the value, in a tuple, at the end."""
    try:
        return conversation.send(result)
    except StopIteration as end:
        return (end.value,)


def hold(model: Model, conversation: Conversation) -> Any:
    """Go through with a conversation."""
    step = _next(conversation, None)
    while not isinstance(step, tuple):
        if isinstance(step, Request):
            result: Any = model.send_scored(step)
        else:
            result = step()
            if inspect.iscoroutine(result):
                result.close()
                name = getattr(step.function, "__name__", step.function)
                raise CallError(f"the tool {name} is a coroutine, and the function that has it is none")
        step = _next(conversation, result)
    return step[0]


async def hold_async(model: Model, conversation: Conversation) -> Any:
    """The same without blocking; tools may be coroutines."""
    step = _next(conversation, None)
    while not isinstance(step, tuple):
        result: Any = await model.send_scored_async(step) if isinstance(step, Request) else step()
        step = _next(conversation, await result if inspect.isawaitable(result) else result)
    return step[0]


def _with(request: Request, *more: Message) -> Request:
    return Request([*request.messages, *more], request.schema, request.name, request.tools, request.scored)


def _again(request: Request, answer: str, error: ReadError) -> Request:
    """The same question with what was wrong with the answer."""
    words = f"This answer cannot be read ({error}). Answer again, completely and in the form asked for."
    return _with(request, {"role": "assistant", "content": answer}, {"role": "user", "content": words})


def _asked_for(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _use(call: ToolCall, tools: dict[str, Any]) -> Generator[Run, Any, Message]:
    """The message with what a tool gives. A call that cannot be read is told to the model; what goes wrong inside of
    a tool is the program's."""
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


def ask(
    model: Model,
    request: Request,
    read: Callable[[Scored], Any],
    tools: Optional[dict[str, Any]] = None,
    rounds: int = 8,
    tell: bool = True,
) -> Conversation:
    """Ask until there is an answer that can be read. Tools are run up to `rounds` times in between; `tell` says
    whether the model is told what was wrong with an answer."""
    attempts: list[tuple[str, ReadError]] = []
    used = 0
    while True:
        answer: Scored = yield request
        if answer.calls:
            if used == rounds:
                raise CallError(f"{request.name}: the model still asks for tools after {rounds} rounds", attempts)
            used += 1
            calls = [_asked_for(call) for call in answer.calls]
            messages: list[Message] = [{"role": "assistant", "content": answer.text or None, "tool_calls": calls}]
            for call in answer.calls:
                messages.append((yield from _use(call, tools or {})))
            request = _with(request, *messages)
            continue
        try:
            return read(answer)
        except ReadError as error:
            attempts.append((answer.text, error))
            if len(attempts) > model.retries:
                words = f"{request.name}: no answer that can be read in {len(attempts)} attempts: {error}"
                raise CallError(words, attempts) from error
            request = _again(request, answer.text, error) if tell else request
