"""Functions that compute with NumPy alone, random numbers included, as operators of the graph.

    def noisy(image):                          # `image` is computed by the graph
        return image.numpy() + np.random.normal(0, 0.1, image.shape)

The numbers drawn here depend on tensors of the graph, so the prologue cannot draw them (`external_calls.py`), and
Dynamo would draw them from torch. The graph therefore calls the function itself, as an operator on the tensors of the
call, if the code of the function uses only its arguments and NumPy. The result must have the dtype and shape seen by
the trace; otherwise, or where the function raises, the call runs again in eager Python.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import itertools
import sys
import uuid
from types import CodeType, FunctionType
from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import impure_functions, node_facts
from ..analysis.custom_op_purity import ERRORS, FUNCTIONS
from ..base import define_op, hooks, trace_state
from ..base.callable_code import is_suspended
from ..base.dialect_class import NAME, Dialect
from ..base.marker_ops import kind_of
from ..base.owned_state import OwnedState
from ..base.torch_names import tree_map
from ..capture.path_speculation import path_of
from . import external_calls
from .prologue import notes


@dataclasses.dataclass
class Draws:
    """The functions of one trace that draw from NumPy."""

    as_operators: bool = False  # such functions run as operators of the graph
    may_help: bool = False  # there are functions for which operators may help
    inside: bool = False  # the trace is in such a function, or has ended there


@dataclasses.dataclass
class KnownDraws:
    """The functions of one callable that draw from NumPy."""

    hosts: bool = False  # graphs run such functions as operators

    def report(self) -> dict[str, Any]:
        """The state as data for JSON."""
        return {"hosts": self.hosts}

    def learn(self, as_operators: bool) -> None:
        """Note a graph, or a profile with such functions as operators."""
        self.hosts |= as_operators

    def forget(self, before: bool) -> None:
        """Return to an earlier state."""
        self.hosts = before


KNOWN = OwnedState(__name__, KnownDraws)

FEATURE = hooks.Feature(__name__, hooks.GAIN, "functions that draw from NumPy, as operators", state=Draws)

DRAWS = frozenset(impure_functions.OF_NUMPY) - {"seed", "integers"} | {"choice"}
METHODS = frozenset(
    "append clear copy count extend get index insert items keys pop remove reverse sort update values add "
    "detach cpu numpy tolist item long int float bool double size dim numel shape dtype ndim random".split()
)
# Names of NumPy with effects, settings, files, or calls of user functions.
FORBIDDEN = frozenset(
    "DataSource apply_along_axis apply_over_axes asmatrix ctypeslib dump dumps errstate f2py fromfile fromfunction "
    "fromregex frompyfunc genfromtxt get_include info lib load loadtxt memmap nditer nested_iters piecewise "
    "printoptions rec save savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall setfield "
    "setflags show_config show_runtime test testing tofile vectorize".split()
)
WRITING = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_NAME", "IMPORT_", "LOAD_BUILD_CLASS")
MAX_DEPTH = 3
PROCESS = uuid.uuid4().hex  # keys in graphs cached on disk never match another process
numbers = itertools.count()


class Host:
    """A function, its arguments, and the kind of its result. Tensors among the arguments are `Place` objects.

    A `strict` host is a function of NumPy itself: the result may be a number, and a numeric warning counts as a
    failure.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, strict: bool = False) -> None:
        self.function = function
        self.arguments = arguments
        self.strict = strict
        self.number = False  # the result is a number
        self.like: Any = None

    def call(self, tensors: list[torch.Tensor]) -> torch.Tensor:
        """The result of the function for these tensors; raises if the function writes to an argument or returns its
        memory.
        """
        copies = [tensor.detach().clone() for tensor in tensors]
        args, kwargs = tree_map(lambda item: item.of(copies) if isinstance(item, Place) else item, self.arguments)
        result = strictly(self.function, args, kwargs) if self.strict else self.function(*args, **kwargs)
        if self.strict and isinstance(result, sys.modules["numpy"].generic):
            self.number, result = True, sys.modules["numpy"].asarray(result)
        if type(result).__name__ != "ndarray" or not result.flags.c_contiguous or result.dtype.kind not in "biuf":
            raise TypeError("no array of numbers")
        if not all(map(same_numbers, copies, tensors)):
            raise TypeError("it writes to an argument")
        if any(sys.modules["numpy"].may_share_memory(result, copy.numpy()) for copy in copies):
            raise TypeError("it gives a part of an argument")
        output = torch.from_numpy(result.copy())
        if self.like is not None and (output.dtype, output.shape) != (self.like.dtype, self.like.shape):
            raise TypeError("an array of another kind")
        return output


def same_numbers(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors hold equal numbers; NaN equals NaN."""
    if torch.equal(one, other):
        return True
    return one.is_floating_point() and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def strictly(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """The result of a function of NumPy; numeric warnings raise."""
    with sys.modules["numpy"].errstate(divide="raise", over="raise", invalid="raise"):
        return function(*args, **kwargs)


class Place:
    """The place of a tensor among the arguments, passed as an array, as a number, or as the tensor."""

    def __init__(self, place: int, array: bool = False, number: bool = False) -> None:
        self.place = place
        self.array = array
        self.number = number

    def of(self, tensors: list[torch.Tensor]) -> Any:
        """The argument for these tensors."""
        value = tensors[self.place]
        return value.item() if self.number else value.numpy() if self.array else value


hosts: dict[str, Host] = {}


def run(key: str, tensors: list[torch.Tensor], before: Optional[torch.Tensor] = None) -> torch.Tensor:
    """The kernel of the operator; `before` is the result of the previous operator, and keeps the program order."""
    return hosts[key].call(tensors)


def fake(key: str, tensors: list[torch.Tensor], before: Optional[torch.Tensor] = None) -> torch.Tensor:
    """The shape and dtype of the result."""
    return torch.empty(hosts[key].like.shape, dtype=hosts[key].like.dtype)


OPERATOR = define_op.define(
    "host(str key, Tensor[] tensors, Tensor? before) -> Tensor", run, fake, tags=(torch.Tag.nondeterministic_seeded,)
)
OPERATORS = [OPERATOR]  # operators whose results an output must depend on


@functools.lru_cache(maxsize=256)
def draws(function: FunctionType) -> bool:
    """Whether a function draws random numbers from NumPy, and otherwise only computes."""
    return "random" in names_of(function.__code__) and "numpy" in sys.modules and computes(function, MAX_DEPTH)


def names_of(code: CodeType) -> set[str]:
    """The attributes and globals named in code, with the code of functions defined inside."""
    names = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            names |= names_of(part)
    return names


def computes(function: FunctionType, depth: int) -> bool:
    """Whether a function uses only its arguments, NumPy, and other functions with this property."""
    if depth == 0 or function.__closure__ or not is_plain_code(function.__code__, function.__globals__, depth):
        return False
    return all(map(is_constant, (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())))


def is_constant(value: Any) -> bool:
    """Whether a value is a number, a string, or a tuple of numbers and strings."""
    return all(map(is_constant, value)) if type(value) in (tuple, torch.Size) else type(value) in impure_functions.PLAIN


def is_plain_code(code: CodeType, variables: dict[str, Any], depth: int) -> bool:
    """Whether code uses only arguments, NumPy, and functions with this property."""
    if is_suspended(code):
        return False
    globals_used = set()
    for item in dis.get_instructions(code):
        if item.opname.startswith(WRITING):
            return False
        if item.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            globals_used.add(item.argval)
        elif isinstance(item.argval, str) and item.argval in code.co_names and not may_ask(item.argval):
            return False
    inner = [part for part in code.co_consts if isinstance(part, CodeType)]
    return all(may_use(name, variables, depth) for name in globals_used) and all(
        is_plain_code(part, variables, depth) for part in inner
    )


def may_ask(name: str) -> bool:
    """Whether such code may use an attribute, whatever its object."""
    numpy = sys.modules["numpy"]
    if name in FORBIDDEN or name.startswith("_"):
        return False
    is_known = name in METHODS or name in DRAWS or hasattr(Dialect, name)
    return is_known or hasattr(numpy, name) or hasattr(numpy.ndarray, name)


def may_use(name: str, variables: dict[str, Any], depth: int) -> bool:
    """Whether such code may use a global."""
    if name not in variables:
        return name in FUNCTIONS or name in ERRORS or name in ("dict", "set", "str", NAME)
    value = variables[name]
    if value is sys.modules["numpy"] or is_constant(value):
        return True
    return isinstance(value, FunctionType) and computes(value, depth - 1)


@FEATURE.hook("function.call")
def call_drawing(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Put the call of a function that draws from NumPy into the graph."""
    from ..base.torch_names import UserFunctionVariable

    function = getattr(self, "fn", None)
    if type(self) is not UserFunctionVariable or not isinstance(function, FunctionType) or not draws(function):
        return hooks.DECLINED
    draws_here = FEATURE.of(trace)
    draws_here.may_help = True
    draws_here.inside = not trace.open and tx.output.current_tracer.parent is None
    is_hosted = draws_here.as_operators and draws_here.inside
    result = operator_call(trace, tx, self, args, kwargs) if is_hosted else call(self, tx, args, kwargs)
    draws_here.inside = False
    return result


def want_operators(trace: trace_state.Trace) -> None:
    """Note that another attempt, with functions as operators, may succeed where this one fails."""
    FEATURE.of(trace).may_help = True


def operator_call(trace: trace_state.Trace, tx: Any, variable: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for the result of an operator that calls a function."""
    from ..base.torch_names import NumpyNdarrayVariable

    function = variable.fn
    site = trace_state.site_name(function.__code__.co_filename, function.__code__.co_firstlineno, "GM501")
    if trace.ignored_errors:
        raise trace_state.SiteRefused(
            "a function that draws random numbers runs where it is said what NumPy tells of numbers"
        )
    tensors: list[Any] = []
    arguments = [operator_argument(site, tx, item, tensors) for item in args]
    options = {name: operator_argument(site, tx, item, tensors) for name, item in kwargs.items()}
    host = Host(function, (arguments, options))
    graph_notes = notes()
    if graph_notes.hosted is None:
        external_calls.save_generator(
            graph_notes, impure_functions.Fact(impure_functions.DRAW), sys.modules["numpy"].random.rand, site
        )
    path = path_of(trace, tx.output)
    values = [path.tensor(item.as_proxy().node) for item in tensors]
    if any(value is None for value in values):
        raise trace_state.SiteRefused("what a function draws random numbers for is not to be had")
    try:
        host.like = host.call([value.detach() for value in values if value is not None])
    except Exception as error:
        raise trace_state.SiteRefused(f"a function that draws random numbers raises {type(error).__name__}") from None
    external_calls.guard(variable, function)
    inputs = (register(host, function.__qualname__), [item.as_proxy() for item in tensors], graph_notes.hosted)
    graph_notes.hosts(tx.output.create_proxy("call_function", OPERATOR, inputs, {}))
    result = NumpyNdarrayVariable.create(tx, graph_notes.hosted)
    if path.shadow is not None:
        path.shadow.note(graph_notes.hosted.node, host.like)
    return result


def register(host: Host, name: str) -> str:
    """Keep a host for the graphs of this process; returns its key."""
    key = f"{name}-{PROCESS}-{next(numbers)}"
    hosts[key] = host
    return key


def operator_argument(site: str, tx: Any, variable: Any, tensors: list[Any]) -> Any:
    """An argument of the operator: a constant of the trace, or the place of a tensor."""
    from ..capture.identity_guard import decided_by_data

    variable = variable.realize()
    if variable.is_tensor():
        example = variable.as_proxy().node.meta["example_value"]
        if example.requires_grad or type(variable).__name__ != "TensorVariable":
            raise trace_state.SiteRefused("a function that draws random numbers is given a tensor with a gradient")
        tensors.append(variable)
        return Place(len(tensors) - 1)
    if hasattr(variable, "sym_num"):
        if decided_by_data(variable) or not hasattr(variable, "evaluate_expr"):
            raise trace_state.SiteRefused("a function that draws random numbers is given a number that data decide")
        return external_calls.fixed_size(site, variable.evaluate_expr(tx.output))
    if variable.python_type() in (tuple, torch.Size):
        return variable.python_type()(
            [operator_argument(site, tx, item, tensors) for item in variable.unpack_var_sequence(tx)]
        )
    if not variable.is_python_constant() or not is_constant(variable.as_python_constant()):
        raise trace_state.SiteRefused("a function that draws random numbers is given an object")
    return variable.as_python_constant()


def settle(module: GraphModule) -> None:
    """Check that an output depends on each operator, and copy results like arrays: for tensors, `torch.tensor` would
    warn.
    """
    calls = [node for node in module.graph.nodes if node.op == "call_function" and node.target in OPERATORS]
    needed = needed_nodes(module) if calls else set()
    for node in calls:
        if node not in needed:
            raise trace_state.SiteRefused("nobody asks for what a function of NumPy gives")
        for user in list(node.users):
            if user.target is torch.tensor and user.kwargs.keys() <= {"dtype", "device"} and len(user.args) == 1:
                copy_array(module, user)


def needed_nodes(module: GraphModule) -> set[Node]:
    """The nodes behind the outputs of a graph, in-place writes to their memory included.

    What a check or a decision asks, and what an effect prints, become outputs.
    """
    needed: set[Node] = set()
    memory: set[int] = set()
    asking = [node for node in module.graph.nodes if kind_of(node) in ("check", "decide", "event")]
    waiting = [module.graph.output_node(), *asking]
    writers = [(node, node_facts.writes_of(node)) for node in module.graph.nodes]
    while waiting:
        while waiting:
            node = waiting.pop()
            if node not in needed:
                needed.add(node)
                memory |= node_facts.storages_of(node)
                waiting += node.all_input_nodes
        waiting = [writer for writer, storages in writers if storages & memory and writer not in needed]
    return needed


def copy_array(module: GraphModule, node: Node) -> None:
    """Replace `torch.tensor(array, dtype=..., device=...)` by a copy of the tensor."""
    with module.graph.inserting_before(node):
        copy = module.graph.call_method("clone", (node.args[0],))
        copy.meta["example_value"] = node.args[0].meta["example_value"]  # type: ignore[union-attr]
        options: dict[str, Any] = {name: value for name, value in node.kwargs.items() if value is not None}
        if options:
            copy = module.graph.call_method("to", (copy,), options)
        copy.meta = dict(node.meta)
    node.replace_all_uses_with(copy)
    module.graph.erase_node(node)
