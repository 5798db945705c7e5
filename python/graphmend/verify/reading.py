"""The record of a run, read back."""

from __future__ import annotations

import dataclasses
import os
from typing import Any, Optional

from .processes import Ended
from .store import Contents, lines_of

Key = tuple[str, str, int]  # name, file and line of a callable
DYNAMO = ("graph", "break", "skipped", "recompile", "refused")


@dataclasses.dataclass
class Call:
    """One call, and the events behind the call."""

    key: Optional[Key]
    number: int
    members: dict[str, Any]
    backwards: list[dict[str, Any]]

    @property
    def name(self) -> str:
        return "the program" if self.key is None else self.key[0]

    @property
    def detailed(self) -> bool:
        """Whether it was noted in full."""
        return "output" in self.members


class Seen:
    """All records of one run."""

    def __init__(self, ended: Ended) -> None:
        self.ended = ended
        self.start: dict[str, Any] = {}
        self.end: Optional[dict[str, Any]] = None
        self.random: Optional[dict[str, Any]] = None
        self.backends: dict[str, None] = {}
        self.callables: list[Key] = []
        self.calls: dict[Key, list[Call]] = {}
        self.left: dict[Key, dict[str, Any]] = {}
        self.dynamo: list[tuple[Optional[Key], Optional[int], dict[str, Any]]] = []
        self.events: list[tuple[str, str, Optional[int]]] = []  # kind, text, bytes printed before
        self.begun: Optional[tuple[Key, int]] = None  # a call that has not ended
        self.contents = Contents(ended.folder)
        for line in lines_of(ended.folder):
            self.take(line)

    def take(self, line: dict[str, Any]) -> None:
        """Sort one line in."""
        kind = line.pop("kind")
        key = self.callables[line.pop("callable")] if "callable" in line else None
        action = getattr(self, f"take_{kind}", None)
        if kind in DYNAMO:
            self.dynamo.append((key, line.pop("call", None), {"kind": kind, **line}))
        elif action is not None:
            action(key, line)

    def take_start(self, key: Any, line: dict[str, Any]) -> None:
        self.start = line

    def take_end(self, key: Any, line: dict[str, Any]) -> None:
        self.end = line

    def take_random(self, key: Any, line: dict[str, Any]) -> None:
        self.random = line["random"]

    def take_backend(self, key: Any, line: dict[str, Any]) -> None:
        self.backends[line["name"]] = None

    def take_contents(self, key: Any, line: dict[str, Any]) -> None:
        self.contents.add(line)

    def take_callable(self, key: Any, line: dict[str, Any]) -> None:
        self.callables.append((line["name"], line["file"], line["line"]))
        self.calls[self.callables[-1]] = []

    def take_begin(self, key: Key, line: dict[str, Any]) -> None:
        self.begun = key, line["call"]

    def take_call(self, key: Key, line: dict[str, Any]) -> None:
        self.begun = None
        call = Call(key, line["call"], line, [])
        self.calls[key].append(call)
        if not line["thread"]:  # others return when they like
            self.events.append(("call", f"{call.name} returned from call {call.number}", line["printed"]))

    def take_backward(self, key: Key, line: dict[str, Any]) -> None:
        for call in reversed(self.calls[key]):
            if call.number == line["call"]:
                call.backwards.append(line)
                return

    def take_left(self, key: Key, line: dict[str, Any]) -> None:
        self.left[key] = line["state"]

    def take_log(self, key: Any, line: dict[str, Any]) -> None:
        self.events.append(("logs", line["text"], line["printed"]))

    def take_warning(self, key: Any, line: dict[str, Any]) -> None:
        self.events.append(("warnings", line["text"], line["printed"]))

    def report(self) -> dict[str, Any]:
        """The final report of the runtime; empty for a program without mends or without a regular end."""
        return (self.end or {}).get("report") or {"sites": {}, "callables": [], "files": {}}

    def error(self) -> Optional[dict[str, Any]]:
        """The exception that ended the program."""
        found: Optional[dict[str, Any]] = (self.end or {}).get("error")
        return found

    def count_calls(self) -> int:
        return sum(len(calls) for calls in self.calls.values())

    def output(self) -> bytes:
        """What the program has printed."""
        with open(os.path.join(self.ended.folder, "stdout"), "rb") as stream:
            return stream.read()
