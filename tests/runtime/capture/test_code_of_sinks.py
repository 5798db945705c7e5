"""What the code of a postponed effect does with what it shows, told from the code alone, and facts about graphs."""

from __future__ import annotations

import dataclasses
import dis
import types
from typing import Any

import pytest
import torch

from graphmend.runtime.capture import identity_guard
from graphmend.runtime.capture.assumption_checks import STEADY, Facts
from graphmend.runtime.capture.identity_guard import (
    computes,
    gives_another,
    is_asked,
    loaded_parameters,
    plain_repr,
    shows_whole,
)


def sink(expression: str) -> types.CodeType:
    space: dict[str, Any] = {}
    exec(f"def f(v, w):\n    return {expression}\n", space)
    code: types.CodeType = space["f"].__code__
    return code


# Whether a parameter itself may be shown.
SHOWN = {
    **dict.fromkeys(["v", "print(v)", "(v, 1)", "[v]", "print(v, v.sum())", "v.flatten()", "v.gone", "v[w]"], True),
    **dict.fromkeys(
        ["v.view(2)", "v + w", "v is None", "f'{v}'", "v.T", "v.real", "v.reshape(1)", "v[w.sum()]", "v.to(1)"], True
    ),
    **dict.fromkeys(
        ["1", "v.sum()", "v.item()", "v.shape", "v.dtype", "v.detach()", "v.tolist()", "v[0]", "v[0, 1]"], False
    ),
    **dict.fromkeys(
        ["v[1:2]", "v[0, 1:]", "v[::2]", "v > 0", "v == 0", "v + 1", "v * 2.5", "v ** 2", "v @ 3", "v.abs()"], False
    ),
    **dict.fromkeys(
        ["v.sum() + w.sum()", "print(v.max(), w[0])", "v[0][w.sum()]", "f'{v.mean()}'", "v.size(0)"], False
    ),
}


@pytest.mark.parametrize("expression", SHOWN)
def test_whether_a_parameter_is_shown(expression: str) -> None:
    assert shows_whole(sink(expression)) is SHOWN[expression]


def test_writes_in_place_show_the_parameter() -> None:
    space: dict[str, Any] = {}
    exec("def f(v):\n    v += 1\n    return 1\ndef g(v):\n    v[0] = 1\n    return 1\n", space)
    assert shows_whole(space["f"].__code__) and shows_whole(space["g"].__code__)


# Whether it does more than to hand its parameters to one function.
COMPUTED = {
    **dict.fromkeys(
        ["print(v)", "print(v, w)", "v", "print(v.shape)", "print('a', v)", "v.method(w)", "f'{v}'"], False
    ),
    **dict.fromkeys(
        ["print(v + w)", "print(v[0])", "print(f(v))", "v.sum() + 1", "f'{v:.3f}'", "[a for a in v]"], True
    ),
    **dict.fromkeys(["print(*v)", "print(v.sum())", "v[0]", "print(**v)"], True),
}


@pytest.mark.parametrize("expression", COMPUTED)
def test_whether_a_sink_computes(expression: str) -> None:
    assert computes(sink(expression)) is COMPUTED[expression]


@pytest.mark.parametrize("steps", [0, 1, 11])
def test_steps_that_lead_nowhere(steps: int) -> None:
    """Constants without an operator that takes them, or more of them than are looked at."""
    constants = [step for step in dis.get_instructions(sink("[v, 'a']")) if step.opname == "LOAD_CONST"]
    assert not is_asked(constants[:1] * steps)


# What releases of Python do with the value on top of the stack: the names of instructions, with their numbers, and
# whether the value is asked for something else.
STEPS: dict[str, tuple[str, bool]] = {
    "3.11 v[1:2]": ("LOAD_CONST LOAD_CONST BUILD_SLICE:2 BINARY_SUBSCR", True),
    "3.11 v[0, 1:2]": ("LOAD_CONST LOAD_CONST LOAD_CONST BUILD_SLICE:2 BUILD_TUPLE:2 BINARY_SUBSCR", True),
    "3.12 v[1:2]": ("LOAD_CONST LOAD_CONST BINARY_SLICE", True),
    "3.12 v[1:2:3]": ("LOAD_CONST BINARY_SUBSCR", True),
    "3.12 f(v, 0, 1, 2)[:]": ("LOAD_CONST LOAD_CONST LOAD_CONST BINARY_SLICE", False),
    "3.12 w[v:2]": ("LOAD_CONST BINARY_SLICE", False),
    "3.14 v[0]": ("LOAD_SMALL_INT BINARY_OP:26", True),
    "3.14 v[1:2]": ("LOAD_SMALL_INT LOAD_SMALL_INT BINARY_SLICE", True),
    "3.14 v + 1": ("LOAD_SMALL_INT BINARY_OP:0", True),
    "3.14 v ^ 1": ("LOAD_SMALL_INT BINARY_OP:12", True),
    "3.14 v += 1": ("LOAD_SMALL_INT BINARY_OP:13", False),
    "3.14 v ^= 1": ("LOAD_SMALL_INT BINARY_OP:25", False),
    "3.14 w + v": ("BINARY_OP:0", False),
}


@pytest.mark.parametrize("source", STEPS)
def test_steps_of_other_releases(source: str) -> None:
    names, expected = STEPS[source]
    steps: Any = [
        types.SimpleNamespace(opname=name, arg=int(number) if number else None, argval=None)
        for name, _, number in (step.partition(":") for step in names.split())
    ]
    assert is_asked(steps) is expected


def test_loads_of_parameters() -> None:
    space: dict[str, Any] = {}
    exec("def f(v, w):\n    own = v\n    return own, w, v, w\n", space)
    found = [name for name, _ in loaded_parameters(space["f"].__code__)]
    assert sorted(found) == ["v", "v", "w", "w"]


ATTRIBUTES = {
    **dict.fromkeys(
        "sum mean abs exp max item add mul shape dtype device ndim size tolist data detach layout".split(), True
    ),
    **dict.fromkeys(
        "view flatten reshape contiguous to T add_ zero_ expand gone unbind chunk is_leaf split".split(), False
    ),
    # Of several results, one is no tensor; and names that PyTorch's table of operators has for itself.
    **dict.fromkeys("histogramdd allclose stft_ name __dict__ __doc__ __class__ _dir".split(), False),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attributes_that_give_another(name: str) -> None:
    assert gives_another(name) is ATTRIBUTES[name]


class Plain:
    pass


class Named:
    def __repr__(self) -> str:
        return "named"


class Spelled:
    def __str__(self) -> str:
        return "spelled"


class Formatted:
    def __format__(self, how: str) -> str:
        return "formatted"


class Heir(Spelled):
    pass


@dataclasses.dataclass
class Data:
    a: int = 1


def test_texts_of_objects() -> None:
    assert [plain_repr(kind) for kind in (object, Plain)] == [True, True]
    assert not any(map(plain_repr, (Named, Spelled, Formatted, Heir, Data, int, list)))


def facts(text: str, sizes: list[Any] | None = None) -> Facts:
    return Facts(eval(f"lambda *n: {text}"), sizes or [])


def test_assumptions_about_numbers_and_sizes() -> None:
    about = facts("n[0] == 3 and n[1] == 2 and n[2] == 7", [(0, 1), (1, None)])
    assert about.hold(torch.tensor([3]), [torch.ones(5, 2), 7])
    assert not about.hold(torch.tensor([4]), [torch.ones(5, 2), 7])
    assert not about.hold(torch.tensor([3]), [torch.ones(2, 5), 7])
    assert not about.hold(torch.tensor([3]), [torch.ones(5, 2), 8])
    assert facts("True").hold(torch.zeros(0), [])


@pytest.mark.parametrize("different", [None, 0, 1, STEADY - 2, STEADY - 1, STEADY])
def test_when_numbers_are_steady(different: int | None) -> None:
    """Told once, behind so many calls with the same numbers; one with others among them, and it is never told."""
    told: list[int] = []
    about = facts("True")
    about.hold(torch.tensor([9]), [])  # before anybody asks
    about.tell_when_steady(lambda: told.append(call))
    for call in range(3 * STEADY):
        about.hold(torch.tensor([4 if call == different else 3]), [])
    assert told == ([STEADY - 1] if different in (None, STEADY) else [])


def test_surroundings() -> None:
    """The modes that change what is computed; not whether gradients are recorded."""
    plain = identity_guard.surroundings()
    with torch.no_grad():
        assert identity_guard.surroundings() == plain
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert identity_guard.surroundings() != plain
    torch.set_default_dtype(torch.float64)
    try:
        assert identity_guard.surroundings() != plain
    finally:
        torch.set_default_dtype(torch.float32)
    assert identity_guard.surroundings() == plain
