"""The runtime dialect: the calls in mended source, written by `src/mend/runtime.c` and traced by Dynamo.

    _gm.branch("m.py:3:4:GM101", x.sum() > 0, then, orelse, (x,))   # if x.sum() > 0: ... else: ...

While Dynamo traces, Dynamo inlines these functions, and they leave marker operators in the graph. In eager Python they
do what the user's statement does. Each line here must therefore be traceable: plain Python, constants from
`trace_time`, and marker operators. Names of local variables are part of the contract: `trace_time` looks them up in the
traced frame by text, as in `is_array("value")`.
"""

from __future__ import annotations

from typing import Any, Callable

from torch.compiler import is_dynamo_compiling

from ..base import dialect_names as torch
from ..base import marker_ops
from ..base.trace_state import local, replays
from .merged_numbers import merges_numbers
from .side_attributes import begin_sides, end_side, merge_attributes, store_attributes
from .trace_time import (
    close_region,
    decided_by_data,
    foretell,
    is_array,
    is_new_container,
    new_key,
    note_selected,
    on_path,
    one_tensor,
    open_region,
    refuse,
    site_on,
    tracing_mends,
)

IMMUTABLE = (int, float, bool, str, bytes, complex, type(None))
EXACT, LARGE = 2**53, 2**63  # below EXACT, doubles hold every integer; below LARGE, 64 bits hold every integer


def on(site: str) -> bool:
    """Whether the mended form of a site is in force: a constant in a trace, and False in eager Python except in a
    replay.
    """
    if is_dynamo_compiling():
        return site_on(site)
    return bool(replays) and local.replay is not None and local.replay.on(site)


def traced() -> bool:
    """Whether this call is part of a trace whose graph graphmend verifies."""
    return is_dynamo_compiling() and tracing_mends()


def lifted(site: str, value: Any) -> Any:
    """The value as a tensor test if data decide a number or truth value; arrays as tensors; other values unchanged."""
    if isinstance(value, torch.Tensor) or not traced():
        return value
    if is_array("value"):
        return torch.as_tensor(value)
    if not decided_by_data("value"):
        return value
    return marker_ops.test(new_key(site), value)


def truth(site: str, value: Any) -> Any:
    """The truth value of a test: a Python bool for Python objects, a 0-d bool tensor for one-element tensors and
    numbers.
    """
    value = lifted(site, value)
    if not isinstance(value, torch.Tensor) or not traced():
        return bool(value)
    if value.numel() != 1:
        refuse(site, "the test is a tensor with more or less than one element")
    if value.layout != torch.strided:
        refuse(site, "the test is a sparse tensor")
    value = value.detach().reshape(())
    if value.dtype != torch.bool:
        value = value != 0
    return value


def merge(site: str, key: str, predicate: torch.Tensor, first: Any, second: Any) -> Any:
    """The result of a branch, merged from the results of its two sides.

    Tensors are selected element by element, containers item by item, and equal immutable values stay. Results without a
    merged form refuse the site.
    """
    if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
        if one_tensor("first", "second"):
            return first
        if first.dtype != second.dtype:
            refuse(site, f"the two sides have different dtypes ({first.dtype} and {second.dtype})")
        if first.requires_grad != second.requires_grad:
            refuse(site, "only one side requires a gradient")
        if predicate.device != first.device:
            predicate = predicate.to(first.device)
        marker_ops.pair(key, first, second)
        result = torch.where(predicate, first, second)
        note_selected(site, "result")
        return result
    if isinstance(first, tuple) and isinstance(second, tuple):
        if type(first) is not tuple or type(second) is not tuple or len(first) != len(second):
            refuse(site, "the two sides give tuples of different types or lengths")
        return tuple([merge(site, key, predicate, a, b) for a, b in zip(first, second)])
    if type(first) is dict and type(second) is dict and is_new_container("first") and is_new_container("second"):
        return merge_tables(site, key, predicate, first, second)
    if type(first) is list and type(second) is list and is_new_container("first") and is_new_container("second"):
        if len(first) != len(second):
            refuse(site, "the two sides give lists of different lengths")
        return list(merge(site, key, predicate, tuple(first), tuple(second)))
    if merges_numbers(site, "first", "second"):
        return merge_numbers(key, predicate, first, second)
    if isinstance(first, IMMUTABLE) and isinstance(second, IMMUTABLE):
        if type(first) is type(second) and first == second and str(first) == str(second):  # 0.0 is not -0.0
            return first
        refuse(site, "the two sides give different Python values")
    if type(first) is not type(second):
        refuse(site, "the two sides give values of different types")
    if first is not second:
        refuse(site, "the two sides give different Python objects")
    return first


def merge_numbers(key: str, predicate: torch.Tensor, first: Any, second: Any) -> Any:
    """The number of one of two sides; both are floats, or both are integers of 64 bits."""
    dtype = torch.float64 if type(first) is float else torch.int64 if type(first) is int else torch.bool
    left = torch.full((), first, dtype=dtype, device=predicate.device)
    right = torch.full((), second, dtype=dtype, device=predicate.device)
    marker_ops.pair(key, left, right)
    return torch.where(predicate, left, right).item()


def merge_tables(
    site: str, key: str, predicate: torch.Tensor, first: dict[str, Any], second: dict[str, Any]
) -> dict[str, Any]:
    """The dictionary merged from the dictionaries that the two sides made, key by key."""
    if list(first) != list(second):
        refuse(site, "the two sides give dictionaries with different keys")
    merged = {}
    for name in first:
        if type(name) is not str:
            refuse(site, "the two sides give dictionaries whose keys are no strings")
        merged[name] = merge(site, key, predicate, first[name], second[name])
    return merged


def tag_events(predicate: torch.Tensor, start: int, taken: bool) -> None:
    """Make the effects deferred since position `start` conditional on the side that deferred them."""
    if len(local.queue) > start:
        local.queue.insert(start, (predicate, taken))
        local.queue.append(None)


def branch(
    site: str, test: Any, then: Callable[..., Any], orelse: Callable[..., Any], operands: tuple[Any, ...]
) -> Any:
    """`then(*operands) if test else orelse(*operands)`; a tensor test runs both sides and selects element
    by element.
    """
    test = lifted(site, test)
    if not isinstance(test, torch.Tensor) or not traced():
        if test:
            return then(*operands)
        return orelse(*operands)
    predicate = truth(site, test)
    key = new_key(site)
    open_region(key)
    begin_sides(key)
    marker_ops.enter(key, predicate)
    start = len(local.queue)
    first = then(*operands)
    tag_events(predicate, start, True)
    end_side(key)
    marker_ops.otherwise(key)
    start = len(local.queue)
    second = orelse(*operands)
    tag_events(predicate, start, False)
    end_side(key)
    marker_ops.leave(key)
    result = merge(site, key, predicate, first, second)
    merge_attributes(site, key, "predicate", merge)
    marker_ops.done(key)
    close_region(key)
    store_attributes(key)
    return result


def combine(site: str, operands: tuple[Any, ...], stop: bool) -> Any:
    """The truth value of Python's `or` (`stop` is True) or `and` over zero-argument functions.

    Python operands are tested and not returned: the caller would test a returned operand again, and its class may
    notice.
    """
    value = lifted(site, operands[0]())
    for operand in operands[1:]:
        if not isinstance(value, torch.Tensor) or not traced():
            # Two jumps instead of `bool(value) == stop`: sympy cannot compare truth values of symbolic sizes.
            if stop:
                if value:
                    return True
            elif not value:
                return False
            value = lifted(site, operand())
            continue
        left = truth(site, value)
        key = new_key(site)
        open_region(key)
        marker_ops.enter(key, left.logical_not() if stop else left)
        right = truth(site, operand())
        marker_ops.otherwise(key)
        marker_ops.leave(key)
        if isinstance(right, torch.Tensor):
            marker_ops.join(key, right)
        marker_ops.done(key)
        close_region(key)
        value = left | right if stop else left & right
    return value


def and_(site: str, *operands: Callable[[], Any]) -> Any:
    """The test `a() and b() and ...`."""
    return combine(site, operands, False)


def or_(site: str, *operands: Callable[[], Any]) -> Any:
    """The test `a() or b() or ...`."""
    return combine(site, operands, True)


def not_(site: str, value: Any) -> Any:
    """The test `not value`, as a tensor if the value is a tensor."""
    value = lifted(site, value)
    if not isinstance(value, torch.Tensor) or not traced():
        return not value
    return truth(site, value).logical_not()


class Scalar:
    """The Python number in a one-element tensor, as one side of a comparison.

    Python compares numbers exactly. A tensor compares in its own dtype, to which the other number is rounded. `Scalar`
    therefore widens floating-point values to double, and compares integers with integers or, below 2**53, with doubles.
    """

    def __init__(self, site: str, value: torch.Tensor) -> None:
        self.site = site
        self.value = value

    def against(self, number: Any) -> torch.Tensor:
        """The tensor in a dtype in which the comparison with the number is exact."""
        if type(number) not in (int, float, bool):
            refuse(self.site, "a number from a tensor is compared with what is no Python number")
        if type(number) is not (float if self.value.dtype == torch.float64 else int) and not abs(number) < EXACT:
            refuse(self.site, "a number from a tensor is compared with a number that is too large")
        if type(number) is int and not abs(number) < LARGE:
            refuse(self.site, "a number from a tensor is compared with a number that is too large")
        return self.value.double() if type(number) is float else self.value

    def __lt__(self, number: Any) -> Any:
        return self.against(number) < number

    def __le__(self, number: Any) -> Any:
        return self.against(number) <= number

    def __gt__(self, number: Any) -> Any:
        return self.against(number) > number

    def __ge__(self, number: Any) -> Any:
        return self.against(number) >= number

    def __eq__(self, number: Any) -> Any:
        return self.against(number) == number

    def __ne__(self, number: Any) -> Any:
        return self.against(number) != number

    __hash__ = None  # type: ignore[assignment]


def item(site: str, value: Any) -> Any:
    """`value.item()` for a comparison that follows at once; comparing the returned `Scalar` gives a tensor test."""
    if not isinstance(value, torch.Tensor) or not traced():
        return value.item()
    if value.numel() != 1 or value.layout != torch.strided:
        refuse(site, "`.item()` of a tensor that has not exactly one element")
    if value.dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        return Scalar(site, value.detach().reshape(()).double())
    if value.dtype not in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool):
        refuse(site, f"`.item()` of a tensor of dtype {value.dtype}")
    return Scalar(site, value.detach().reshape(()).long())


def equal(site: str, first: Any, second: Any) -> Any:
    """`torch.equal(first, second)`; a tensor test if the shapes are equal."""
    if not isinstance(first, torch.Tensor) or not isinstance(second, torch.Tensor) or not traced():
        return torch.equal(first, second)
    if first.dtype != second.dtype or first.device != second.device:
        refuse(site, "`torch.equal` of tensors of different dtypes or devices")
    if first.layout != torch.strided or second.layout != torch.strided:
        refuse(site, "`torch.equal` of sparse tensors")
    if first.shape != second.shape:
        return False
    return (first.detach() == second.detach()).all()


def allclose(site: str, first: Any, second: Any, *args: Any, **kwargs: Any) -> Any:
    """`torch.allclose(...)` as a tensor test."""
    if not isinstance(first, torch.Tensor) or not isinstance(second, torch.Tensor) or not traced():
        return torch.allclose(first, second, *args, **kwargs)
    return torch.isclose(first.detach(), second.detach(), *args, **kwargs).all()


def member(site: str, value: Any, numbers: Any) -> Any:
    """`value in numbers` for a list or tuple of numbers; a tensor test for a one-element tensor."""
    if not isinstance(value, torch.Tensor) or not traced():
        return value in numbers
    if value.numel() != 1 or value.layout != torch.strided:
        refuse(site, "`in` with a tensor that has not exactly one element")
    is_member = torch.zeros((), dtype=torch.bool, device=value.device)
    for number in numbers:
        is_member = is_member | (value.detach().reshape(()) == number)
    return is_member


def check(site: str, test: Any) -> bool:
    """Record a guard for the condition `test`; returns False if the caller has to run the original statement."""
    test = lifted(site, test)
    if not isinstance(test, torch.Tensor) or not traced():
        return False
    marker_ops.check(new_key(site), truth(site, test))
    return True


def taken(site: str, value: Any) -> Any:
    """The value of a test; where data decide the test, the answer followed by the graph."""
    if not is_dynamo_compiling() or not on_path(site):
        return value
    value = lifted(site, value)
    if not isinstance(value, torch.Tensor):
        return value
    predicate = truth(site, value)
    key = new_key(site)
    answer = foretell(key, "predicate")
    marker_ops.decide(key, predicate, answer)
    return answer
