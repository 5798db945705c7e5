"""A choice among several values, with the certainty of the model.

    @by(model)
    def mood(text: str) -> Decision[Mood]: ...

    mood("What a day!").confidence     # 0.97

Each choice has a letter in the question, so that one token decides.
"""

from __future__ import annotations

import json
import math
import string
import typing
from typing import Any, Generic, Optional, TypeVar

from graphmend.meaning.errors import CallError
from graphmend.meaning.model import Scored
from graphmend.meaning.text import literal, spelling
from graphmend.meaning.types import ReadableType

T = TypeVar("T")


class Decision(Generic[T]):
    """A choice among the members of an enumeration or the values of a Literal.

    `probabilities` is by choice, `confidence` the probability of the chosen value; both are None for a model without
    probabilities.
    """

    __slots__ = ("probabilities", "value")

    def __init__(self, value: T, probabilities: Optional[dict[T, float]] = None) -> None:
        self.value = value
        self.probabilities = probabilities

    @property
    def confidence(self) -> Optional[float]:
        return None if self.probabilities is None else self.probabilities[self.value]

    def __repr__(self) -> str:
        sure = "" if self.confidence is None else f", confidence={self.confidence:.3f}"
        return f"Decision({self.value!r}{sure})"


class UnsureError(CallError):
    """A decision of less certainty than required, or of unknown certainty."""

    def __init__(self, decision: Decision[Any], wanted: float) -> None:
        known = "unknown" if decision.confidence is None else f"{decision.confidence:.3f}"
        super().__init__(f"the confidence of {decision.value!r} is {known}, and {wanted} is asked for")
        self.decision = decision


class Chooser:
    """The choices of a type, each with a letter: one token decides, and the probability of the token is the
    certainty.
    """

    def __init__(self, hint: Any, readable: ReadableType) -> None:
        entry = readable.ir["types"][readable.root]
        while entry["form"] in ("alias", "annotated"):
            entry = readable.ir["types"][entry["items"][0]]
        members = entry.get("members") or entry.get("values") or []
        if entry["form"] not in ("enum", "literal") or not 2 <= len(members) <= len(string.ascii_uppercase):
            raise TypeError(f"a Decision is one of 2 to 26 members of an enumeration or literals, not {hint!r}")
        self.letters = string.ascii_uppercase[: len(members)]
        shown = [spelling(entry, m) if entry["form"] == "enum" else literal(m) for m in members]
        self.values = [readable.value(json.dumps(text), strict=True) for text in shown]
        notes = [f" // {member['note']}" if "note" in member else "" for member in members]
        lines = [f"{letter}: {text}{note}" for letter, text, note in zip(self.letters, shown, notes)]
        self.question = "\n".join(["Answer with one letter:", *lines])
        self._letter = ReadableType(typing.Literal.__getitem__(tuple(self.letters)))

    def decide(self, answer: Scored) -> Decision[Any]:
        """The decision in an answer."""
        letter = self._letter.value(answer.text)
        value = self.values[self.letters.index(letter)]
        return Decision(value, self._probabilities(answer, letter))

    def _probabilities(self, answer: Scored, letter: str) -> Optional[dict[Any, float]]:
        """The probabilities of the first token with a letter, which must be the letter of the answer."""
        for tops in answer.logprobs or []:
            weights = dict.fromkeys(self.letters, 0.0)
            for token, logprob in tops.items():
                name = token.strip().strip("\"'*`.").upper()
                if name in weights and logprob <= 0:
                    weights[name] += math.exp(logprob)
            total = sum(weights.values())
            if total == 0:
                continue
            if max(weights, key=weights.__getitem__) != letter:
                return None
            return {value: weights[name] / total for name, value in zip(self.letters, self.values)}
        return None


def check(decision: Decision[Any], wanted: Optional[float]) -> Decision[Any]:
    """A decision that is as sure as is wanted, or an UnsureError."""
    if wanted is not None and (decision.confidence is None or decision.confidence < wanted):
        raise UnsureError(decision, wanted)
    return decision
