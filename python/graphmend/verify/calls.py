"""Calls of compiled callables: results, changes of state, and times."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
import time
import weakref
from typing import Any, Callable, Optional

import torch

from graphmend.runtime.base import torch_names

from .events import printed
from .rounding import Rounding
from .settings import EAGER, ROUNDED, Settings
from .store import Writer
from .surroundings import Surroundings, entry_of, program_part, random_states
from .values import Describer, error_of, tensors_in, type_name

INSTANCES = 64  # of one callable whose surroundings are kept
CAPTURE_ERRORS = ("torch._dynamo.", "torch.fx.", "torch._subclasses.")
NO_FRAME = "torch.compile with fullgraph=True found no compiled frames"


class Local(threading.local):
    """The state of this thread: in a call, or in the recorder."""

    def __init__(self) -> None:
        self.call: Optional[Call] = None
        self.last: Optional[Call] = None


class Target:
    """A compiled callable of the program; callables of one function share a target."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.calls = 0
        self.known: dict[str, str] = {}
        self.surroundings: dict[int, Surroundings] = {}  # by identity of what is called; they keep it alive

    def around(self, function: Any) -> Surroundings:
        """The surroundings of a function, or of the object of a method."""
        owner = getattr(function, "__self__", None)
        number = id(function if owner is None else owner)
        if number in self.surroundings:
            return self.surroundings[number]
        count = len(self.surroundings)
        made = Surroundings(function, f"number {count + 1}: " if count else "")
        if count < INSTANCES:
            self.surroundings[number] = made
        return made


class Call:
    """The call in progress, or the last call."""

    def __init__(self, target: Target, around: Surroundings, number: int, detailed: bool) -> None:
        self.target = target
        self.around = around
        self.number = number
        self.detailed = detailed
        self.backwards = 0
        self.thread = ""  # its name, unless it is the main one
        self.leaves: list[Any] = []  # weak references to the inputs that gradients may come to


def quietly(action: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a function hidden from Dynamo, autograd and the wrappers around torch's functions."""
    set_eval_frame = torch_names.set_eval_frame
    prior = set_eval_frame(None)
    try:
        with torch.no_grad(), torch_names.DisableTorchFunction():
            return action(*args, **kwargs)
    finally:
        set_eval_frame(prior)


def synchronize() -> None:
    """Wait for the accelerator, if the program uses one."""
    if torch.cuda.is_available() and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()


def aliases(output: Any, inputs: Any, surroundings: Surroundings) -> list[dict[str, list[str]]]:
    """The tensors of a result with the memory of inputs, state or other results."""
    known = [(f"input {number}", tensor) for number, tensor in enumerate(tensors_in(inputs))]
    for root, module in surroundings.modules.items():
        known += [(f"{root}.{name}", tensor) for name, tensor in (*module.named_parameters(), *module.named_buffers())]
    places: dict[Any, list[str]] = {}
    for name, tensor in known:
        places.setdefault(storage_of(tensor), []).append(name)
    found = []
    for number, tensor in enumerate(tensors_in(output)):
        place = storage_of(tensor)
        same = [name for name, other in known if other is tensor]
        found.append({"same": same, "shared": list(places.get(place, [])) if place is not None else []})
        known.append((f"output {number}", tensor))
        places.setdefault(place, []).append(f"output {number}")
    return found


def storage_of(tensor: torch.Tensor) -> Optional[int]:
    """The address of the memory of a tensor, None for a tensor without memory."""
    try:
        return tensor.untyped_storage().data_ptr() or None
    except (RuntimeError, NotImplementedError):
        return None


class Recorder:
    """Wraps compiled callables and writes down their calls."""

    def __init__(self, writer: Writer, settings: Settings) -> None:
        self.writer = writer
        self.settings = settings
        self.describer = Describer(writer)
        self.local = Local()
        self.targets: dict[Any, Target] = {}
        self.lock = threading.Lock()
        self.detailed = 0
        self.rounding = Rounding(settings.number) if settings.role == ROUNDED else None

    def write(self, kind: str, **members: Any) -> None:
        """Add an entry to the call of this thread."""
        call = self.local.call
        place = {} if call is None else {"callable": call.target.number, "call": call.number}
        self.writer.write(kind, **place, **members)

    def target_of(self, function: Any) -> Target:
        """The callable that a function belongs to."""
        entry = entry_of(function)
        code = getattr(entry, "__code__", entry)
        file, line = getattr(code, "co_filename", ""), getattr(code, "co_firstlineno", 0)
        owner = getattr(function, "__self__", None)
        name = type(owner).__name__ if isinstance(owner, torch.nn.Module) else getattr(code, "co_name", type_name(code))
        key = (name, file, line)
        with self.lock:
            if key not in self.targets:
                self.targets[key] = Target(len(self.targets))
                self.writer.write("callable", number=self.targets[key].number, name=name, file=file, line=line)
            return self.targets[key]

    def wrap(self, function: Any, compiled: Callable[..., Any]) -> Callable[..., Any]:
        """The callable that the program gets instead of `compiled`."""
        innermost = program_part(torch_names.innermost_fn(function))

        @functools.wraps(compiled)
        def call(*args: Any, **kwargs: Any) -> Any:
            if self.local.call is not None:
                return self.run(function, compiled, args, kwargs)
            return self.call(innermost, function, compiled, args, kwargs)

        call._torchdynamo_wrapper_id = id(call)  # type: ignore[attr-defined]
        call.__wrapped__ = getattr(compiled, "__wrapped__", function)
        return call

    def call(
        self, innermost: Any, function: Any, compiled: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Make a call and record its effects."""
        call = self.begin(innermost, args, kwargs)
        self.local.call = self.local.last = call
        error, output, started = None, None, time.perf_counter()
        try:
            with self.rounding or contextlib.nullcontext():
                output = self.run(function, compiled, args, kwargs)
            synchronize()
            return output
        except BaseException as raised:
            error = raised
            raise
        finally:
            seconds = time.perf_counter() - started
            self.local.call = None
            quietly(self.end, call, error, output, args, kwargs, seconds)
            del error, output

    def round_gradients(self, call: Call) -> None:
        """Move the gradients that a run of backward has left."""
        if self.rounding is not None:
            gradients = [tensor.grad for _, tensor in call.around.parameters()]
            self.rounding.move_gradients(gradient for gradient in gradients if gradient is not None)

    def run(self, function: Any, compiled: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call in the way of this process; behind a refused graph, the program continues in eager Python."""
        if self.settings.role in (EAGER, ROUNDED):
            return function(*args, **kwargs)
        if not self.settings.fullgraph:
            return compiled(*args, **kwargs)
        try:
            return compiled(*args, **kwargs)
        except Exception as error:
            name = type_name(error)
            if not name.startswith(CAPTURE_ERRORS) and NO_FRAME not in str(error):
                raise
            reason = str(error).strip().partition("\n")[0][:300]
            self.write("refused", reason=f"{type(error).__name__}: {reason}")
        return function(*args, **kwargs)

    def begin(self, innermost: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Note that a call begins."""
        target = self.target_of(innermost)
        with self.lock:
            number, target.calls = target.calls, target.calls + 1
            detailed = not self.settings.fullgraph and self.detailed < self.settings.calls
            detailed = detailed and not self.writer.is_full()
            self.detailed += detailed
            around = target.around(innermost)
        call = Call(target, around, number, detailed)
        if detailed:
            tensors = quietly(tensors_in, (args, kwargs))
            call.leaves = [weakref.ref(tensor) for tensor in tensors if tensor.is_leaf and tensor.requires_grad]
        self.writer.write("begin", callable=target.number, call=number)
        thread = threading.current_thread()
        call.thread = "" if thread is threading.main_thread() else thread.name
        return call

    def end(
        self, call: Call, error: Any, output: Any, args: tuple[Any, ...], kwargs: dict[str, Any], seconds: float
    ) -> None:
        """Note how a call ended."""
        found: dict[str, Any] = {"callable": call.target.number, "call": call.number, "seconds": seconds}
        found["printed"], found["thread"] = printed(), call.thread
        found["error"] = error_of(error)
        if call.detailed:
            try:
                found.update(self.details(call, output, args, kwargs))
            except Exception as failed:  # an object that does not let itself be looked at; the call is not compared
                found["unseen"] = f"{type(failed).__name__}: {failed}"
        self.writer.write("call", **found)

    def details(self, call: Call, output: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """All that a call has returned and left."""
        return {
            "output": self.describer.value(output),
            "aliases": aliases(output, (args, kwargs), call.around),
            "inputs": self.describer.value([list(args), kwargs]),
            "state": self.changed(call.target, call.around.state(self.describer)),
            "gradients": self.changed(call.target, self.gradients(call), "gradient "),
            "random": random_states(),
        }

    def changed(self, target: Target, state: dict[str, Any], prefix: str = "") -> dict[str, Any]:
        """The entries of the state that changed since the last record."""
        found = {}
        for name, value in state.items():
            text = json.dumps(value, default=repr)
            if target.known.get(prefix + name) != text:
                target.known[prefix + name] = text
                found[name] = value
        return found

    def gradients(self, call: Call) -> dict[str, Any]:
        """The gradients at hand, or that there are none: of parameters, and of the inputs of a call."""
        tensors = dict(call.around.parameters())
        for number, leaf in enumerate(call.leaves):
            tensor = leaf()
            if tensor is not None:
                tensors[f"input {number}"] = tensor
        return {name: self.describer.value(tensor.grad) for name, tensor in tensors.items()}

    def finish(self) -> None:
        """Note what is left when the program has ended."""
        for target in self.targets.values():
            state = {}
            for around in target.surroundings.values():
                state.update(around.state(self.describer))
                state.update({name: self.describer.value(value) for name, value in around.parameters()})
            self.writer.write("left", callable=target.number, state=self.changed(target, state))
        self.writer.write("random", random=random_states())
