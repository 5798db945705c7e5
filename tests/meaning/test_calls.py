"""Functions that a model answers, with mock models: what is asked, how answers are read, what happens when they
cannot be.
"""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import os
import subprocess
import sys
from typing import Annotated, Any, Literal, Optional, Union

import pytest

from graphmend.meaning import (
    CallError,
    Meaning,
    MeaningError,
    Model,
    ReadError,
    Request,
    UnsupportedType,
    by,
    describe,
    explain,
    lift,
    lower,
    mock,
    schema,
)


@dataclasses.dataclass
class Company:
    name: str
    founded: int


@dataclasses.dataclass
class Skill:
    name: str
    level: Literal["junior", "senior"]


@dataclasses.dataclass
class Person:
    name: str
    age: int
    employer: Company
    skills: list[Skill]


class Mood(enum.Enum):
    """How somebody feels."""

    GOOD = "good"  #: smiles
    BAD = "bad"


@dataclasses.dataclass
class Task:
    """Something to do."""

    title: str
    """in a few words"""
    #: the sooner the smaller
    priority: Annotated[int, "1 to 5"] = 3
    mood: Optional[Mood] = None


ANN = (
    '{"name": "Ann", "age": 41, "employer": {"name": "X", "founded": 1999}, '
    '"skills": [{"name": "C", "level": "senior"}]}'
)
VALUE = Person("Ann", 41, Company("X", 1999), [Skill("C", "senior")])


def test_a_call() -> None:
    model = mock(f"Here you are:\n```json\n{ANN}\n```")

    @by(model)
    def hire(
        resume: str,  # as it was sent
        since: int = 2020,
    ) -> Person:
        """Read the resume."""

    assert hire("Ann, 41") == VALUE
    (request,) = model.requests
    assert request.messages == [
        {
            "role": "user",
            "content": (
                "Read the resume.\n"
                "resume (as it was sent): Ann, 41\n"
                "since: 2020\n\n"
                "Answer in JSON:\n"
                "{name: string, age: int, employer: {name: string, founded: int}, "
                'skills: {name: string, level: "junior" | "senior"}[]}'
            ),
        }
    ]
    assert hire.__name__ == "hire"
    with pytest.raises(TypeError, match="missing a required argument"):
        hire()
    assert len(model.requests) == 1


def test_notes_are_shown() -> None:
    assert describe(Task) == (
        "type Mood = // How somebody feels.\n"
        '| "good" // smiles\n'
        '| "bad"\n'
        "{\n"
        "// Something to do.\n"
        "title: string // in a few words\n"
        "priority: int (1 to 5) = 3 // the sooner the smaller\n"
        "mood: Mood | null = None\n"
        "}"
    )
    assert schema(Task)["$defs"]["Task"]["properties"]["title"]["description"] == "in a few words"


def test_an_explanation_sends_nothing() -> None:
    model = mock()

    @by(model)
    def hire(resume: str) -> Person:
        """Read the resume."""

    told = explain(hire, "Ann")
    assert told.prompt.startswith("Read the resume.\nresume: Ann\n\nAnswer in JSON:\n{name: string")
    assert told.schema["$ref"] == "#/$defs/Person"
    assert told.characters == len(told.prompt)
    assert told.prompt in str(told)
    assert model.requests == []
    with pytest.raises(MeaningError):
        explain(len, [])


def test_a_coroutine() -> None:
    model = mock(ANN)

    @by(model)
    async def hire(resume: str) -> Person:
        """Read the resume."""

    assert asyncio.run(hire("Ann")) == VALUE


def test_a_method_with_its_object() -> None:
    @dataclasses.dataclass
    class Office:
        town: str

        @by(mock("17"))
        def seats(self, floor: int) -> int:
            """How many seats are there?"""

    office = Office("Ulm")
    assert office.seats(3) == 17
    assert Office.seats.explain(office, 3).prompt == (
        'How many seats are there?\nself: {"town": "Ulm"}\nfloor: 3\n\nAnswer in JSON:\nint'
    )


def test_an_answer_that_cannot_be_read_is_asked_for_again() -> None:
    model = mock('{"name": "Ann"}', ANN)

    @by(model)
    def hire(resume: str) -> Person:
        """Read the resume."""

    assert hire("Ann") == VALUE
    roles = [message["role"] for message in model.requests[1].messages]
    assert roles == ["user", "assistant", "user"]
    assert "the field `age` of Person is missing" in model.requests[1].messages[-1]["content"]


def test_after_the_last_attempt_there_is_an_error_with_all_of_them() -> None:
    model = mock("no", "still no", "never", retries=2)

    @by(model)
    def hire(resume: str) -> Person:
        """Read the resume."""

    with pytest.raises(CallError, match="hire: no answer that can be read in 3 attempts") as caught:
        hire("Ann")
    assert [answer for answer, _ in caught.value.attempts] == ["no", "still no", "never"]
    assert isinstance(caught.value.__cause__, ReadError)


def test_a_stream_of_growing_values() -> None:
    @by(mock(ANN, piece=6))
    def hire(resume: str) -> Person:
        """Read the resume."""

    values = list(hire.stream("Ann"))
    assert values[-1] == VALUE
    ages = [value.age for value in values]
    assert ages[0] is None and ages[-1] == 41
    assert all(type(value) is Person for value in values)

    @by(mock(ANN, piece=6))
    async def later(resume: str) -> Person:
        """Read the resume."""

    async def collect() -> list[Any]:
        return [value async for value in later.stream("Ann")]

    assert asyncio.run(collect()) == values


def test_sem_says_what_names_mean() -> None:
    sem = {"test_sem_says_what_names_mean.<locals>.rate": "Rate it.", "Company.founded": "a year"}

    @by(mock(), sem=sem)
    def rate(what: str) -> Company: ...

    assert rate.explain("x").prompt == (
        "Rate it.\nwhat: x\n\nAnswer in JSON:\n{\nname: string\nfounded: int // a year\n}"
    )


def test_text_is_taken_as_it_is() -> None:
    @by(mock('<think>short</think>\nA "poem" with {braces}.\n'))
    def poem(about: str) -> str:
        """Write a poem."""

    assert poem("x") == 'A "poem" with {braces}.'
    assert poem.explain("a\nb").prompt == "Write a poem.\nabout:\na\nb\n\nAnswer with the text only."


def test_strict_takes_nothing_but_json() -> None:
    @by(mock("```json\n1\n```", "1"), strict=True)
    def count() -> int: ...

    assert count() == 1


def test_models_map_meanings_to_meanings() -> None:
    model = mock(lambda text: text.replace("?", "41"))
    answer = model(Meaning('{"name": "Ann", "age": "?"}', dict[str, Union[int, str]]))
    assert answer == Meaning('{"name": "Ann", "age": "41"}', dict[str, Union[int, str]])
    assert lower(answer) == {"name": "Ann", "age": "41"}
    assert lower(lift(VALUE)) == VALUE


def test_a_model_of_ones_own() -> None:
    class Loud(Model):
        def send(self, request: Request) -> str:
            return str(request.messages[0]["content"]).splitlines()[1].upper()

    @by(Loud())
    def shout(text: str) -> str: ...

    assert shout("hello") == "TEXT: HELLO"

    async def wait() -> str:
        return await Loud().send_async(Request([{"role": "user", "content": "a\nb"}]))

    assert asyncio.run(wait()) == "B"


def test_types_that_text_cannot_be() -> None:
    class Bare:
        pass

    for hint in (Bare, len, type, dict[str, Bare]):
        with pytest.raises(UnsupportedType):
            lower("1", hint)

    @by(mock())
    def nothing(text: str): ...

    with pytest.raises(UnsupportedType, match="says nothing about what it returns"):
        nothing("x")


def test_a_constructor_that_refuses_is_an_error_of_the_answer() -> None:
    @dataclasses.dataclass
    class Even:
        number: int

        def __post_init__(self) -> None:
            if self.number % 2:
                raise ValueError("odd")

    assert lower('{"number": 2}', Even) == Even(2)
    with pytest.raises(ReadError, match="Even refuses the value: odd"):
        lower('{"number": 3}', Even)


def test_dataclasses_of_all_kinds() -> None:
    @dataclasses.dataclass(frozen=True)
    class Base:
        a: int
        b: int = 2

    @dataclasses.dataclass(frozen=True)
    class Derived(Base):
        c: str = dataclasses.field(default="c")
        d: int = dataclasses.field(default=0, init=False)

    assert lower('{"a": 1, "c": "x"}', Derived) == Derived(1, 2, "x")
    assert lower('{"a": 1}', Derived, partial=True).a == 1
    if sys.version_info >= (3, 10):
        made = dataclasses.make_dataclass("Made", [("x", int), ("y", int, 5)], kw_only=True, slots=True)
        assert lower('{"x": 1}', made) == made(x=1)
        assert lower("Made(x=1, y=2)", made) == made(x=1, y=2)


def test_pydantic_models() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Item(pydantic.BaseModel):
        """An item."""

        name: str = pydantic.Field(min_length=2, description="what it is called")
        price: float = pydantic.Field(gt=0, alias="unitPrice")
        tags: list[str] = []

    globals()["Item"] = Item
    try:
        assert lower('{"name": "ab", "unitPrice": 2}', Item) == Item(name="ab", unitPrice=2)
        for text in ('{"name": "a", "unitPrice": 2}', '{"name": "ab", "unitPrice": 0}', '{"name": "ab"}'):
            with pytest.raises(ReadError):
                lower(text, Item)
        assert "unitPrice: float (> 0)" in describe(Item)
        assert lower(lift(Item(name="ab", unitPrice=2)), strict=True) == Item(name="ab", unitPrice=2)
        assert lower('{"name": "ab"}', Item, partial=True).name == "ab"
    finally:
        del globals()["Item"]


def test_attrs_classes() -> None:
    attrs = pytest.importorskip("attrs")

    @attrs.define
    class Item:
        name: str
        _secret: int = 3
        tags: list[str] = attrs.field(factory=list, kw_only=True)

    assert lower('{"name": "a", "tags": ["b"]}', Item) == Item("a", tags=["b"])
    assert lower('{"name": "a", "_secret": 4}', Item) == Item("a", 4)


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (Annotated[int, ("bound", "ge", 1)], "1", "0"),
        (Annotated[float, ("bound", "lt", 1.5)], "1.4", "1.5"),
        (Annotated[str, ("bound", "max_length", 3)], '"abc"', '"abcd"'),
        (Annotated[list[int], ("bound", "min_length", 1)], "[1]", "[]"),
        (Annotated[int, ("bound", "multiple_of", 5)], "10", "11"),
        (Annotated[str, ("bound", "pattern", "^a+$")], '"aa"', '"ab"'),
    ],
    ids=lambda value: str(value)[:40],
)
def test_bounds(hint: Any, good: str, bad: str) -> None:
    class Bound:
        def __init__(self, name: str, value: Any) -> None:
            setattr(self, name, value)

    (_, name, value) = hint.__metadata__[0]
    bounded = Annotated[hint.__origin__, Bound(name, value)]
    lower(good, bounded)
    for strict in (False, True):
        with pytest.raises(ReadError):
            lower(bad, bounded, strict=strict)


def test_importing_is_light() -> None:
    """Neither torch nor anything else that is not needed before a function is called."""
    program = (
        "import sys; import graphmend.meaning as m; "
        "heavy = {'torch', 'pydantic', 'h11', 'asyncio', 'inspect', 'dataclasses', 'ctypes', 'json'}; "
        "before = heavy & set(sys.modules); m.by, m.mock, m.Meaning; "
        "print(sorted(before), sorted({'torch', 'pydantic', 'h11', 'asyncio'} & set(sys.modules)))"
    )
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ})
    assert (done.stdout, done.stderr) == ("[] []\n", "")
