"""Puts the recorder in place when torch has been imported: on what is compiled, on backward, on logs and warnings."""

from __future__ import annotations

import functools
import sys
import time
from typing import Any, Callable

from graphmend import torch_watch

from .compare import EXACT_BACKENDS
from .settings import Settings
from .store import Writer

OWN_FILES = ("calls", "dynamo", "events", "install", "rounding", "values", "surroundings", "store")


def install(writer: Writer, settings: Settings) -> Any:
    """Start recording, and return the recorder; torch is complete, and the runtime is loaded if it is to mend."""
    wrapper_was_on = torch_watch.state.wrapped
    if wrapper_was_on:  # loading Dynamo now must not leave torch.compile itself replaced
        runtime = sys.modules["graphmend.runtime"]
        runtime.uninstall_compile()
    import torch

    from graphmend.runtime.base import torch_names

    assert torch_names.dynamo
    if wrapper_was_on:
        runtime.install_compile()
    from .calls import Recorder, quietly
    from .dynamo import Watch
    from .events import record_logs, record_warnings

    for name in OWN_FILES:
        torch_names.skip_module(f"{__package__}.{name}")
    recorder = Recorder(writer, settings)
    writer.write("start", torch=torch.__version__, device=device(torch), threads=torch.get_num_threads())
    prepare(torch, settings)
    Watch(recorder.write).start()
    record_compiled(recorder)
    if not settings.fullgraph:
        record_backward(recorder, quietly)
        record_logs(recorder.write, quietly)
        record_warnings(recorder.write, quietly)
    return recorder


def device(torch: Any) -> str:
    """What the program may compute on."""
    return torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"


def prepare(torch: Any, settings: Settings) -> None:
    """Let all runs draw the same random numbers, also inside of compiled code."""
    torch.manual_seed(settings.seed)
    from graphmend.runtime.base.torch_names import inductor_config

    inductor_config.fallback_random = True


def name_of(backend: Any) -> str:
    """What a backend is called."""
    return str(getattr(backend, "compiler_name", None) or getattr(backend, "__name__", backend))


def cheaper(backend: Any) -> Any:
    """A backend for the same graphs without compilation, to find out whether a call is one graph."""
    if name_of(backend) in EXACT_BACKENDS:
        return backend
    return "aot_eager" if isinstance(backend, str) or hasattr(backend, "compiler_name") else "eager"


def compile_again(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make a context again, for copies and pickles."""
    from graphmend.runtime.base import torch_names

    return torch_names.dynamo.optimize(*args, **kwargs)


def record_compiled(recorder: Any) -> None:
    """Wrap the results of `torch._dynamo.optimize`, the end of all ways to compile."""
    import torch

    from graphmend.runtime.base import torch_names

    optimize = torch_names.dynamo.optimize
    settings = recorder.settings
    classes: dict[Any, Any] = {}

    def recording_class(kind: Any) -> Any:
        class Recording(kind):  # type: ignore[misc]
            def __call__(self, function: Any) -> Any:
                compiled = super().__call__(function)
                if isinstance(function, (torch.nn.Module, type)):
                    return compiled
                return recorder.wrap(function, compiled)

            def __reduce__(self) -> Any:
                return compile_again, self.verify_arguments

        Recording.__name__, Recording.__qualname__ = kind.__name__, kind.__qualname__
        return Recording

    @functools.wraps(optimize)
    def recorded_optimize(*args: Any, **kwargs: Any) -> Any:
        given = args, kwargs
        asked = args[0] if args else kwargs.get("backend", "inductor")
        if settings.fullgraph:
            kwargs = {**kwargs, "nopython": True}
        backend = cheaper(settings.backend or asked) if settings.fullgraph else settings.backend or asked
        recorder.writer.write("backend", name=name_of(backend))
        args, kwargs = ((backend, *args[1:]), kwargs) if args else (args, {**kwargs, "backend": backend})
        context = optimize(*args, **kwargs)
        if not isinstance(context, torch_names.OptimizeContext):
            return context
        kind = type(context)
        if kind not in classes:
            classes[kind] = recording_class(kind)
        context.__class__, context.verify_arguments = classes[kind], given
        return context

    torch_names.dynamo.optimize = recorded_optimize


def record_backward(recorder: Any, quietly: Callable[..., Any]) -> None:
    """Note the gradients after every run of autograd's engine that follows a call."""
    import torch

    run = torch.autograd._engine_run_backward  # type: ignore[attr-defined]

    @functools.wraps(run)
    def run_noted(*args: Any, **kwargs: Any) -> Any:
        local, call = recorder.local, recorder.local.last
        if call is None or local.call is not None:
            return run(*args, **kwargs)
        started = time.perf_counter()
        result = run(*args, **kwargs)
        quietly(note_backward, recorder, call, time.perf_counter() - started, result)
        return result

    torch.autograd._engine_run_backward = run_noted  # type: ignore[attr-defined]


def note_backward(recorder: Any, call: Any, seconds: float, result: Any) -> None:
    """Record the gradients after one run of the engine."""
    recorder.round_gradients(call)
    found: dict[str, Any] = {"callable": call.target.number, "call": call.number, "number": call.backwards}
    call.backwards += 1
    if call.detailed:
        found["gradients"] = recorder.changed(call.target, recorder.gradients(call), "gradient ")
        found["result"] = recorder.describer.value(result)
    recorder.writer.write("backward", seconds=seconds, **found)


def report() -> dict[str, Any]:
    """What the runtime and the hook say at the end of a mended run."""
    from graphmend import hook

    runtime = sys.modules.get("graphmend.runtime")
    found = runtime.report() if runtime is not None else {"sites": {}, "callables": []}
    files = {path: {"sites": entry.sites, "left": entry.left} for path, entry in hook.state.mended.items()}
    return {**found, "files": files}
