"""The switch of the runtime: `install_compile` and `uninstall_compile`.

    torch.compile(f)  ->  torch._dynamo.optimize(...)(f)      # replaced, once Dynamo is loaded
                          a MendingContext                    # wraps f in whole variants and a partial variant

All compilation goes through `torch._dynamo.optimize`. `torch.compile` itself stays untouched, because programs and
packages wrap, keep and compare `torch.compile`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import sys
import threading
import types
from typing import Any, Callable

import torch

from graphmend.module_finder import ModuleFinder

from ..base import folders, torch_names, trace_state
from ..base.callable_code import is_suspended
from . import guard_filter, modes, module_wrappers, self_check

# Dynamo leaves the frames of these files alone: they run beside the program, never as a part of it.
OPAQUE_FILES = (
    "driver.backend",
    "driver.callback",
    "driver.conversion_results",
    "driver.frames",
    "driver.install",
    "driver.module_wrappers",
    "driver.observed_state",
    "driver.outcomes",
    "driver.process_copy",
    "driver.self_check",
    "driver.variants",
    "driver.wrapper",
    "effects.flush",
    "effects.rollback",
    "effects.undo_log",
)
lock = threading.Lock()
originals: dict[str, Any] = {}
waiting: list[ModuleFinder] = []  # for Dynamo, where it is not loaded yet


def entry_function(function: Any) -> Any:
    """The function at which a compiled callable starts."""
    target = function
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module) and getattr(function, "__name__", "") in (
        "_wrapped_call_impl",
        "__call__",
        "_call_impl",
    ):
        target = type(owner).forward
    return getattr(target, "__func__", target)


def entry_of(function: Any) -> Any:
    """The code object at which a compiled callable starts."""
    target = entry_function(function)
    return getattr(target, "__code__", target)


def mend_entry(function: Any) -> None:
    """Mend the function at which a callable starts, where no import has mended it."""
    from graphmend import function_mends

    function_mends.mend_function(entry_function(function))


def make_context_class() -> type:
    """Make the class of contexts that wrap callables; Dynamo has to be loaded."""
    from ..base.torch_names import OptimizeContext
    from .variants import Variant, Variants
    from .wrapper import wrap

    class MendingContext(OptimizeContext):  # type: ignore[misc]
        """An `OptimizeContext` with whole variants and a partial variant."""

        def __call__(self, fn: Any) -> Any:
            if isinstance(fn, (torch.nn.Module, type)):
                return super().__call__(fn)
            code = entry_of(torch_names.innermost_fn(fn))
            if isinstance(code, types.CodeType) and is_suspended(code):  # the body runs behind the wrapper
                return originals["optimize"](*self.graphmend_arguments, **self.graphmend_options)(fn)
            backend, callback = self.graphmend_backend, self.callback
            mend_entry(torch_names.innermost_fn(fn))
            entry = entry_of(torch_names.innermost_fn(fn))
            if backend.entry is None:
                backend.entry = entry
            elif backend.entry is not entry:
                return self.graphmend_again()(fn)
            inside = None if callback.only else module_wrappers.module_inside(fn)
            if inside is not None:
                again = self.graphmend_again
                return module_wrappers.compiled_inside(inside, fn, lambda module: again()(module))
            compiled = super().__call__(fn)
            function = compiled._torchdynamo_orig_callable
            owner = getattr(torch_names.innermost_fn(fn), "__self__", None)
            name = getattr(fn, "__name__", "")
            module = owner if isinstance(owner, torch.nn.Module) and name != "_call_impl" else None
            record = callback.record
            describe(record, torch_names.innermost_fn(fn))

            def variant(number: int) -> Variant:
                context, backend = self.graphmend_variant(number)
                return Variant(context(fn), backend)

            first = Variant(compiled, backend)
            variants = Variants(first, variant, lambda: self.graphmend_partial()(fn), callback)
            return self_check.checked(wrap(variants, function, module), function, record)

        def __reduce__(self) -> Any:
            return rebuild, (self.graphmend_arguments, self.graphmend_options)

    return MendingContext


def describe(record: Any, function: Any) -> None:
    """Name a compiled callable for the report.

    A module of torch's own, as `nn.Sequential`, and what has no code in Python are told with the place at which the
    program compiles them.
    """
    is_torchs = getattr(entry_of(function), "co_filename", "").startswith(folders.TORCH)
    target = inspect.unwrap(function) if is_torchs else function
    owner = getattr(target, "__self__", target)
    if isinstance(owner, torch.nn.Module):
        record.name, code = type(owner).__name__, entry_of(type(owner).forward if target is owner else target)
    else:
        code = entry_of(target if inspect.isroutine(target) else type(target).__call__)
        record.name = getattr(target, "__name__", type(target).__name__)
    record.file, record.line = getattr(code, "co_filename", ""), getattr(code, "co_firstlineno", 0)
    if not record.file or record.file.startswith(folders.TORCH):
        frame: Any = sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename.startswith((folders.TORCH, folders.RUNTIME)):
            frame = frame.f_back
        record.file, record.line = frame.f_code.co_filename, frame.f_lineno


def rebuild(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a context again, for copies and pickles."""
    return torch_names.dynamo.optimize(*args, **kwargs)


def optimize(*args: Any, **kwargs: Any) -> Any:
    """Stands in for `torch._dynamo.optimize`."""
    original = originals.get("optimize")
    if original is None:  # uninstalled, while somebody's wrapper around this function is still in force
        return torch_names.optimize(*args, **kwargs)
    if not trace_state.enabled() or not is_complete():
        return original(*args, **kwargs)
    return mending_context(original, args, kwargs)


def is_complete() -> bool:
    """Whether all parts of a context can be loaded, as with every known release of torch."""
    if modes.decide().name in (modes.OFF, modes.SOURCE_ONLY):
        return False
    try:
        context_class()
        importlib.import_module(f"{__package__}.backend")
    except Exception as error:
        from graphmend import hook

        hook.warn("compiled callables are not mended", error)
        return False
    return True


def accepts(option: str) -> bool:
    """Whether `torch._dynamo.optimize` accepts an option."""
    return option in inspect.signature(torch_names._optimize).parameters


def mending_context(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A context of Dynamo with graphmend's callback and backend; contexts of other kinds are returned unchanged."""
    from ..base.torch_names import OptimizeContext
    from .backend import MendingBackend
    from .callback import Callback

    options = dict(kwargs)
    backend = args[0] if args else options.pop("backend", "inductor")
    resolved = torch_names.lookup_backend(backend) if isinstance(backend, str) else backend
    whole = MendingBackend(resolved, True)
    context = original(whole, *args[1:], **options)
    if type(context) is not OptimizeContext or not callable(resolved):
        return original(*args, **kwargs)
    record = trace_state.CallableRecord("", "", 0)
    trace_state.registry.callables.append(record)
    only = bool(context.fullgraph)
    context.callback = Callback(context.callback, record, whole, only)
    context.__class__ = context_class()
    alone = {"isolate_recompiles": True} if accepts("isolate_recompiles") else {}

    def variant(number: int) -> Any:
        backend = MendingBackend(resolved, True, number)
        backend.entry = whole.entry
        other = original(backend, *args[1:], **{**options, **alone})
        other.callback = Callback(other.callback, record, backend, only)
        context.callback.share_with(other.callback)
        return other, backend

    def partial() -> Any:
        backend = MendingBackend(resolved, False)
        other = original(backend, *args[1:], **options)
        other.callback = Callback(other.callback, record, backend, False)
        if context.callback.evidence.left():
            other.callback.off = context.callback.off
        return other

    context.graphmend_backend = whole
    context.graphmend_variant = variant
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
    with lock:
        dynamo = torch_names.dynamo
        if "optimize" in originals:
            return
        guard_filter.bind_builtins()
        originals["optimize"] = dynamo.optimize
        functools.update_wrapper(optimize, originals["optimize"])
        dynamo.optimize = optimize
        skip_own_files()


def skip_own_files() -> None:
    """Add the files of the driver to Dynamo's list of skipped files, once.

    Dynamo compiles the whole list as one pattern whenever a module is added: only one file goes through Dynamo.
    """
    from ..base.torch_names import SKIP_DIRS, skip_module

    paths = {name: os.path.join(folders.RUNTIME, *name.split(".")) + ".py" for name in OPAQUE_FILES}
    missing = [name for name, path in paths.items() if path not in SKIP_DIRS]
    if missing:
        SKIP_DIRS.extend(paths[name] for name in missing[1:])
        skip_module(f"{folders.PACKAGE}.{missing[0]}")


def patch_or_warn() -> None:
    """Patch Dynamo during the program's import of Dynamo; a failure is a warning, and the import goes on."""
    waiting.clear()
    try:
        patch_dynamo()
    except Exception as error:
        from graphmend import hook

        hook.warn("torch.compile is not wrapped", error)


def install_compile() -> None:
    """Switch mending on for all later compilation."""
    if not trace_state.enabled():
        return
    if torch_names.is_loaded("dynamo"):
        patch_dynamo()
        return
    with lock:
        if not waiting:
            waiting.append(ModuleFinder(torch_names.module_of("dynamo"), patch_or_warn))
            waiting[0].start()


def uninstall_compile() -> None:
    """Undo `install_compile`; compiled callables keep their mends."""
    with lock:
        while waiting:
            waiting.pop().stop()
        original = originals.pop("optimize", None)
        if original is not None and torch_names.dynamo.optimize is optimize:
            torch_names.dynamo.optimize = original
