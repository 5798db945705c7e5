"""What a selected copy or a postponed effect would show, and where both are therefore left as written."""

from __future__ import annotations

import collections
import contextlib
import dataclasses

import pytest
import torch
from harness import compare

import graphmend.runtime as _gm

BRANCH, SHOW, GUARD = "m.py:1:0:GM101", "m.py:2:0:GM301", "m.py:3:0:GM401"
CALLS = [lambda: (torch.tensor([1.0, 2.0]),), lambda: (torch.tensor([-1.0, -5.0]),)]


def choose(test, then, orelse, *operands, site=BRANCH):
    if _gm.on(site):
        return _gm.branch(site, test, then, orelse, operands)
    return then(*operands) if test else orelse(*operands)


def show(*values):
    if _gm.on(SHOW):

        def _gm_sink__show(*values):
            print(*values)

        _gm.defer(SHOW, _gm_sink__show, values)
    else:
        print(*values)


def double_or_same(x):
    return choose(x.sum() > 0, lambda x: x * 2, lambda x: x, x)


def is_itself(x):
    return double_or_same(x) + 1, double_or_same(x) is x


def is_leaf(x):
    return double_or_same(x) + 1, double_or_same(x).is_leaf


def own_attribute(x):
    x.tag = "input"
    return double_or_same(x) + 1, getattr(double_or_same(x), "tag", "none")


def key(x):
    return double_or_same(x) + 1, {x: "input"}.get(double_or_same(x), "other")


def member(x):
    return double_or_same(x) + 1, len({x, double_or_same(x)})


def negative_zero(x):
    y, zero = choose(x.sum() > 0, lambda x: (x * 2, 0.0), lambda x: (x * 3, -0.0), x)
    return y, str(zero)


def strides(x):
    h = x.reshape(1, 2) * 2
    return choose(x.sum() > 0, lambda h: h.sum(1, keepdim=True).expand(1, 2), lambda h: h.expand(1, 2)[:, :2], h)


def expanded(x):
    h = x.reshape(2, 1) * 2
    return choose(x.sum() > 0, lambda h: h.expand(2, 3), lambda h: (h + 1).expand(2, 3), h)


def input_through_two(x):
    y = choose(x.max() > 4, lambda x: x * 2, lambda x: x, x)
    return choose(x.min() > 4, lambda y: y + 1, lambda y: y, y, site="m.py:4:0:GM101")


def twins_through_two(x):
    h = x * 2
    y = choose(x.max() > 4, lambda h: h * 2, lambda h: h, h)
    z = choose(x.min() > 4, lambda h: h + 1, lambda h: h, h, site="m.py:4:0:GM101")
    return y, z


def saved_result(x):
    y = choose(x.sum() > 0, lambda x: x.exp(), lambda x: x.sigmoid(), x)
    return y.mul_(2)


PROGRAMS = [
    is_itself,
    is_leaf,
    own_attribute,
    key,
    member,
    negative_zero,
    expanded,
    input_through_two,
    twins_through_two,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_copies_that_would_be_seen(program) -> None:
    outcome = compare(lambda: program, CALLS)
    assert outcome.refusals("GM101"), outcome.report


class Frozen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.ones(2), requires_grad=False)
        self.b = torch.nn.Parameter(torch.zeros(2), requires_grad=False)

    def forward(self, x):
        w = choose(x.sum() > 0, lambda a, b: a, lambda a, b: b, self.a, self.b)
        return x * w, isinstance(w, torch.nn.Parameter)


def version(x):
    y = x.detach() * 1

    def then(y):
        y += 1
        return y

    y = choose(x.sum() > 0, then, lambda y: y, y)
    return y, y._version


def test_number_of_writes() -> None:
    outcome = compare(lambda: version, CALLS)
    assert outcome.refusals("GM101"), outcome.report


def test_type_of_a_copy() -> None:
    outcome = compare(Frozen, CALLS)
    assert outcome.refusals("GM101"), outcome.report


class Normalized(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)
        self.eval()

    def forward(self, x):
        x = x.reshape(1, 2)
        return choose(x.sum() > 0, lambda x: self.norm(x), lambda x: self.norm(x) * 2, x)


def test_batch_norm_that_only_reads() -> None:
    outcome = compare(Normalized, CALLS)
    assert outcome.graphs == 1, outcome.refusals("GM101")


class NormalizedRows(torch.nn.Module):
    """The kernel gives rows one after the other where the fake tensors say that columns follow each other."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(2)
        self.eval()

    def forward(self, x):
        x = x.repeat(3, 1).t().contiguous().t()
        return choose(x.sum() > 0, lambda x, y: x * x, lambda x, y: y, x, self.norm(x))


def test_memory_that_lies_otherwise_than_told() -> None:
    outcome = compare(NormalizedRows, CALLS, False)
    assert any("another order" in reason for reason in outcome.refusals("GM101")), outcome.report


def test_result_that_the_gradient_needs() -> None:
    def loud(function):
        def program(x):
            y = function(x)
            with contextlib.suppress(RuntimeError):
                (grad,) = torch.autograd.grad(y.sum(), x)
                return y.detach(), grad
            return y.detach(), "refused"

        return program

    torch._dynamo.reset()
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert loud(saved_result)(x)[1] == "refused"
    assert loud(torch.compile(saved_result, backend="eager"))(x)[1] == "refused"


@dataclasses.dataclass
class Progress:
    step: int = 0


def kept(make, change):
    def program(x):
        value = make()
        show(value)
        change(value)
        show(value)
        return x * 2

    return program


KEPT = {
    "Counter": kept(lambda: collections.Counter(a=1), lambda value: value.update(a=1)),
    "OrderedDict": kept(lambda: collections.OrderedDict(a=1), lambda value: value.update(a=2)),
    "deque": kept(lambda: collections.deque([1], maxlen=2), lambda value: value.extend([2, 3])),
    "dataclass": kept(Progress, lambda value: setattr(value, "step", 5)),
    "namedtuple": kept(lambda: collections.namedtuple("Pair", "a")([1]), lambda value: value.a.append(2)),
    "list": kept(lambda: [1, [2]], lambda value: value[1].append(3)),
}


@pytest.mark.parametrize("program", KEPT.values(), ids=KEPT.keys())
def test_objects_that_change(program) -> None:
    compare(lambda: program, CALLS)


def caught(x):
    try:
        if _gm.on(SHOW):

            def _gm_sink__caught(a):
                print(f"{a:.2f}")

            _gm.defer(SHOW, _gm_sink__caught, (x,))
        else:
            print(f"{x:.2f}")
    except TypeError:
        show("not one number")
    return x * 2


def test_effects_that_may_fail() -> None:
    """They are mended; where they fail in every call, the frames are compiled as they are."""
    outcome = compare(lambda: caught, CALLS)
    assert outcome.mended("GM301")
    assert outcome.report["callables"][-1]["reason"] == "what the graph assumes of the data holds too seldom"


def product_under_autocast(x):
    a = x.reshape(1, 2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        if _gm.on(SHOW):

            def _gm_sink__product_under_autocast(a):
                print((a @ a.T).dtype)

            _gm.defer(SHOW, _gm_sink__product_under_autocast, (a,))
        else:
            print((a @ a.T).dtype)
    return x * 2


def test_effects_under_autocast() -> None:
    outcome = compare(lambda: product_under_autocast, CALLS)
    assert any("autocast" in reason for reason in outcome.refusals("GM301"))


def flag_cleared(flag, x):
    y = choose(flag, lambda x: x * 2, lambda x: x * 3, x)
    show_if(flag)
    flag.fill_(False)
    return y


def show_if(flag):
    def then():
        show("set")
        return ()

    choose(flag, then, lambda: (), site="m.py:5:0:GM101")


def many_tensors(x):
    a, b = x * 1, x * 2
    show(a)
    torch._foreach_add_([a, b], 1.0)
    show(a)
    return a, b


def test_predicate_that_is_overwritten() -> None:
    calls = [lambda: (torch.tensor(True), torch.ones(2)), lambda: (torch.tensor(False), torch.ones(2))]
    outcome = compare(lambda: flag_cleared, calls, grad=False)
    assert outcome.graphs == 1, outcome.refusals("GM101")


def test_list_of_tensors_written_to() -> None:
    compare(lambda: many_tensors, CALLS, grad=False)


SEEN: list[int] = []


@torch.library.custom_op("graphmend_tests::counted", mutates_args=())
def counted(x: torch.Tensor) -> torch.Tensor:
    SEEN.append(1)
    print("inside")
    return x * 2


@counted.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def custom_then_guard(x):
    show("before")
    y = counted(x)
    test = y.sum() < 0
    if _gm.on(GUARD) and _gm.check(GUARD, test):
        pass
    elif test:
        raise ValueError("negative")
    show("after")
    return y


def test_operators_with_effects() -> None:
    SEEN.clear()
    outcome = compare(lambda: custom_then_guard, CALLS, grad=False)
    assert len(SEEN) == 40
    assert any("effects of its own" in reason for reason in outcome.refusals("GM401"))


def tables(x):
    return choose(x.sum() > 0, lambda x: {"a": x * 2, "n": 1}, lambda x: {"a": x * 3, "n": 1}, x)


def lists(x):
    return choose(x.sum() > 0, lambda x: [x * 2, [x + 1]], lambda x: [x * 3, [x - 1]], x)


def one_list_twice(x):
    def then(x):
        made = [x * 2]
        return made, made

    def orelse(x):
        return [x * 3], [x * 4]

    first, second = choose(x.sum() > 0, then, orelse, x)
    first.append(1)
    return first, second


def list_from_outside(x):
    made, other = [x * 2], [x * 3]
    chosen = choose(x.sum() > 0, lambda a, b: a, lambda a, b: b, made, other)
    chosen.append(1)
    return made, other


def keys_differ(x):
    return choose(x.sum() > 0, lambda x: {"a": x * 2, "b": x * 4}, lambda x: {"b": x * 3, "a": x * 5}, x)


@pytest.mark.parametrize("program", [tables, lists], ids=lambda program: program.__name__)
def test_containers_that_a_side_makes(program) -> None:
    outcome = compare(lambda: program, CALLS)
    assert outcome.graphs == 1, outcome.refusals("GM101")


@pytest.mark.parametrize(
    "program", [one_list_twice, list_from_outside, keys_differ], ids=lambda program: program.__name__
)
def test_containers_that_are_left(program) -> None:
    outcome = compare(lambda: program, CALLS)
    assert outcome.refusals("GM101"), outcome.report
