"""What goes with a question: tools that the model may have called, images, and objects to complete."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import json
import sys
from collections.abc import Callable as AnyCallable
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import pytest

from graphmend.meaning import (
    CallError,
    Image,
    Model,
    Request,
    Scored,
    ToolCall,
    UnsupportedType,
    by,
    complete,
    complete_async,
    explain,
    mock,
)


@dataclasses.dataclass
class Place:
    """A place on a map."""

    town: str  #: without its country
    height: int = 0


@dataclasses.dataclass
class Weather:
    degrees: float
    words: str


SUN = '{"degrees": 20, "words": "sunny"}'
PNG = b"\x89PNG\r\n\x1a\n...."


def measure(
    place: Place,
    days: int = 1,  # at most 7
) -> Weather:
    """What the weather is."""
    return Weather(20.0 + days, f"sun over {place.town}")


def wants(arguments: str, name: str = "measure") -> Scored:
    return Scored("", calls=[ToolCall(name, arguments, "c1")])


def test_a_tool_is_called_with_typed_arguments() -> None:
    model = mock(wants('```json\n{place: {"town": "Ulm"}, "days": "2"}\n```'), SUN)

    @by(model, tools=[measure])
    def forecast(town: str) -> Weather:
        """Say what the weather will be."""

    assert forecast("Ulm") == Weather(20.0, "sunny")
    asked, answered = model.requests
    (tool,) = asked.tools
    assert answered.tools == asked.tools
    assert (tool["function"]["name"], tool["function"]["description"]) == ("measure", "What the weather is.")
    parameters = tool["function"]["parameters"]
    assert parameters["required"] == ["place"]
    assert parameters["properties"]["days"]["description"] == "at most 7"
    assert parameters["$defs"]["Place"]["properties"]["town"]["description"] == "without its country"
    assert [message["role"] for message in answered.messages] == ["user", "assistant", "tool"]
    assert answered.messages[1]["tool_calls"][0]["function"]["name"] == "measure"
    assert answered.messages[2]["tool_call_id"] == "c1"
    assert json.loads(answered.messages[2]["content"]) == {"degrees": 22.0, "words": "sun over Ulm"}


def test_functions_among_the_arguments_are_tools() -> None:
    model = mock(wants('{"place": {"town": "Ulm"}}', "look"), SUN)
    seen: list[Place] = []

    def look(place: Place) -> str:
        seen.append(place)
        return "fine"

    @by(model)
    def forecast(town: str, how: Callable[[Place], str]) -> Weather:
        """Say what the weather will be."""

    assert forecast("Ulm", look) == Weather(20.0, "sunny")
    assert seen == [Place("Ulm")]
    assert "how" not in model.requests[0].messages[0]["content"]
    assert model.requests[1].messages[-1]["content"] == "fine"


def test_what_is_wrong_with_a_call_is_told_and_nothing_is_called() -> None:
    model = mock(wants('{"days": 1}'), wants("{}", "guess"), SUN)

    @by(model, tools=[measure])
    def forecast(town: str) -> Weather: ...

    assert forecast("Ulm") == Weather(20.0, "sunny")
    messages = model.requests[2].messages
    assert messages[2]["content"] == "The arguments cannot be read (the field `place` of measure is missing)."
    assert messages[4]["content"] == "There is no tool guess; there are: measure."


def test_rounds_are_bounded() -> None:
    calls: list[int] = []

    def count() -> int:
        calls.append(1)
        return len(calls)

    @by(mock(lambda prompt: wants("{}", "count")), tools=[count], rounds=3)
    def forecast(town: str) -> Weather: ...

    with pytest.raises(CallError, match="still asks for tools after 3 rounds"):
        forecast("Ulm")
    assert len(calls) == 3


def test_errors_of_a_tool_are_the_programs() -> None:
    def fail() -> int:
        raise StopIteration("inside")

    @by(mock(wants("{}", "fail")), tools=[fail])
    def forecast(town: str) -> Weather: ...

    with pytest.raises(StopIteration, match="inside"):
        forecast("Ulm")


def test_tools_of_a_coroutine_may_be_coroutines() -> None:
    async def later(place: Place) -> str:
        await asyncio.sleep(0)
        return place.town

    model = mock(wants('{"place": {"town": "Ulm"}}', "later"), SUN)

    @by(model, tools=[later])
    async def forecast(town: str) -> Weather: ...

    assert asyncio.run(forecast("Ulm")) == Weather(20.0, "sunny")
    assert model.requests[1].messages[-1]["content"] == "Ulm"

    @by(mock(wants('{"place": {"town": "Ulm"}}', "later")), tools=[later])
    def at_once(town: str) -> Weather: ...

    with pytest.raises(CallError, match="later is a coroutine"):
        at_once("Ulm")


def test_a_method_is_a_tool() -> None:
    class Shelf:
        def __init__(self) -> None:
            self.books = ["a"]

        def find(self, title: str, exact: bool = True, /) -> bool:
            """Whether there is a book."""
            return title in self.books

    model = mock(wants('{"title": "a"}', "find"), "true")

    @by(model)
    def ask(question: str, how: AnyCallable[..., Any]) -> bool: ...

    assert ask("?", Shelf().find) is True
    assert model.requests[1].messages[-1]["content"] == "true"


def test_functions_that_no_model_can_call() -> None:
    def many(*args: int) -> int:
        return 0

    def odd(what: type) -> int:
        return 0

    for tool in (many, odd, len):

        @by(mock(), tools=[tool])
        def forecast(town: str) -> Weather: ...

        with pytest.raises(UnsupportedType):
            forecast("Ulm")


def test_a_stream_goes_on_behind_tools() -> None:
    model = mock(wants('{"place": {"town": "Ulm"}}'), SUN)

    @by(model, tools=[measure])
    def forecast(town: str) -> Weather: ...

    values = list(forecast.stream("Ulm"))
    assert values[-1] == Weather(20.0, "sunny")
    assert Weather(20.0, None) in values  # type: ignore[arg-type]
    assert [message["role"] for message in model.requests[1].messages] == ["user", "assistant", "tool"]

    async def later(place: Place) -> str:
        return place.town

    async def collect() -> list[Weather]:
        @by(mock(wants('{"place": {"town": "Ulm"}}', "later"), SUN), tools=[later])
        async def forecast(town: str) -> Weather: ...

        return [value async for value in forecast.stream("Ulm")]

    assert asyncio.run(collect()) == values


def test_a_stream_with_tools_ends() -> None:
    @by(mock(lambda prompt: wants('{"place": {"town": "Ulm"}}')), tools=[measure], rounds=2)
    def forecast(town: str) -> Weather: ...

    with pytest.raises(CallError, match="still asks for tools after 2 rounds"):
        list(forecast.stream("Ulm"))


def test_a_model_without_a_stream_of_its_own_has_tools_in_one_piece() -> None:
    class Whole(Model):
        def __init__(self) -> None:
            self.answers = [wants('{"place": {"town": "Ulm"}}'), Scored(SUN)]

        def send_scored(self, request: Request) -> Scored:
            return self.answers.pop(0)

    @by(Whole(), tools=[measure])
    def forecast(town: str) -> Weather: ...

    assert list(forecast.stream("Ulm")) == [Weather(20.0, "sunny")] * 2

    @by(Whole(), tools=[measure])
    async def forecast_later(town: str) -> Weather: ...

    async def collect() -> list[Weather]:
        return [value async for value in forecast_later.stream("Ulm")]

    assert asyncio.run(collect()) == [Weather(20.0, "sunny")] * 2


def test_images(tmp_path: Path) -> None:
    model = mock("2")
    (tmp_path / "a.png").write_bytes(PNG)

    @by(model)
    def count(what: str, photo: Image, more: list[Image]) -> int:
        """Count what is in the images."""

    assert count("cats", Image(tmp_path / "a.png"), [Image(b"\xff\xd8\xff"), Image("https://x/b.gif")]) == 2
    text, *images = model.requests[0].messages[0]["content"]
    assert text["text"] == (
        "Count what is in the images.\nwhat: cats\nphoto: image 1\nmore: image 2, image 3\n\nAnswer in JSON:\nint"
    )
    urls = [part["image_url"]["url"] for part in images]
    assert urls == [
        "data:image/png;base64," + base64.b64encode(PNG).decode(),
        "data:image/jpeg;base64,/9j/",
        "https://x/b.gif",
    ]
    assert repr(Image(PNG * 50)).endswith("characters)')")
    assert Image(b"...", "image/bmp").url.startswith("data:image/bmp;")
    with pytest.raises(UnsupportedType, match="media type"):
        Image(b"...")


@dataclasses.dataclass
class Book:
    """A book in print."""

    title: str
    pages: int  #: without the cover
    author: Optional[str] = None
    price: float = 9.5


def test_missing_fields_are_filled_in() -> None:
    model = mock('{"pages": "320"}')
    assert complete(model, Book, title="Emma", author="Jane") == Book("Emma", 320, "Jane", 9.5)
    assert model.requests[0].messages[0]["content"] == (
        "Complete this Book: A book in print.\ntitle: Emma\nauthor: Jane\n\n"
        "Answer in JSON:\n{\npages: int // without the cover\nprice: float = 9.5\n}"
    )
    partly = Book("Emma", None, None, 5.0)  # type: ignore[arg-type]
    assert complete(mock('{"pages": 1, "author": "Jane"}'), partly) == Book("Emma", 1, "Jane", 5.0)
    assert partly.pages is None
    assert complete(mock(), Book("Emma", 1, "Jane")) == Book("Emma", 1, "Jane")
    assert asyncio.run(complete_async(mock('{"author": null}'), Book("Emma", 1))) == Book("Emma", 1, None, 9.5)


def test_what_is_given_is_kept() -> None:
    assert complete(mock('{"title": "Other", "pages": 1}'), Book, title="Emma").title == "Emma"
    with pytest.raises(CallError, match="no answer that can be read in 3 attempts"):
        complete(mock("{}", "no", '{"pages": "many"}'), Book, title="Emma")
    with pytest.raises(TypeError, match="Book has no field 'colour'"):
        complete(mock(), Book, colour="red")
    with pytest.raises(UnsupportedType):
        complete(mock(), 3)


class Point(NamedTuple):
    x: int
    y: int


def test_objects_of_other_kinds_are_completed() -> None:
    assert complete(mock('{"y": 2}'), Point, x=1) == Point(1, 2)
    pydantic = pytest.importorskip("pydantic")
    made = pydantic.create_model("Item", name=(str, ...), count=(int, pydantic.Field(alias="howMany", gt=0)))
    assert complete(mock('{"count": 0}', '{"count": 3}'), made, name="nut").count == 3


def test_an_explanation_without_arguments() -> None:
    @by(mock(), tools=[measure])
    def forecast(town: str, days: int = 3, *, how: Callable[[int], str]) -> Weather:
        """Say what the weather will be."""

    told = explain(forecast)
    assert told.prompt.startswith("Say what the weather will be.\ntown: <town>\ndays: 3\n\nAnswer in JSON:\n")
    assert [tool["function"]["name"] for tool in told.tools] == ["measure"]
    assert "[tool measure]" in str(told)
    assert explain(forecast, days=4).prompt.splitlines()[1:3] == ["town: <town>", "days: 4"]
    with pytest.raises(TypeError):
        explain(forecast, "Ulm", 3, 4)
    with pytest.raises(TypeError):
        forecast()


@dataclasses.dataclass
class Company:
    name: str
    founded: int


@dataclasses.dataclass
class Skill:
    name: str
    years: int


@dataclasses.dataclass
class Person:
    name: str
    age: int
    employer: Company
    skills: list[Skill]


def test_a_nested_question_is_short() -> None:
    @by(mock())
    def hire(resume: str) -> Person:
        """Read the resume."""

    told = explain(hire)
    assert told.tokens <= 100
    assert told.counted == ("tokens, estimated" not in str(told))


def test_tokens_are_counted_where_tiktoken_is(monkeypatch: pytest.MonkeyPatch) -> None:
    class Encoding:
        def encode(self, text: str, disallowed_special: Any) -> list[int]:
            return [0] * 7

    fake = type(sys)("tiktoken")
    fake.get_encoding = {"o200k_base": Encoding()}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", fake)

    @by(mock())
    def count() -> int: ...

    assert (explain(count).tokens, explain(count).counted) == (7, True)
    assert str(explain(count)).endswith("[7 tokens]")
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    assert not explain(count).counted
