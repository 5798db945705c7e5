"""The calls that mended source makes. Dynamo inlines them; run by eager Python they do what the user wrote.

Everything here must stay traceable: plain Python, constants from `tracing`, and marker operators.
"""

from __future__ import annotations

from typing import Any, Callable

from torch.compiler import is_dynamo_compiling

from ..base import dialect_names as torch
from ..base import marker_ops
from ..base.trace_state import local, replays
from .trace_time import (
    close_region,
    decided_by_data,
    foretold,
    is_array,
    made_inside,
    new_key,
    on_path,
    one_tensor,
    open_region,
    refuse,
    selected,
    site_on,
    tracing_mends,
)

IMMUTABLE = (int, float, bool, str, bytes, complex, type(None))
EXACT, LARGE = 2**53, 2**63  # integers below are exact as doubles; fit into 64 bits


def on(site: str) -> bool:
    """Whether the mended form of a site is in force; a constant while Dynamo traces, false otherwise."""
    if is_dynamo_compiling():
        return site_on(site)
    return bool(replays) and local.replay is not None and local.replay.on(site)


def traced() -> bool:
    """Whether this call is part of a trace whose graph we verify."""
    return is_dynamo_compiling() and tracing_mends()


def lifted(site: str, value: Any) -> Any:
    """A number or truth value that data decides as a tensor test, an array as its tensor, anything else as it is."""
    if isinstance(value, torch.Tensor) or not traced():
        return value
    if is_array("value"):
        return torch.as_tensor(value)
    if not decided_by_data("value"):
        return value
    return marker_ops.test(new_key(site), value)


def truth(site: str, value: Any) -> Any:
    """`bool(value)` for a Python object, a 0-d bool tensor for a one-element tensor or a number from one."""
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
    """One value for the results of the two sides of a branch."""
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
        selected(site, "result")
        return result
    if isinstance(first, tuple) and isinstance(second, tuple):
        if type(first) is not tuple or type(second) is not tuple or len(first) != len(second):
            refuse(site, "the two sides give tuples of different types or lengths")
        return tuple([merge(site, key, predicate, a, b) for a, b in zip(first, second)])
    if type(first) is dict and type(second) is dict and made_inside("first") and made_inside("second"):
        return merge_tables(site, key, predicate, first, second)
    if type(first) is list and type(second) is list and made_inside("first") and made_inside("second"):
        if len(first) != len(second):
            refuse(site, "the two sides give lists of different lengths")
        return list(merge(site, key, predicate, tuple(first), tuple(second)))
    if isinstance(first, IMMUTABLE) and isinstance(second, IMMUTABLE):
        if type(first) is type(second) and first == second and str(first) == str(second):  # 0.0 is not -0.0
            return first
        refuse(site, "the two sides give different Python values")
    if type(first) is not type(second):
        refuse(site, "the two sides give values of different types")
    if first is not second:
        refuse(site, "the two sides give different Python objects")
    return first


def merge_tables(site: str, key: str, predicate: torch.Tensor, first: dict, second: dict) -> dict:
    """One dictionary for those that the two sides have made."""
    if list(first) != list(second):
        refuse(site, "the two sides give dictionaries with different keys")
    merged = {}
    for name in first:
        if type(name) is not str:
            refuse(site, "the two sides give dictionaries whose keys are no strings")
        merged[name] = merge(site, key, predicate, first[name], second[name])
    return merged


def tag_events(predicate: torch.Tensor, start: int, taken: bool) -> None:
    """Make the events deferred since `start` depend on the side that deferred them."""
    if len(local.queue) > start:
        local.queue.insert(start, (predicate, taken))
        local.queue.append(None)


def branch(site: str, test: Any, then: Callable[..., Any], orelse: Callable[..., Any], operands: tuple) -> Any:
    """`then(*operands) if test else orelse(*operands)`; both, selected element by element, if `test` is a tensor."""
    test = lifted(site, test)
    if not isinstance(test, torch.Tensor) or not traced():
        if test:
            return then(*operands)
        return orelse(*operands)
    predicate = truth(site, test)
    key = new_key(site)
    open_region(key)
    marker_ops.enter(key, predicate)
    start = len(local.queue)
    first = then(*operands)
    tag_events(predicate, start, True)
    marker_ops.otherwise(key)
    start = len(local.queue)
    second = orelse(*operands)
    tag_events(predicate, start, False)
    marker_ops.leave(key)
    result = merge(site, key, predicate, first, second)
    marker_ops.done(key)
    close_region(key)
    return result


def combine(site: str, operands: tuple, stop: bool) -> Any:
    """Whether Python's `or` (`stop` true) or `and` of the values of zero-argument functions holds.

    An operand that ends it is not given back: the caller would ask it once more, and its class may notice.
    """
    value = lifted(site, operands[0]())
    for operand in operands[1:]:
        if not isinstance(value, torch.Tensor) or not traced():
            # Two jumps: sympy cannot compare the truth value of symbolic sizes with another one.
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
    """A test `a() and b() and ...`."""
    return combine(site, operands, False)


def or_(site: str, *operands: Callable[[], Any]) -> Any:
    """A test `a() or b() or ...`."""
    return combine(site, operands, True)


def not_(site: str, value: Any) -> Any:
    """`not value`, of the truth value if it is a tensor."""
    value = lifted(site, value)
    if not isinstance(value, torch.Tensor) or not traced():
        return not value
    return truth(site, value).logical_not()


class Scalar:
    """The Python number that a one-element tensor would give, as one side of a comparison.

    A Python number compares exactly. A tensor compares in its own dtype, to which the other number is rounded, so
    floating point values are widened to double, and integers meet integers or, if they fit, doubles.
    """

    def __init__(self, site: str, value: torch.Tensor) -> None:
        self.site = site
        self.value = value

    def against(self, number: Any) -> torch.Tensor:
        """The value in a dtype in which comparing it with the number is exact."""
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
    """`value.item()`, to be compared with a number at once; comparing a one-element tensor gives a tensor test."""
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
    """`torch.equal(first, second)`, as a tensor test if the shapes leave it open."""
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
    """`torch.allclose(...)`, as a tensor test."""
    if not isinstance(first, torch.Tensor) or not isinstance(second, torch.Tensor) or not traced():
        return torch.allclose(first, second, *args, **kwargs)
    return torch.isclose(first.detach(), second.detach(), *args, **kwargs).all()


def member(site: str, value: Any, numbers: Any) -> Any:
    """`value in numbers`, a list or tuple of numbers; a tensor test for a one-element tensor."""
    if not isinstance(value, torch.Tensor) or not traced():
        return value in numbers
    if value.numel() != 1 or value.layout != torch.strided:
        refuse(site, "`in` with a tensor that has not exactly one element")
    found = torch.zeros((), dtype=torch.bool, device=value.device)
    for number in numbers:
        found = found | (value.detach().reshape(()) == number)
    return found


def check(site: str, test: Any) -> bool:
    """Record a guard that fires when `test` is true; false if the caller has to run the original statement."""
    test = lifted(site, test)
    if not isinstance(test, torch.Tensor) or not traced():
        return False
    marker_ops.check(new_key(site), truth(site, test))
    return True


def taken(site: str, value: Any) -> Any:
    """The value of a test, or where data decide it, the way that the graph goes."""
    if not is_dynamo_compiling() or not on_path(site):
        return value
    value = lifted(site, value)
    if not isinstance(value, torch.Tensor):
        return value
    predicate = truth(site, value)
    key = new_key(site)
    answer = foretold(key, "predicate")
    marker_ops.decide(key, predicate, answer)
    return answer
