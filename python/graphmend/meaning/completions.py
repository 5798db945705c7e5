"""Chat completions, whole and as events: the text, the calls of tools, and the end as the server reports the end.

An answer counts with a reason for its end from the server, and without a failure anywhere. Both readers take bytes by
`feed`, which returns pieces of text, and return the answer by `finish` behind the last byte.
"""

from __future__ import annotations

import io
from typing import Any, Optional

from graphmend.meaning.alike import Ends, ends_of, plain
from graphmend.meaning.errors import EndpointError
from graphmend.meaning.failures import (
    MAX_SHOWN,
    OF_MESSAGES,
    check_call,
    check_choice,
    check_completion,
    check_message,
    check_rest,
    failure,
    is_state_of_failure,
    shown,
)
from graphmend.meaning.model import Scored, ToolCall
from graphmend.meaning.strict_json import decode, load, load_text, not_json, unreadable
from graphmend.meaning.transport.events import Event, EventReader

ENDS = {"stop", "eos", "eos_token", "stop_sequence"}  # of a text, as servers call it
CHANCES = 16  # events that are looked at for the next to be like them, before one is
CALLS = {"tool_calls", "function_call"}
KEPT_ALIVE = {"ping", "heartbeat", "keepalive", "keep-alive"}  # events without meaning
MAX_IDS = 1000  # of events that are remembered


def _no_completion(value: Any, problem: str) -> EndpointError:
    words = shown(value)
    error = unreadable(f"{problem}: {words[:100]}")
    error.words = words
    return error


def choice_of(value: Any) -> Optional[dict[str, Any]]:
    """The one choice of a completion, or of a part of a completion; None where there is none."""
    if not isinstance(value, dict):
        raise _no_completion(value, "it is no object")
    choices = value.get("choices")
    check_completion(value)
    if not isinstance(choices, list):
        check_rest(value)
        if choices is None and ("choices" in value or isinstance(value.get("usage"), dict)):
            return None
        raise _no_completion(value, "there are no choices in it")
    if not choices:
        check_rest(value)
        return None
    if len(choices) > 1:
        raise EndpointError("protocol", "the endpoint gives several answers to one question")
    choice = choices[0]
    if not isinstance(choice, dict):
        raise unreadable("a choice is no object")
    check_choice(choice)
    return choice


def check_reason(reason: Any) -> None:
    """Raise where the reason for the end of an answer is no complete end."""
    if isinstance(reason, str) and (reason in ENDS or reason in CALLS):
        return
    if reason == "error":
        raise EndpointError("status", "the endpoint says that it failed (finish_reason error)", again=True)
    if reason is None:
        words = "the endpoint does not say that its answer is whole (no finish_reason)"
        raise EndpointError("cut short", words, again=True)
    raise EndpointError("cut short", f"the endpoint cut the answer short ({reason})")


def _refuse(refusal: Any) -> None:
    if refusal:
        raise EndpointError("refused", f"the model refuses: {refusal}", words=str(refusal))


def _look_at(message: dict[str, Any]) -> None:
    """Raise where a message, or a part of a message, tells a failure or has members unknown to this reader."""
    check_message(message)
    if message.get("function_call"):
        raise unreadable("it calls a function by function_call, and tools were offered")


def check_calls(reason: Any, calls: list[ToolCall]) -> None:
    if reason in CALLS and not calls:
        raise unreadable(f"it ends by {reason}, and there are none")


def _no_text() -> EndpointError:
    return EndpointError("protocol", "the endpoint's answer has no text")


def _tool_call(call: Any) -> ToolCall:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise unreadable("a call of a tool has no function")
    check_call(call)
    name, arguments = function.get("name"), function.get("arguments")
    if not isinstance(name, str) or not name or not isinstance(arguments, str):
        raise unreadable("a call of a tool has no name, or no arguments")
    return ToolCall(name, arguments, str(call.get("id") or "call"))


def _list_of(value: Any) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise unreadable("the calls of tools are no list")
    return value


def _logprobs(choice: dict[str, Any]) -> Optional[list[dict[str, float]]]:
    """For every token of the answer the likely ones with their logarithmic probabilities; None where there are none."""
    try:
        content = choice["logprobs"]["content"]
        return [{top["token"]: float(top["logprob"]) for top in token["top_logprobs"]} for token in content]
    except (LookupError, TypeError, ValueError):
        return None


class WholeReader:
    """A completion in one object."""

    done = False  # no byte of it may be missing
    behind = False
    begun = False  # nothing is given before it is whole
    problem: Optional[EndpointError] = None

    def __init__(self) -> None:
        self._body = bytearray()
        self.usage: Any = None
        self.received = ""

    def feed(self, data: bytes) -> list[str]:
        self._body += data
        return []

    def finish(self) -> Scored:
        value = self._value()
        choice = choice_of(value)
        self.usage = value.get("usage")
        if choice is None:
            raise _no_completion(value, "it has no choice")
        return self._read(choice)

    def _value(self) -> Any:
        """The value of the body. At most the text of the body and the value are in memory at the same time."""
        body, self._body = self._body, bytearray()
        if not body:
            raise unreadable("it is empty")
        try:
            text = body.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise not_json(body[:MAX_SHOWN].decode("utf-8", "replace"), "it", error) from error
        del body
        return load_text(text, "it")

    def _read(self, choice: dict[str, Any]) -> Scored:
        message = choice.get("message")
        if not isinstance(message, dict):
            raise unreadable("there is no message")
        _look_at(message)
        text = message.get("content")
        self.received = text if isinstance(text, str) else ""
        _refuse(message.get("refusal"))
        reason = choice.get("finish_reason")
        check_reason(reason)
        calls = [_tool_call(call) for call in _list_of(message.get("tool_calls"))]
        check_calls(reason, calls)
        if not isinstance(text, str) and not (text is None and calls):
            raise _no_text()
        return Scored(text or "", _logprobs(choice), calls)


def paired(text: str) -> str:
    """A text with characters in place of the surrogate pairs from JSON escapes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


class _Call:
    """The call of a tool, growing by pieces."""

    def __init__(self) -> None:
        self.id: Any = None
        self._parts: dict[str, list[str]] = {"name": [], "arguments": []}

    def add(self, piece: dict[str, Any], function: dict[str, Any]) -> None:
        check_call(piece)
        made = piece.get("id")
        if made and self.id and made != self.id and function.get("name") and self._parts["name"]:
            raise unreadable("two calls of tools have one number")
        self.id = made or self.id
        for name, parts in self._parts.items():
            part = function.get(name)
            if isinstance(part, str):
                parts.append(part)
            elif part is not None:
                raise unreadable(f"the {name} of a call of a tool is no text")

    def whole(self) -> ToolCall:
        function = {name: paired("".join(parts)) for name, parts in self._parts.items() if parts}
        return _tool_call({"id": self.id, "function": function})


class StreamReader:
    """A completion in events."""

    def __init__(self, max_line: int) -> None:
        self._events = EventReader(max_line)
        self._start = bytearray()  # the body as long as it has no events, or all of it where it is one object
        self._as_whole: Optional[WholeReader] = None
        self._text = io.StringIO()
        self._calls: dict[int, _Call] = {}
        self._last = -1  # the number of the call that the last piece belongs to
        self._index: Any = None
        self._id: Any = None
        self._ids: set[str] = set()  # those in front of it
        self._steady = False  # whether two events had this id: some servers have one for each event
        self._half = ""  # half of a character that two pieces have in UTF-16
        self._ends: Optional[Ends] = None  # of the last event, where the next may be like it
        self._chances = CHANCES
        self._empty = False  # whether a piece of the text was there, with nothing in it
        self._reason: Any = None
        self._seen = False  # whether there was an event
        self.done = False  # whether there was [DONE]
        self.behind = False  # whether an event stands behind it
        self.begun = False  # whether text has been given, which cannot be taken back
        self.problem: Optional[EndpointError] = None  # to be raised behind the text that stands in front of it
        self.usage: Any = None

    @property
    def received(self) -> str:
        return self._as_whole.received if self._as_whole else self._text.getvalue()

    def feed(self, data: bytes) -> list[str]:
        if self._as_whole is not None:
            return self._as_whole.feed(data)
        if not self._seen:
            self._note_start(data)
            if self._as_whole is not None:
                return self._as_whole.feed(bytes(self._start))
        return self._read(self._events.feed(data))

    def _note_start(self, data: bytes) -> None:
        """Note whether the body is one object: a field of an event starts with a letter or a colon, an object with a
        brace.
        """
        self._start += data[: MAX_SHOWN - len(self._start)] if len(self._start) < MAX_SHOWN else b""
        start = self._start.lstrip(b" \t\r\n\xef\xbb\xbf")
        if start.startswith((b"{", b"[")):
            self._start[len(self._start) :] = b""
            self._as_whole = WholeReader()

    def _read(self, events: list[Event]) -> list[str]:
        found: list[str] = []
        try:
            for name, data in events:
                text = self._alike(name, data) if self._ends is not None else None
                if text is None:
                    text = self._event(name, data)
                if text and (text[-1] >= "\ud800" or self._half):
                    text = self._in_pairs(text)
                if text:
                    found.append(text)
            if self._events.foreign and self._seen:
                raise self._foreign_line()
        except EndpointError as error:
            if not found:
                raise
            self.problem = error
        self._note(found)
        return found

    def _alike(self, name: str, data: bytes) -> Optional[str]:
        """The text of an event that equals the previous event except for its text; None for other events."""
        start, end = self._ends or (b"", b"")
        if name != "message" or not (data.startswith(start) and data.endswith(end)):
            return None
        middle = data[len(start) : -len(end)]
        if not plain(middle):
            return None
        try:
            text = middle.decode()
        except UnicodeDecodeError:
            return None
        self._chances = CHANCES
        self._steady = True
        return text

    def _note(self, found: list[str]) -> None:
        if found:
            self.begun = True
            self._text.write(found[0] if len(found) == 1 else "".join(found))

    def _in_pairs(self, text: str) -> str:
        """A piece with the kept half of a character in front, and without a half at its end."""
        text, self._half = self._half + text, ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return paired(text)

    def _event(self, name: str, data: bytes) -> Optional[str]:
        self._seen = True
        self._ends = None
        if name != "message" and is_state_of_failure(name):
            raise self._named_error(data)
        if self.done:
            self.behind = True
            self._look_for_failure(data)
            return None
        if data[:1] != b"{" and data.strip() == b"[DONE]":
            self.done = True
            return None
        if name.lower() in KEPT_ALIVE:
            self._look_for_failure(data)
            return None
        value = load(data, "an event of the stream")
        choice = choice_of(value)
        usage = value.get("usage")
        if usage is not None:
            self.usage = usage
        if choice is not None:
            made = value.get("id")
            if made != self._id:
                self._take_id(made)
            else:
                self._steady = True
            text = self._choice(choice)
            if text and self._chances and name == "message" and self._reason is None and not self._calls:
                self._chances -= 1
                self._ends = ends_of(data, text)
            return text
        if name != "message" and usage is None:
            raise self._named_error(data)
        return None

    def _take_id(self, made: Any) -> None:
        """Take a new id. The return of an earlier id shows that two answers are mixed."""
        if made and (str(made) in self._ids or (self._steady and self._id)):
            raise EndpointError("protocol", "the endpoint mixes two answers in one stream")
        if self._id and len(self._ids) < MAX_IDS:
            self._ids.add(str(self._id))
        self._id, self._steady = made, False

    def _foreign_line(self) -> EndpointError:
        words = self._events.foreign.decode("utf-8", "replace")
        error = EndpointError("status", f"the endpoint says in its stream: {words}", words=words, again=True)
        return error

    def _named_error(self, data: bytes) -> EndpointError:
        try:
            value = decode(data.decode())
        except (ValueError, RecursionError):
            value = data[:MAX_SHOWN].decode("utf-8", "replace")
        return failure(value.get("error") or value if isinstance(value, dict) else value)

    def _look_for_failure(self, data: bytes) -> None:
        """Look for an error in an event outside of the answer, such as an event behind the end."""
        try:
            value = decode(data.decode())
        except (ValueError, RecursionError):
            return
        if isinstance(value, dict):
            check_completion(value)

    def _choice(self, choice: dict[str, Any]) -> Optional[str]:
        index = choice.get("index") or 0
        if index != self._index:
            if self._index is not None:
                raise EndpointError("protocol", "the endpoint gives several answers to one question")
            self._index = index
        delta = choice.get("delta")
        if type(delta) is not dict:
            delta = self._no_delta(choice, delta)
        if not OF_MESSAGES.issuperset(delta):
            _look_at(delta)
        text = delta.get("content")
        if type(text) is not str:
            if text is not None:
                raise unreadable("a piece of the text is none")
        elif not text:
            self._empty = True
        if "refusal" in delta:
            _refuse(delta["refusal"])
        calls = delta.get("tool_calls")
        if self._reason is not None and (text or calls):
            raise unreadable("text or calls stand behind its end")
        if calls is not None:
            self._add_calls(_list_of(calls))
        reason = choice.get("finish_reason")
        if reason is not None and reason != "":
            check_reason(reason)
            self._reason = reason
        return text

    def _no_delta(self, choice: dict[str, Any], delta: Any) -> dict[str, Any]:
        """The delta of a part without one: empty, unless the part has text in another member."""
        if delta is not None:
            raise unreadable("a delta is no object")
        if choice.get("message") or choice.get("text"):
            raise _no_completion(choice, "a part of the stream has its text in another place than a delta")
        return {}

    def _add_calls(self, pieces: list[Any]) -> None:
        """Pieces of calls by their number: the first has the name, all have a piece of the arguments."""
        for piece in pieces:
            if not isinstance(piece, dict):
                raise unreadable("a call of a tool is no object")
            number, function = piece.get("index"), piece.get("function")
            if number is None:
                number = self._number(piece.get("id"))
            if type(number) is not int or number < 0 or not isinstance(function, (dict, type(None))):
                raise unreadable("a call of a tool has no number, or no function")
            self._last = number
            self._calls.setdefault(number, _Call()).add(piece, function or {})

    def _number(self, made: Any) -> int:
        """The number of a piece without a number: that of the last piece, or, with a new id, a new number."""
        last = self._calls.get(self._last)
        return len(self._calls) if last is None or (made and made != last.id) else self._last

    def last(self) -> list[str]:
        """The text of what the end of the body has cut off; to be called when the body is whole."""
        if self._as_whole is not None:
            return []
        found = self._read(self._events.rest())
        if self._half:
            found, self._half = [*found, self._half], ""
            self._note(found[-1:])
        return found

    def finish(self) -> Scored:
        if self._as_whole is not None:
            answer = self._as_whole.finish()
            self.usage = self._as_whole.usage
            return answer
        if not self._seen:
            shown = self._start.decode("utf-8", "replace")
            error = unreadable(f"it has no events: {shown[:100]}" if shown else "it is empty")
            error.words = shown
            raise error
        if self._reason is None:
            words = "the stream ended without saying so (no finish_reason)"
            raise EndpointError("cut short", words, again=True)
        calls = [self._calls[number].whole() for number in sorted(self._calls)]
        check_calls(self._reason, calls)
        if not (calls or self.begun or self._empty):
            raise _no_text()
        return Scored(self._text.getvalue(), calls=calls)
