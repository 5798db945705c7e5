"""Decisions: one of several, with how sure the model is."""

from __future__ import annotations

import math
from typing import Any, Literal

import pytest

from graphmend.meaning import CallError, Decision, Scored, UnsureError, by, mock

Mood = Literal["good", "bad", "neither"]


def rater(model: Any, **options: Any) -> Any:
    @by(model, **options)
    def rate(text: str) -> Decision[Mood]:
        """Rate it."""

    return rate


def scored(text: str, **weights: float) -> Scored:
    return Scored(text, [{name: math.log(weight) for name, weight in weights.items()}])


def test_a_decision() -> None:
    model = mock(scored("B", A=0.2, B=0.6, C=0.1, other=0.1))
    decision = rater(model)("x")
    assert decision.value == "bad"
    assert decision.probabilities == pytest.approx({"good": 0.2 / 0.9, "bad": 0.6 / 0.9, "neither": 0.1 / 0.9})
    assert decision.confidence == pytest.approx(0.6 / 0.9)
    assert model.requests[0].messages[0]["content"] == (
        "Rate it.\ntext: x\n\nAnswer with one letter:\nA: good\nB: bad\nC: neither"
    )


def test_a_decision_that_is_not_sure_enough() -> None:
    with pytest.raises(UnsureError, match="0.600, and 0.7 is asked for") as caught:
        rater(mock(scored("A", A=0.6, B=0.4)), min_confidence=0.7)("x")
    assert caught.value.decision.value == "good"
    with pytest.raises(UnsureError, match="unknown"):
        rater(mock("A"), min_confidence=0.7)("x")
    assert rater(mock("A"))("x").confidence is None
    assert rater(mock(scored("A", A=0.6, B=0.4)), min_confidence=0.6)("x").value == "good"


def test_probabilities_that_say_something_else_count_for_nothing() -> None:
    assert rater(mock(scored("A", A=0.3, B=0.7)))("x").probabilities is None
    assert rater(mock(Scored("The answer is B", [{"The": 0.0}, {"B": -0.1, "A": -3.0}])))("x").value == "bad"


def test_a_choice_that_is_none_is_asked_for_again() -> None:
    assert rater(mock("D", "Z", "C"))("x").value == "neither"
    with pytest.raises(CallError, match="no answer that can be read in 3 attempts"):
        rater(mock("D", "E", "F"))("x")
    with pytest.raises(TypeError, match="a Decision is one of"):

        @by(mock("A"))
        def number() -> Decision[int]: ...

        number()
