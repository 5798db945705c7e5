"""Functions of NumPy and SciPy that Dynamo does not know, or cannot trace, as operators of the graph.

    rate = np.interp(step, steps, rates)     # Dynamo breaks
    # traced: graphmend_functions::array("interp#3", [scalar_tensor(step), steps, rates])
    # one graph for all steps: `step` is an argument, although a number

These functions only compute. The kernel calls NumPy, and checks that the result looks like the result of the traced
call. If the check fails, or the function raises or warns, the call runs again in eager Python. Where the trace knows
all arguments, the result is a constant of the graph:

    nodes, weights = np.polynomial.legendre.leggauss(5)
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any, Callable, Optional

import torch

from ..analysis.impure_functions import plain_arguments
from ..analysis.marker_regions import tensor_of
from ..base import call_stack, define_op, hooks, trace_state
from ..base.torch_names import torch_numpy
from ..capture.implicit_bool import as_tensor
from ..capture.path_speculation import path_of
from ..external import external_calls, numpy_random_functions
from ..external.numpy_random_functions import Host, Place

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions of NumPy that Dynamo does not know")

NAMES = frozenset(
    """
    argpartition block compress delete digitize ediff1d extract insert interp intersect1d isin lexsort nancumprod
    nancumsum nanprod nansum packbits partition piecewise polyadd polyder polyfit polyint polymul polysub polyval roots
    select setdiff1d setxor1d trapezoid trim_zeros union1d unpackbits unwrap
    """.split()
)
SKIPPING = frozenset(
    "nanargmax nanargmin nanmax nanmean nanmedian nanmin nanpercentile nanquantile nanstd nanvar".split()
)
# Dynamo's forms of these functions fail, or branch on the data.
FAILING = frozenset(["corrcoef", "cov", "median", "pad"])
# Dynamo's forms of these functions branch on an open number.
TORCH_ASKS = frozenset("around round searchsorted isclose allclose linspace geomspace logspace".split())
MAX_CONSTANT = 4096  # numbers of an array that is a constant of the graph
OF_SEVERAL = frozenset(["percentile", "quantile"])  # for a list of quantiles, NumPy's dtype differs from Dynamo's
# Packages whose functions only compute: what they draw from NumPy's generator, the trace sees.
COMPUTING = ("numpy.polynomial.", "scipy.linalg.", "scipy.signal.", "scipy.special.", "scipy.stats.")
REDUCING = frozenset(["accumulate", "outer", "reduce", "reduceat"])  # methods of functions such as `numpy.add`
OPERATOR = define_op.define(
    "array(str key, Tensor[] tensors) -> Tensor", numpy_random_functions.run, numpy_random_functions.fake
)
numpy_random_functions.OPERATORS.append(OPERATOR)


@FEATURE.hook("numpy.call")
def call_numpy(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put a function that Dynamo does not know into the graph."""
    result = known_result(tx, self, args, kwargs) if is_spaced(self.value) else None
    if result is None and is_unknown(self.value, args, kwargs):
        result = result_of(trace, tx, self, self.value, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("numpy.method")
def call_ufunc_method(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Put a method of a ufunc into the graph."""
    result = None
    if name in REDUCING and isinstance(self.value, sys.modules["numpy"].ufunc):
        result = result_of(trace, tx, self, getattr(self.value, name), args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("skipped.call")
def call_computing(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put a function of another module of NumPy, or of SciPy, into the graph."""
    function = self.value
    if not callable(function) or not str(getattr(function, "__module__", "")).startswith(COMPUTING):
        return hooks.DECLINED
    result = known_result(tx, self, args, kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("array.getattr")
def read_dtype(attribute: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """The dtype that NumPy gives the array."""
    from ..base.torch_names import NumpyDTypeVariable

    kind = type_of(self) if name == "dtype" else None
    return hooks.DECLINED if kind is None else NumpyDTypeVariable(kind)


def type_of(variable: Any) -> Optional[Any]:
    """NumPy's dtype of an array; None without a counterpart, or where torch might have another dtype than NumPy."""
    node = variable.as_proxy().node
    if not all(map(keeps_types, ancestors(node))):
        return None
    value = tensor_of(node)
    if not isinstance(value, torch.Tensor):
        return None
    try:
        return sys.modules["numpy"].dtype(str(value.dtype).replace("torch.", ""))
    except TypeError:  # bfloat16
        return None


def ancestors(node: Any) -> dict[Any, None]:
    """A node and all nodes that the node is computed from."""
    nodes = {node: None}
    pending = [node]
    while pending:
        new = [item for item in pending.pop().all_input_nodes if item not in nodes]
        nodes.update(dict.fromkeys(new))
        pending += new
    return nodes


def keeps_types(node: Any) -> bool:
    """Whether a node makes no float from integers, where NumPy would use double precision and torch would not."""
    values = [tensor_of(item) for item in (node, *node.all_input_nodes)]
    result, *operands = (getattr(getattr(value, "dtype", None), "is_floating_point", None) for value in values)
    return not result or not operands or any(operands)


def is_unknown(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether a function is of this module, and Dynamo's form of the function cannot stand in."""
    from ..base.torch_names import get_np_to_tnp_map

    name = getattr(function, "__name__", "")
    if not isinstance(name, str) or getattr(sys.modules["numpy"], name, None) is not function:
        return False
    if name in OF_SEVERAL:
        quantiles = args[1] if len(args) > 1 else kwargs.get("q")
        return quantiles is not None and quantiles.realize().python_type() in (list, tuple)
    if name in FAILING or (name in NAMES | SKIPPING and function not in get_np_to_tnp_map()):
        return True
    return name in TORCH_ASKS and any(is_open(item.realize()) for item in (*args, *kwargs.values()))


def is_spaced(function: Any) -> bool:
    """Whether a function makes an array from numbers alone; Dynamo's forms round otherwise, and lack `endpoint`."""
    numpy = sys.modules["numpy"]
    return function in (numpy.linspace, numpy.geomspace, numpy.logspace)


def result_of(
    trace: trace_state.Trace, tx: Any, variable: Any, function: Callable[..., Any], args: Any, kwargs: Any
) -> Optional[Any]:
    """Dynamo's variable of the result of a function; None where no operator can take the place of the call."""
    from ..base.torch_names import NumpyNdarrayVariable

    tensors: list[Any] = []
    try:
        arguments = (
            [constant_or_place(tx, item, tensors) for item in args],
            {key: constant_or_place(tx, kwargs[key], tensors) for key in kwargs},
        )
    except TypeError:
        return None
    path = path_of(trace, tx.output)
    values = [path.tensor(item.as_proxy().node) for item in tensors]
    if tx.output.current_tracer.parent is not None or any(value is None for value in values):
        return None
    host = Host(without_nan(function) if function.__name__ in SKIPPING else function, arguments, strict=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            host.like = host.call([value.detach() for value in values])  # type: ignore[union-attr]
    except Exception:  # the eager call raises the exception as well, or has a result of another form
        return None
    external_calls.guard(variable, variable.value)
    if not tensors:
        return constant(tx, function.__name__, host.like, host.number)
    trace.libraries[call_stack.site_at(tx, "GM501")] = None
    proxy = tx.output.create_proxy(
        "call_function",
        OPERATOR,
        (numpy_random_functions.register(host, function.__name__), [item.as_proxy() for item in tensors]),
        {},
    )
    result = NumpyNdarrayVariable.create(tx, proxy)
    if path.shadow is not None:
        path.shadow.values[proxy.node] = host.like
    return result


class Constant:
    """A function of NumPy whose arguments are all known in the trace: returns the result of the trace."""

    def __init__(self, name: str, value: torch.Tensor, is_number: bool) -> None:
        self.__name__ = name
        self.numbers, self.dtype, self.is_number = value.tolist(), value.dtype, is_number
        self.shape = tuple(value.shape)

    def __call__(self) -> Any:
        """The result, as an array."""
        return torch_numpy.ndarray(torch.tensor(self.numbers, dtype=self.dtype).reshape(self.shape))


def constant(tx: Any, name: str, value: torch.Tensor, is_number: bool) -> Optional[Any]:
    """Dynamo's variable of a known array or number; None for a large array."""
    from ..base.torch_names import NumpyNdarrayVariable, numpy_to_tensor_wrapper

    if value.numel() > MAX_CONSTANT:
        return None
    form = numpy_to_tensor_wrapper(Constant(name, value, is_number))
    return NumpyNdarrayVariable.create(tx, tx.output.create_proxy("call_function", form, (), {}))


def known_result(tx: Any, variable: Any, args: Any, kwargs: Any) -> Optional[Any]:
    """Dynamo's variable of the result of a function whose arguments are all known; None where the function may do
    more than compute, or gives something else than arrays and numbers.
    """
    from ..base.torch_names import TupleVariable

    function = variable.value
    try:
        plain = plain_arguments(args, kwargs)
        if plain is None:
            return None
        with warnings.catch_warnings(), draws_undone() as drawn:
            warnings.simplefilter("error")
            result, again = (numpy_random_functions.strictly(function, *plain) for _ in range(2))
        parts, same = map(arrays_of, (result, again))
    except Exception:  # an argument is not known, or the eager call raises the exception as well
        return None
    if drawn() or any(one.tobytes() != other.tobytes() for (one, _), (other, _) in zip(parts, same)):
        return None
    external_calls.guard(variable, function)
    found = [constant(tx, function.__name__, torch.from_numpy(part), is_number) for part, is_number in parts]
    if None in found:
        return None
    return TupleVariable(found) if isinstance(result, tuple) else found[0]


@contextlib.contextmanager
def draws_undone() -> Iterator[Callable[[], bool]]:
    """Restore NumPy's generator; the value says whether somebody drew from it."""
    random = sys.modules["numpy"].random
    before = random.get_state()
    changed: list[bool] = []
    try:
        yield lambda: bool(changed)
    finally:
        after = random.get_state()
        if after[2:] != before[2:] or (after[1] != before[1]).any():
            changed.append(True)
            random.set_state(before)


def arrays_of(result: Any) -> list[tuple[Any, bool]]:
    """The arrays and numbers of a result or a tuple of results."""
    return [array_of(item) for item in (result if isinstance(result, tuple) else (result,))]


def array_of(value: Any) -> tuple[Any, bool]:
    """An array with the numbers of a result, and whether the result is a number; raises TypeError for other results."""
    numpy = sys.modules["numpy"]
    is_number = isinstance(value, numpy.generic)
    array = numpy.ascontiguousarray(value) if is_number or type(value) is numpy.ndarray else None
    if array is None or array.dtype.kind not in "biuf":
        raise TypeError("no array of numbers")
    return (array.reshape(()) if is_number else array), is_number


def without_nan(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that leaves out NaN; raises TypeError where NumPy would warn, because too few numbers are left."""
    takes_quantile = function.__name__ in ("nanpercentile", "nanquantile")

    def call(array: Any, *args: Any, axis: Any = None, ddof: int = 0, **kwargs: Any) -> Any:
        if len(args) > 1 + takes_quantile:
            raise TypeError("an argument that is mostly given by name")
        along = args[takes_quantile] if len(args) > takes_quantile else axis
        numbers = (~sys.modules["numpy"].isnan(array)).sum(axis=along)
        if (numbers <= ddof).any() or array.size == 0:
            raise TypeError("too few numbers")
        options = {"ddof": ddof} if ddof else {}
        return function(array, *args[:takes_quantile], axis=along, **options, **kwargs)

    return call


def is_open(variable: Any) -> bool:
    """Whether a variable is a number that the trace leaves open."""
    return hasattr(variable, "sym_num") and variable.python_type() in (int, float)


def tensor_of_number(tx: Any, variable: Any) -> Any:
    """Dynamo's variable of a tensor that holds an open number, in Python's precision."""
    from ..base.torch_names import VariableTracker

    dtype = torch.float64 if variable.python_type() is float else torch.int64
    options = {"dtype": VariableTracker.build(tx, dtype)}
    return VariableTracker.build(tx, torch.scalar_tensor).call_function(tx, [variable], options)


def constant_or_place(tx: Any, variable: Any, tensors: list[Any]) -> Any:
    """An argument: a constant of the trace, or the place of an array or a tensor; raises TypeError for arguments of
    another kind.
    """
    variable = variable.realize()
    kind = type(variable).__name__
    if kind in ("NumpyNdarrayVariable", "TensorVariable"):  # NumPy asks a tensor for its array
        is_array = kind == "NumpyNdarrayVariable"
        example = variable.as_proxy().node.meta["example_value"]
        if example.requires_grad or example.device.type != "cpu" or (is_array and example.dim() == 0):
            raise TypeError
        tensors.append(as_tensor(tx, variable) if is_array else variable)
        return Place(len(tensors) - 1, array=is_array)
    if is_open(variable):
        tensors.append(tensor_of_number(tx, variable))
        return Place(len(tensors) - 1, number=True)
    if kind in ("ListVariable", "TupleVariable"):
        return variable.python_type()(constant_or_place(tx, item, tensors) for item in variable.items)
    if not variable.is_python_constant() or not numpy_random_functions.is_constant(variable.as_python_constant()):
        raise TypeError
    return variable.as_python_constant()
