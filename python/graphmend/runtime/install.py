"""Switching the runtime on and off.

`torch.compile` ends in `torch._dynamo.optimize`, and so does everything else that compiles; that function is replaced.
If Dynamo is not loaded yet, `torch.compile` itself is replaced until its first use, so that installing costs nothing.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import threading
from typing import Any, Callable, Optional

import torch

from . import own_guards, state

lock = threading.Lock()
originals: dict[str, Any] = {}


def entry_of(function: Any) -> Any:
    """The code object at which a compiled callable starts."""
    target = function
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module) and getattr(function, "__name__", "") in (
        "_wrapped_call_impl",
        "__call__",
        "_call_impl",
    ):
        target = type(owner).forward
    target = getattr(target, "__func__", target)
    return getattr(target, "__code__", target)


def make_context_class() -> type:
    """The class of contexts whose callables are wrapped; made late because Dynamo is loaded late."""
    from torch._dynamo.eval_frame import OptimizeContext

    from .compile_wrapper import Way, Ways, wrap

    class MendingContext(OptimizeContext):
        """An `OptimizeContext` with a whole and a partial way to run."""

        def __call__(self, fn: Any) -> Any:
            if isinstance(fn, (torch.nn.Module, type)):
                return super().__call__(fn)
            backend, callback = self.graphmend_backend, self.callback
            entry = entry_of(torch._dynamo.eval_frame.innermost_fn(fn))
            if backend.entry is None:
                backend.entry = entry
            elif backend.entry is not entry:
                return self.graphmend_again()(fn)
            compiled = super().__call__(fn)
            function = compiled._torchdynamo_orig_callable
            owner = getattr(torch._dynamo.eval_frame.innermost_fn(fn), "__self__", None)
            name = getattr(fn, "__name__", "")
            module = owner if isinstance(owner, torch.nn.Module) and name != "_call_impl" else None
            record = callback.record
            describe(record, owner, entry)

            def path(number: int) -> Way:
                context, backend = self.graphmend_path(number)
                return Way(context(fn), backend)

            ways = Ways(Way(compiled, backend), path, lambda: self.graphmend_partial()(fn), callback)
            return wrap(ways, function, module)

        def __reduce__(self) -> Any:
            return rebuild, (self.graphmend_arguments, self.graphmend_options)

    return MendingContext


def describe(record: Any, owner: Any, entry: Any) -> None:
    """Name a compiled callable for the report."""
    record.name = type(owner).__name__ if isinstance(owner, torch.nn.Module) else getattr(entry, "co_name", str(entry))
    record.file = getattr(entry, "co_filename", "")
    record.line = getattr(entry, "co_firstlineno", 0)


def rebuild(args: tuple, kwargs: dict) -> Any:
    """Make a context again, for copies and pickles."""
    return torch._dynamo.optimize(*args, **kwargs)


def optimize(*args: Any, **kwargs: Any) -> Any:
    """Stands in for `torch._dynamo.optimize`."""
    original = originals.get("optimize") or torch._dynamo.eval_frame.optimize
    if not state.enabled() or not is_complete():
        return original(*args, **kwargs)
    return mending_context(original, args, kwargs)


def is_complete() -> bool:
    """Whether everything that contexts are made of can be loaded, as it can with every torch that we know."""
    try:
        context_class()
        importlib.import_module(f"{__package__}.backend")
    except Exception as error:
        from graphmend import hook

        hook.warn("compiled callables are not mended", error)
        return False
    return True


def accepts(original: Callable[..., Any], option: str) -> bool:
    """Whether `torch._dynamo.optimize` knows of an option; it takes whatever the function behind it takes."""
    behind = getattr(torch._dynamo.eval_frame, "_optimize", original)
    return option in inspect.signature(behind).parameters


def mending_context(original: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """A context of Dynamo with our callback and backend; whatever is not an ordinary context is returned as it is."""
    from torch._dynamo.eval_frame import OptimizeContext

    from .backend import MendingBackend
    from .compile_wrapper import Callback

    options = dict(kwargs)
    backend = args[0] if args else options.pop("backend", "inductor")
    resolved = torch._dynamo.backends.registry.lookup_backend(backend) if isinstance(backend, str) else backend
    whole = MendingBackend(resolved, True)
    context = original(whole, *args[1:], **options)
    if type(context) is not OptimizeContext or not callable(resolved):
        return original(*args, **kwargs)
    record = state.CallableRecord("", "", 0)
    state.registry.callables.append(record)
    only = bool(context.fullgraph)
    context.callback = Callback(context.callback, record, whole, only)
    context.__class__ = context_class()
    alone = {"isolate_recompiles": True} if accepts(original, "isolate_recompiles") else {}

    def path(number: int) -> Any:
        backend = MendingBackend(resolved, True, number)
        backend.entry = whole.entry
        other = original(backend, *args[1:], **{**options, **alone})
        other.callback = Callback(other.callback, record, backend, only)
        for name in ("off", "eager", "held", "evidence"):
            setattr(other.callback, name, getattr(context.callback, name))
        return other, backend

    def partial() -> Any:
        backend = MendingBackend(resolved, False)
        other = original(backend, *args[1:], **options)
        other.callback = Callback(other.callback, record, backend, False)
        return other

    context.graphmend_backend = whole
    context.graphmend_path = path
    context.graphmend_partial = partial
    context.graphmend_again = lambda: mending_context(original, args, kwargs)
    context.graphmend_arguments, context.graphmend_options = args, kwargs
    return context


_classes: list[type] = []


def context_class() -> type:
    """The class of our contexts."""
    if not _classes:
        _classes.append(make_context_class())
    return _classes[0]


def patch_dynamo() -> None:
    """Replace `torch._dynamo.optimize`, and keep Dynamo out of our own frames."""
    import torch._dynamo

    with lock:
        if torch._dynamo.optimize is optimize:
            return
        own_guards.bind_builtins()
        originals["optimize"] = torch._dynamo.optimize
        functools.update_wrapper(optimize, originals["optimize"])
        torch._dynamo.optimize = optimize
        skip_own_files()


def skip_own_files() -> None:
    """Tell Dynamo once which files it is not to trace. It keeps a list, and makes one regular expression of all."""
    from torch._dynamo import trace_rules

    for name in ("compile_wrapper", "install", "replay", "backend", "sinks", "undo"):
        if os.path.join(os.path.dirname(__file__), f"{name}.py") not in trace_rules.SKIP_DIRS:
            trace_rules.add(f"{__package__}.{name}")


def first_compile(*args: Any, **kwargs: Any) -> Any:
    """Stands in for `torch.compile` until Dynamo is loaded."""
    original = originals["compile"]
    if torch.compile is first_compile:
        torch.compile = original
        patch_dynamo()
    return original(*args, **kwargs)


def install_compile() -> None:
    """Switch mending on for everything that is compiled from now on."""
    if not state.enabled():
        return
    if "torch._dynamo" in sys.modules:
        patch_dynamo()
        return
    with lock:
        if torch.compile is not first_compile:
            originals["compile"] = torch.compile
            functools.update_wrapper(first_compile, torch.compile)
            torch.compile = first_compile


def uninstall_compile() -> None:
    """Undo `install_compile`; what has been compiled keeps its mends."""
    with lock:
        if torch.compile is first_compile:
            torch.compile = originals["compile"]
        dynamo: Optional[Any] = sys.modules.get("torch._dynamo")
        if dynamo is not None and getattr(dynamo, "optimize", None) is optimize:
            dynamo.optimize = originals.pop("optimize")
