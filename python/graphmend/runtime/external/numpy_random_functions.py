"""Functions of the program that compute with NumPy alone, random numbers included, as operators of the graph.

Where tensors of the graph decide what such a function draws, its numbers cannot be had in front of the graph
(external_calls.py), and Dynamo would have torch draw them. The function itself runs where it stands, on the tensors of
the call, if its code shows that it reaches for nothing but its arguments and what NumPy computes. What it gives has to
look like what it gave while the call was traced; otherwise, and when it raises, the call is run again in eager Python.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import inspect
import itertools
import sys
import uuid
from types import CodeType, FunctionType
from typing import Any, Callable, Optional

import torch
from torch.fx import GraphModule, Node

from ..analysis import branch_proofs, impure_functions, node_facts
from ..analysis.custom_op_purity import ERRORS, FUNCTIONS
from ..base import define_op, hooks, trace_state
from ..base.dialect_class import NAME, Dialect
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
        """The state as data that JSON has."""
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
# What NumPy does beside computing.
FORBIDDEN = frozenset(
    "DataSource apply_along_axis apply_over_axes asmatrix ctypeslib dump dumps errstate f2py fromfile fromfunction "
    "fromregex frompyfunc genfromtxt get_include info lib load loadtxt memmap nditer nested_iters piecewise "
    "printoptions rec save savetxt savez savez_compressed set_printoptions setbufsize seterr seterrcall setfield "
    "setflags show_config show_runtime test testing tofile vectorize".split()
)
WRITING = ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "STORE_NAME", "IMPORT_", "LOAD_BUILD_CLASS")
MAX_DEPTH = 3
PROCESS = uuid.uuid4().hex  # graphs that are kept on disk are none of another process
numbers = itertools.count()


class Host:
    """A function, its arguments, and what it gives. Tensors among the arguments are numbered.

    A `strict` one is a function of NumPy's, which may give a number, and does not warn of numbers.
    """

    def __init__(self, function: Callable[..., Any], arguments: Any, strict: bool = False) -> None:
        self.function = function
        self.arguments = arguments
        self.strict = strict
        self.number = False  # it gives a number
        self.like: Any = None

    def call(self, tensors: list[torch.Tensor]) -> torch.Tensor:
        """What the function gives for these tensors; it must not change them."""
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
        found = torch.from_numpy(result.copy())
        if self.like is not None and (found.dtype, found.shape) != (self.like.dtype, self.like.shape):
            raise TypeError("an array of another kind")
        return found


def same_numbers(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors of a kind hold the same; NaN is the same as NaN."""
    if torch.equal(one, other):
        return True
    return one.is_floating_point() and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)


def strictly(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """What a function of NumPy's gives; raises an exception where it would warn of numbers."""
    with sys.modules["numpy"].errstate(divide="raise", over="raise", invalid="raise"):
        return function(*args, **kwargs)


class Place:
    """Where a tensor goes among the arguments: as an array, as the number that it holds, or as it is."""

    def __init__(self, place: int, array: bool = False, number: bool = False) -> None:
        self.place = place
        self.array = array
        self.number = number

    def of(self, tensors: list[torch.Tensor]) -> Any:
        """The argument, where these are the tensors."""
        value = tensors[self.place]
        return value.item() if self.number else value.numpy() if self.array else value


hosts: dict[str, Host] = {}


def run(key: str, tensors: list[torch.Tensor], before: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Kernel of the operator; `before` is what the last of its kind gave, so that they run in order."""
    return hosts[key].call(tensors)


def fake(key: str, tensors: list[torch.Tensor], before: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Shape of the result."""
    return torch.empty(hosts[key].like.shape, dtype=hosts[key].like.dtype)


OPERATOR = define_op.define(
    "host(str key, Tensor[] tensors, Tensor? before) -> Tensor", run, fake, tags=(torch.Tag.nondeterministic_seeded,)
)
OPERATORS = [OPERATOR]  # those whose results have to be needed


@functools.lru_cache(maxsize=256)
def draws(function: FunctionType) -> bool:
    """Whether a function draws random numbers from NumPy, and does nothing else that anybody could notice."""
    return "random" in names_of(function.__code__) and "numpy" in sys.modules and computes(function, MAX_DEPTH)


def names_of(code: CodeType) -> set[str]:
    """The attributes that code asks for, and what it defines."""
    found = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= names_of(part)
    return found


def computes(function: FunctionType, depth: int) -> bool:
    """Whether a function reaches for nothing but its arguments, NumPy, and functions of its own kind."""
    if depth == 0 or function.__closure__ or not is_plain_code(function.__code__, function.__globals__, depth):
        return False
    return all(map(is_constant, (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())))


def is_constant(value: Any) -> bool:
    """Whether a value is a number, a text, or a tuple of such that nobody can change."""
    return all(map(is_constant, value)) if type(value) in (tuple, torch.Size) else type(value) in impure_functions.PLAIN


def is_plain_code(code: CodeType, variables: dict, depth: int) -> bool:
    """The same of code, with that of the functions in it."""
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
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
    """Whether an attribute may be asked for, of whatever is at hand in such a function."""
    numpy = sys.modules["numpy"]
    if name in FORBIDDEN or name.startswith("_"):
        return False
    known = name in METHODS or name in DRAWS or hasattr(Dialect, name)
    return known or hasattr(numpy, name) or hasattr(numpy.ndarray, name)


def may_use(name: str, variables: dict, depth: int) -> bool:
    """Whether a global may be used."""
    if name not in variables:
        return name in FUNCTIONS or name in ERRORS or name in ("dict", "set", "str", NAME)
    value = variables[name]
    if value is sys.modules["numpy"] or is_constant(value):
        return True
    return isinstance(value, FunctionType) and computes(value, depth - 1)


@FEATURE.hook("function.call")
def call_drawing(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Have the graph run a function that draws."""
    from ..base.torch_names import UserFunctionVariable

    function = getattr(self, "fn", None)
    if type(self) is not UserFunctionVariable or not isinstance(function, FunctionType) or not draws(function):
        return call(self, tx, args, kwargs)
    draws_here = FEATURE.of(trace)
    draws_here.may_help = True
    draws_here.inside = not trace.open and tx.output.current_tracer.parent is None
    hosted = draws_here.as_operators and draws_here.inside
    found = called(trace, tx, self, args, kwargs) if hosted else call(self, tx, args, kwargs)
    draws_here.inside = False
    return found


def want_operators(trace: trace_state.Trace) -> None:
    """Note that another attempt, with functions as operators, may succeed where this one fails."""
    FEATURE.of(trace).may_help = True


def called(trace: trace_state.Trace, tx: Any, variable: Any, args: Any, kwargs: Any) -> Any:
    """Dynamo's variable for what a call of a function gives."""
    from ..base.torch_names import NumpyNdarrayVariable

    function = variable.fn
    site = trace_state.site_name(function.__code__.co_filename, function.__code__.co_firstlineno, "GM501")
    if trace.ignored_errors:
        raise trace_state.SiteRefused(
            "a function that draws random numbers runs where it is said what NumPy tells of numbers"
        )
    tensors: list[Any] = []
    arguments = [plain(site, tx, item, tensors) for item in args]
    options = {name: plain(site, tx, item, tensors) for name, item in kwargs.items()}
    host = Host(function, (arguments, options))
    found = notes()
    if found.hosted is None:
        external_calls.keep(found, impure_functions.Fact(impure_functions.DRAW), sys.modules["numpy"].random.rand, site)
    path = path_of(trace, tx.output)
    values = [path.tensor(item.as_proxy().node) for item in tensors]
    if any(value is None for value in values):
        raise trace_state.SiteRefused("what a function draws random numbers for is not to be had")
    try:
        host.like = host.call([value.detach() for value in values])
    except Exception as error:
        raise trace_state.SiteRefused(f"a function that draws random numbers raises {type(error).__name__}") from None
    external_calls.guard(variable, function)
    inputs = (keep(host, function.__qualname__), [item.as_proxy() for item in tensors], found.hosted)
    found.hosts(tx.output.create_proxy("call_function", OPERATOR, inputs, {}))
    result = NumpyNdarrayVariable.create(tx, found.hosted)
    if path.shadow is not None:
        path.shadow.note(found.hosted.node, host.like)
    return result


def keep(host: Host, name: str) -> str:
    """Keep a host for the graphs of this process; returns the key that they know it by."""
    key = f"{name}-{PROCESS}-{next(numbers)}"
    hosts[key] = host
    return key


def plain(site: str, tx: Any, variable: Any, tensors: list[Any]) -> Any:
    """An argument: a constant of the trace, or the place of a tensor."""
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
        return external_calls.size(site, variable.evaluate_expr(tx.output))
    if variable.python_type() in (tuple, torch.Size):
        return variable.python_type()([plain(site, tx, item, tensors) for item in variable.unpack_var_sequence(tx)])
    if not variable.is_python_constant() or not is_constant(variable.as_python_constant()):
        raise trace_state.SiteRefused("a function that draws random numbers is given an object")
    return variable.as_python_constant()


def settle(module: GraphModule) -> None:
    """Make sure that what such functions give is needed, and copied as arrays are: of tensors torch would warn."""
    calls = [node for node in module.graph.nodes if node.op == "call_function" and node.target in OPERATORS]
    needed = needed_nodes(module) if calls else set()
    for node in calls:
        if node not in needed:
            raise trace_state.SiteRefused("nobody asks for what a function of NumPy gives")
        for user in list(node.users):
            if user.target is torch.tensor and user.kwargs.keys() <= {"dtype", "device"} and len(user.args) == 1:
                copy_array(module, user)


def needed_nodes(module: GraphModule) -> set[Node]:
    """What the outputs of a graph come from, by way of what is written in place, too."""
    needed: set[Node] = set()
    memory: set[int] = set()
    waiting = [module.graph.output_node()]
    writers = [(node, node_facts.writes_of(node)) for node in module.graph.nodes]
    while waiting:
        while waiting:
            node = waiting.pop()
            if node not in needed:
                needed.add(node)
                memory |= branch_proofs.storages_of(node)
                waiting += node.all_input_nodes
        waiting = [writer for writer, storages in writers if storages & memory and writer not in needed]
    return needed


def copy_array(module: GraphModule, node: Node) -> None:
    """Replace `torch.tensor(array, dtype=..., device=...)`."""
    with module.graph.inserting_before(node):
        copy = module.graph.call_method("clone", (node.args[0],))
        copy.meta["example_value"] = node.args[0].meta["example_value"]  # type: ignore[union-attr]
        options = {name: value for name, value in node.kwargs.items() if value is not None}
        if options:
            copy = module.graph.call_method("to", (copy,), options)
        copy.meta = dict(node.meta)
    node.replace_all_uses_with(copy)
    module.graph.erase_node(node)
