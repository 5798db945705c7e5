"""Context managers without effect on the graph, or with an effect that Dynamo knows under another name.

    with torch.backends.cudnn.flags(enabled=False): ...        # settings of a GPU
    with np.errstate(divide="ignore"): ...                     # warnings of NumPy
    with torch.device("cpu"): ...                              # a device as a block
    stack.enter_context(torch.no_grad())                       # a known block in an `ExitStack`
    with self.timer: ...                                       # an object from before the call

Dynamo breaks the graph at each of these. Flags of cuDNN mean nothing to a graph on the CPU whose program does not read
the flags. Operators of torch give no numeric warnings, so `errstate` that ignores warnings changes nothing. A device as
a block is the mode `DeviceContext`, known to Dynamo. Blocks known to Dynamo are wrapped for `ExitStack`,
and objects from before the call for `with`, as Dynamo enters objects of the call alone.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
import types
from typing import Any

import torch
from torch.fx import GraphModule
from torch.overrides import TorchFunctionMode

from ..analysis.marker_regions import tensor_of
from ..base import hooks, trace_state
from ..base.dynamo_values import inline, package
from ..base.torch_names import DeviceContext


@dataclasses.dataclass
class Flags:
    """The flags of cuDNN that one trace sets."""

    open: int = 0  # blocks that set flags and have not ended
    met: bool = False  # there was such a block, so the graph has to stay on the CPU


FEATURE = hooks.Feature(
    __name__, hooks.GAIN, "context managers that change nothing, or only what is traced", state=Flags
)

CUDNN = torch.backends.cudnn
FLAGS, ERRORS = "flags of cuDNN", "errors of NumPy"  # kinds of blocks


@FEATURE.hook("torch_function.call")
def call_cudnn_flags(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `torch.backends.cudnn.flags`."""
    if self.value is not CUDNN.flags or args or not kwargs.keys() <= inspect.signature(CUDNN.flags).parameters.keys():
        return hooks.DECLINED
    if not all(item.is_python_constant() for item in kwargs.values()):
        raise trace_state.SiteRefused("flags of cuDNN that are no constants")
    return block_class()(trace, FLAGS)


@FEATURE.hook("module.getattr")
def read_cudnn_flags(read: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Refuse a read of a cuDNN flag inside such a block."""
    if FEATURE.of(trace).open and self.value is CUDNN and name != "flags":
        raise trace_state.SiteRefused("the flags of cuDNN are looked at where the function sets them")
    return hooks.DECLINED


@FEATURE.hook("block.enter")
def enter_block(begin: Any, trace: trace_state.Trace, self: Any, instruction: Any) -> None:
    """Trace a device, or an object from before the call, as a context manager."""
    value = self.stack[-1].realize()
    if value.is_python_constant() and isinstance(value.as_python_constant(), torch.device):
        self.pop()
        self.push(inline(self, on_device, [value], {}))
    elif trace.whole and is_older_block(value):
        self.pop()
        self.push(inline(self, held_object, [value], {}))
    begin(self, instruction)


def is_older_block(variable: Any) -> bool:
    """Whether Dynamo's variable is an object from before the call, of a class of the program with `__enter__`."""
    from ..base.torch_names import UserDefinedObjectVariable

    if type(variable) is not UserDefinedObjectVariable or variable.source is None:
        return False
    kind = variable.python_type()
    if package(kind) == "torch":  # what a block of torch sets, Dynamo follows for blocks of the call
        return False
    methods = [inspect.getattr_static(kind, name, None) for name in ("__enter__", "__exit__")]
    return all(isinstance(method, types.FunctionType) for method in methods)


@FEATURE.hook("function.call")
def call_enter_or_leave(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Enter or leave a block for the functions `enter` and `leave`."""
    function = getattr(self, "fn", None)
    if function is enter:
        return args[0].enter(tx)
    return args[0].exit(tx, *args[1:]) if function is leave else hooks.DECLINED


@FEATURE.hook("method.call")
def enter_context(run: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `ExitStack.enter_context` with a block known to Dynamo."""
    from ..base.torch_names import ContextWrappingVariable

    if self.fn is contextlib.ExitStack.enter_context and args and isinstance(args[0], ContextWrappingVariable):
        args = [inline(tx, held_block, args, {})]
    return run(self, tx, args, kwargs)


@FEATURE.hook("numpy.call")
def call_errstate(ask: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Trace `numpy.errstate` that ignores warnings."""
    if getattr(self.value, "__name__", "") == "errstate" and not args and ignores(kwargs):
        return block_class()(trace, ERRORS)
    return hooks.DECLINED


class Held:
    """A block known to Dynamo, as a plain object with `__enter__` and `__exit__`."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager

    def __enter__(self) -> Any:
        return enter(self.manager)

    def __exit__(self, *error: Any) -> Any:
        return leave(self.manager, *error)


def enter(manager: Any) -> Any:
    """Enter a block; Dynamo runs the hook `call_enter_or_leave` instead."""
    raise NotImplementedError


def leave(manager: Any, *error: Any) -> Any:
    """Leave a block; Dynamo runs the hook `call_enter_or_leave` instead."""
    raise NotImplementedError


def held_block(manager: Any) -> Any:
    """A block for an `ExitStack`."""
    return Held(manager)


class HeldObject:
    """An object from before the call with `__enter__` and `__exit__`, as an object of the call."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager

    def __enter__(self) -> Any:
        return type(self.manager).__enter__(self.manager)

    def __exit__(self, *error: Any) -> Any:
        return type(self.manager).__exit__(self.manager, *error)


def held_object(manager: Any) -> Any:
    """An object from before the call as a context manager that the call has made."""
    return HeldObject(manager)


def on_device(device: torch.device) -> Any:
    """The mode for a device as a block."""
    return OnDevice(device)


class OnDevice(DeviceContext):  # type: ignore[misc]  # a class of torch, unknown to mypy
    """A device mode entered like a device itself: on top of all other modes."""

    __enter__ = TorchFunctionMode.__enter__
    __exit__ = TorchFunctionMode.__exit__


def ignores(options: dict[str, Any]) -> bool:
    """Whether all options say "ignore"."""
    return all(item.is_python_constant() and item.as_python_constant() == "ignore" for item in options.values())


@functools.lru_cache(maxsize=None)
def block_class() -> type:
    """Dynamo's class of variables for counted blocks; imported late, because Dynamo may not be loaded yet."""
    from ..base.torch_names import NullContextVariable

    class Block(NullContextVariable):  # type: ignore[misc]  # a class of Dynamo, unknown to mypy
        """A block without further content; the trace counts the open blocks of its `kind`."""

        _nonvar_fields = {"trace", "kind", "entered", *NullContextVariable._nonvar_fields}

        def __init__(self, trace: trace_state.Trace, kind: str, **options: Any) -> None:
            super().__init__(**options)
            self.trace = trace
            self.kind = kind
            self.entered = False

        def count(self, step: int) -> None:
            if self.kind == FLAGS:
                flags = FEATURE.of(self.trace)
                flags.open, flags.met = flags.open + step, True
            else:
                self.trace.ignored_errors += step

        def enter(self, tx: Any) -> Any:
            if self.entered:
                raise trace_state.SiteRefused("a context manager is entered twice")
            self.entered = True
            self.count(1)
            return super().enter(tx)

        def exit(self, tx: Any, *args: Any) -> Any:
            self.count(-1)
            return super().exit(tx, *args)

        def reconstruct_type(self, codegen: Any) -> None:
            raise trace_state.SiteRefused("a graph breaks in a block of which the trace knows only that it is in one")

        reconstruct = reconstruct_type

    return Block


def refuse_devices(module: GraphModule, trace: trace_state.Trace) -> None:
    """Refuse a graph with flags of cuDNN and an operation outside of the CPU."""
    for node in module.graph.nodes if FEATURE.of(trace).met else ():
        values = tensor_of(node)
        for value in values if isinstance(values, (tuple, list)) else (values,):
            if isinstance(value, torch.Tensor) and value.device.type not in ("cpu", "meta"):
                raise trace_state.SiteRefused("the function sets flags of cuDNN for a device")
