"""NumPy's results where Dynamo's differ: another dtype, shape or memory layout, or an array in place of a number.

    counts = np.bincount(labels, weights)     # NumPy adds up in double precision
    share = counts[0] / counts.sum()          # NumPy's numbers, and 0-d arrays in Dynamo
    return share

Dynamo lets torch compute the functions of NumPy. Without graphmend, programs often break the graph in front of such a
function, and get NumPy's own result. The *forms* in this module are functions with NumPy's result, put into the graph
in place of Dynamo's functions. A number of NumPy is a 0-d array in Dynamo; where the number leaves the call, the code
behind the graph makes a number of NumPy again.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
import warnings
from typing import Any, Callable, Optional

import torch

from ..base import hooks, trace_state
from ..base.torch_names import to_numpy_helper, tree_map
from ..base.torch_names import torch_numpy as tnp
from ..external import numpy_random_functions
from ..ops import numpy_functions

FEATURE = hooks.Feature(__name__, hooks.GAIN, "arrays as NumPy makes them", state=lambda: [False])

REDUCTIONS = frozenset(
    """
    all amax amin any argmax argmin average count_nonzero det dot max mean median min norm percentile prod ptp quantile
    std sum trace var vdot
    """.split()
)
MAX_ASKED = 1 << 16  # limit of the elements in an array of a trial call
MAKERS = frozenset("arange array asarray empty linspace ones zeros".split())
WRITING = frozenset("iadd iand ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor".split())


@FEATURE.hook("numpy.call")
def call_form(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put the form of a function into the graph."""
    form = form_of(self.value)
    is_supported = form is not unravel_index or (not kwargs and is_in_shape(*args))
    result = call_of_form(tx, form, args, kwargs) if is_supported else None
    if result is None and getattr(self.value, "__name__", "") in MAKERS:
        return made(tx, args, call(self, tx, args, kwargs))
    return hooks.DECLINED if result is None else result


@FEATURE.hook("array.method")
def call_array_method(
    method: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any
) -> Any:
    """Put the form of a method into the graph."""
    form = nonzero if name == "nonzero" else taking_open(tnp.clip) if name == "clip" else None
    result = None if form is nonzero and (args or kwargs) else call_of_form(tx, form, [self, *args], kwargs)
    return hooks.DECLINED if result is None else result


@FEATURE.hook("code.output")
def note_output(keep: Any, trace: trace_state.Trace, self: Any, value: Any) -> Any:
    """Note whether an output of the graph is a number of NumPy."""
    from ..base.torch_names import NumpyNdarrayVariable

    FEATURE.of(trace)[0] = isinstance(value, NumpyNdarrayVariable) and is_number(value.as_proxy().node)
    return hooks.DECLINED


@FEATURE.hook("code.import")
def load_helper(load: Any, trace: trace_state.Trace, self: Any, module: str, name: str) -> Any:
    """Load `number_of` for an output that is a number of NumPy."""
    if name == "to_numpy_helper" and FEATURE.of(trace)[0]:
        return load(self, __name__, number_of.__name__)
    return hooks.DECLINED


@FEATURE.hook("array.operator")
def wrap_operator(wrapper: Any, trace: trace_state.Trace, function: Any) -> Any:
    """Put the form of an operator into the graph."""
    return wrapper(operator_form(function))


def form_of(function: Any) -> Optional[Callable[..., Any]]:
    """The form of a function of NumPy; None without a form."""
    from ..base.torch_names import get_np_to_tnp_map

    numpy, name = sys.modules["numpy"], getattr(function, "__name__", "")
    if not isinstance(name, str) or getattr(numpy, name, None) is not function:
        return None
    counterpart = get_np_to_tnp_map().get(function)
    if counterpart is not None and (isinstance(function, numpy.ufunc) or name == "clip"):
        return taking_open(counterpart)
    return FORMS.get(name)


@functools.lru_cache(maxsize=None)
def operator_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """The form of an operator."""
    return taking_open(OPERATORS.get(function, function))


def made(tx: Any, args: Any, array: Any) -> Any:
    """Dynamo's variable of an array that a function makes, which has NumPy's strides where the array is empty."""
    from ..base.torch_names import NumpyNdarrayVariable

    if not isinstance(array, NumpyNdarrayVariable) or any(
        isinstance(arg.realize(), NumpyNdarrayVariable) for arg in args
    ):
        return array
    shape = array.as_proxy().node.meta["example_value"].shape
    is_empty = all(type(size) is int for size in shape) and 0 in shape
    return call_of_form(tx, emptied, [array], {}) if is_empty else array


def call_of_form(tx: Any, form: Optional[Callable[..., Any]], args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for the result of a form."""
    from ..base.torch_names import NumpyNdarrayVariable, numpy_to_tensor_wrapper, proxy_args_kwargs

    if form is None:
        return None
    inputs = proxy_args_kwargs(*NumpyNdarrayVariable.patch_args(form.__name__, args, kwargs))
    return NumpyNdarrayVariable.create(
        tx, tx.output.create_proxy("call_function", numpy_to_tensor_wrapper(form), *inputs)
    )


def is_in_shape(place: Any, shape: Any, *more: Any) -> bool:
    """Whether a place is `argmax` or `argmin` of an array with as many elements as the shape."""
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    node = place.realize().as_proxy().node if place.realize().is_tensor() else None
    if (
        more
        or node is None
        or name_of(node.target) not in ("argmax", "argmin")
        or len(node.args) + len(node.kwargs) > 1
    ):
        return False
    sizes = sizes_in(shape.realize())
    count = node.args[0].meta["example_value"].numel()
    return sizes is not None and bool(statically_known_true(math.prod(sizes) == count))


def sizes_in(shape: Any) -> Optional[list[Any]]:
    """The sizes in Dynamo's variable of a tuple, as integers and symbols; None for other variables."""
    from ..base.torch_names import SizeVariable, SymNodeVariable, TupleVariable

    if shape.is_python_constant():
        sizes: Any = shape.as_python_constant()
        return list(sizes) if isinstance(sizes, tuple) and all(type(size) is int for size in sizes) else None
    if type(shape) not in (SizeVariable, TupleVariable):
        return None
    parts = [item.realize() for item in shape.items]
    sizes = [part.sym_num if isinstance(part, SymNodeVariable) else part.as_python_constant() for part in parts]
    return sizes if all(isinstance(size, (int, torch.SymInt)) for size in sizes) else None


def name_of(target: Any) -> str:
    """The name of NumPy's function or method behind a node; empty for other nodes."""
    from ..base.torch_names import numpy_method_wrapper, numpy_to_tensor_wrapper

    if isinstance(target, numpy_method_wrapper):
        return str(target.method)
    return str(target.f.__name__) if isinstance(target, numpy_to_tensor_wrapper) else ""


# ---- Symbolic numbers as arguments: Dynamo's functions would read their values ----


@functools.lru_cache(maxsize=None)
def taking_open(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that also takes symbolic numbers, each as a 0-d array.

    A Python number takes the dtype of the arrays beside the number; a float takes double precision beside integer
    arrays.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        arguments = [*args, *kwargs.values()]
        if not any(map(is_symbolic, arguments)):
            return function(*args, **kwargs)
        tensors = [getattr(arg, "tensor", arg) for arg in arguments]
        dtypes = [arg.dtype for arg in tensors if isinstance(arg, torch.Tensor)]
        float_dtypes = [dtype for dtype in dtypes if dtype.is_floating_point]
        of_float = (float_dtypes or [torch.float64])[0]
        of_integer = (float_dtypes or [dtype for dtype in dtypes if dtype != torch.bool] or [torch.int64])[0]
        arguments = [
            torch.scalar_tensor(arg, dtype=of_float if is_symbolic_float(arg) else of_integer)
            if is_symbolic(arg)
            else arg
            for arg in arguments
        ]
        return function(
            *map(as_array, arguments[: len(args)]), **dict(zip(kwargs, map(as_array, arguments[len(args) :])))
        )

    return call


def is_symbolic(value: Any) -> bool:
    """Whether a value is a symbolic number."""
    return is_symbolic_float(value) or isinstance(value, torch.SymInt)


def is_symbolic_float(value: Any) -> bool:
    """Whether a value is a symbolic float."""
    return isinstance(value, torch.SymFloat)


def as_array(value: Any) -> Any:
    """The array for a tensor; other values unchanged."""
    return tnp.ndarray(value) if isinstance(value, torch.Tensor) else value


# ---- Numbers of NumPy that leave the call ----


def is_number(node: Any) -> bool:
    """Whether a node is a number in NumPy. Reductions and arithmetic never give 0-d arrays; views and
    constructors do.
    """
    from ..base.torch_names import numpy_operator_wrapper, numpy_to_tensor_wrapper

    value, target = node.meta.get("example_value"), node.target
    if not isinstance(value, torch.Tensor) or value.dim() > 0:
        return False
    if isinstance(target, numpy_operator_wrapper):
        return is_number_of(target.op.__name__, node.args)
    if target is numpy_functions.OPERATOR:
        return numpy_random_functions.hosts[node.args[0]].number
    if target is operator.getitem:
        return name_of(node.args[0].target) == unravel_index.__name__
    if isinstance(target, numpy_to_tensor_wrapper) and isinstance(target.f, numpy_functions.Constant):
        return target.f.is_number
    gives_number = numpy_gives_number(node)
    return name_of(target) in REDUCTIONS if gives_number is None else gives_number


def numpy_gives_number(node: Any) -> Optional[bool]:
    """Whether NumPy returns a number for such arguments, found by a trial call; None where the trial fails."""
    numpy = sys.modules["numpy"]
    try:
        args, kwargs = tree_map(stand_in, (list(node.args), dict(node.kwargs)))
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = numpy_function(node.target)(*args, **kwargs)
    except Exception:  # NumPy has no such function, or refuses the stand-ins for the arguments
        return None
    return isinstance(result, numpy.generic)


def numpy_function(target: Any) -> Callable[..., Any]:
    """NumPy's function behind a node, or the method as a function; raises AttributeError for other nodes."""
    from ..base.torch_names import numpy_method_wrapper

    numpy, name = sys.modules["numpy"], name_of(target)
    if isinstance(target, numpy_method_wrapper):
        return lambda array, *args, **kwargs: getattr(array, name)(*args, **kwargs)
    return getattr(numpy if hasattr(numpy, name) else numpy.linalg, name)  # type: ignore[no-any-return]


def stand_in(item: Any) -> Any:
    """A number or an array of ones in place of a computed argument; other arguments unchanged."""
    value = item.meta["example_value"] if isinstance(item, torch.fx.Node) else item
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        return 1 if isinstance(value, torch.SymInt) else 1.0
    if not isinstance(value, torch.Tensor):
        return value
    numpy = sys.modules["numpy"]
    if value.numel() > MAX_ASKED:
        raise ValueError("an array that is too large to ask with")
    array = numpy.ones([int(size) for size in value.shape], str(value.dtype).replace("torch.", ""))
    return array[()] if is_number(item) else array


def is_number_of(name: str, args: Any) -> bool:
    """Whether an operator with a single item as result gives a number: no writes to arrays, no views."""
    if name == "getitem":
        return args[1] != () and ... not in (args[1] if isinstance(args[1], tuple) else (args[1],))
    return is_number(args[0]) if name in WRITING else True


def number_of(value: Any) -> Any:
    """The number of NumPy in a tensor of the graph."""
    array = to_numpy_helper(value)
    return array[()] if type(array).__name__ == "ndarray" else array


# ---- The forms. Their arguments are tensors of the graph, or Python values ----


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Any = None,
    **options: Any,
) -> Any:
    """`numpy.unique`: the inverse indices have the shape of the array."""
    ar = tnp.asarray(ar)
    results = tnp.unique(ar, return_index, return_inverse, return_counts, axis, **options)
    if not return_inverse or axis is not None or sys.modules["numpy"].__version__ < "2":
        return results
    place = 2 if return_index else 1
    return tuple(part.reshape(ar.shape) if i == place else part for i, part in enumerate(results))


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """`numpy.bincount`: weights are added up in double precision."""
    return tnp.bincount(x, weights if weights is None else tnp.asarray(weights).astype("float64"), minlength)


def nonzero(a: Any) -> Any:
    """`numpy.nonzero`: the results are columns of one table."""
    rows = tnp.nonzero(a)
    if len(rows) < 2:
        return rows
    table = tnp.stack(rows, axis=1)
    return tuple(table[:, i] for i in range(len(rows)))


def where(condition: Any, *sides: Any) -> Any:
    """`numpy.where`: Python floats are of double precision."""
    if not sides:
        return nonzero(condition)
    if all(type(side) in (bool, int, float) for side in sides):
        sides = tuple(tnp.asarray(side) for side in sides)
        dtype = "float64" if any(side.dtype.name.startswith("float") for side in sides) else None
        sides = tuple(side.astype(dtype) for side in sides) if dtype else sides
    return tnp.where(condition, *sides)


def full(shape: Any, fill_value: Any, *args: Any, **kwargs: Any) -> Any:
    """`numpy.full`, also with a symbolic float."""
    if args or kwargs or not is_symbolic_float(fill_value):
        return tnp.full(shape, fill_value, *args, **kwargs)
    return tnp.ndarray(torch.full(shape if isinstance(shape, tuple) else (shape,), fill_value, dtype=torch.float64))


def truediv(a: Any, b: Any) -> Any:
    """`a / b`: integers are divided in double precision."""
    are_integers = [
        not item.tensor.is_floating_point() and not item.tensor.is_complex()
        if isinstance(item, tnp.ndarray)
        else type(item) in (bool, int)
        for item in (a, b)
    ]
    if all(are_integers):
        a = tnp.asarray(a).astype("float64")
    return operator.truediv(a, b)


def unravel_index(place: Any, shape: Any) -> Any:
    """`numpy.unravel_index` of a place inside the shape."""
    place = tnp.asarray(place)
    places: list[Any] = []
    for size in reversed(shape):
        places.insert(0, place % size)
        place = place // size
    return tuple(places)


def is_places(part: Any) -> bool:
    """Whether a part of an index is a row of places or truth values."""
    if isinstance(part, torch.Tensor):
        return part.dim() == 1
    return isinstance(part, list) and all(type(place) is int for place in part)


def getitem(array: Any, index: Any) -> Any:
    """`array[:, places]`: items selected along a dimension are contiguous in memory."""
    parts = index if type(index) is tuple else (index,)
    arrays = [i for i, part in enumerate(parts) if is_places(part)]
    others = [part for part in parts if not is_places(part)]
    if len(arrays) != 1 or arrays == [0] or any(type(part) is not slice or part != slice(None) for part in others):
        result = operator.getitem(array, index)
        return (
            with_numpy_strides(result)
            if any(isinstance(part, (torch.Tensor, tnp.ndarray)) for part in parts)
            else result
        )
    moved = tnp.moveaxis(array, arrays[0], 0)
    return with_numpy_strides(tnp.moveaxis(operator.getitem(moved, parts[arrays[0]]), 0, arrays[0]))


def argwhere(a: Any) -> Any:
    """`numpy.argwhere`."""
    return with_numpy_strides(tnp.argwhere(a))


def emptied(array: Any) -> Any:
    """An empty array as NumPy makes it."""
    return with_numpy_strides(as_array(array))


def with_numpy_strides(array: Any) -> Any:
    """A new array; an empty array gets NumPy's strides. Arrays with data-dependent sizes stay unchanged during the
    trace.
    """
    sizes = tuple(array.tensor.shape)
    if not all(type(size) is int for size in sizes) or 0 not in sizes:
        return array
    strides = [stride for stride in sys.modules["numpy"].empty(sizes, "i1").strides]
    return tnp.ndarray(torch.empty_strided(sizes, strides, dtype=array.tensor.dtype))


def of_quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    """`numpy.percentile` or `numpy.quantile`: a number of the whole array for one quantile."""

    @functools.wraps(function)
    def call(a: Any, q: Any, axis: Any = None, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("keepdims"):
            raise NotImplementedError("the layout of an array that keeps its dimensions")
        is_one = not isinstance(q, (list, tuple)) and getattr(q, "ndim", 0) == 0
        result = function(a, q, axis, *args, **kwargs)
        return result.reshape(()) if is_one and axis is None else result

    return call


QUANTILES = [of_quantile(function) for function in (tnp.percentile, tnp.quantile)]
FORMS: dict[str, Any] = {
    form.__name__: form
    for form in (argwhere, unique, bincount, nonzero, taking_open(where), full, unravel_index, *QUANTILES)
}
OPERATORS = {operator.truediv: truediv, operator.getitem: getitem}
