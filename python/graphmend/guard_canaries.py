"""Canaries of guards: for each guard that soundness rests on, a program that the guard must reject.

A hook that Dynamo calls may still have no effect: a new release may consult another function, or other messages. So
each program runs in eager Python, and compiled with its mends: as one graph, and as a part of a call that breaks behind
the program. Results, output, exceptions and state must be equal. A guard counts as missing if its program shows a
difference.
"""

from __future__ import annotations

import contextlib
import io
import random
import textwrap
from typing import Any, Callable

import torch

from . import core, guard_programs, hook
from .runtime.base import torch_names, trace_state

# By the guard: a module with a function `f` of one tensor, and `state()`, what it leaves behind.
PROGRAMS = {
    **guard_programs.PROGRAMS,
    "identity_guard": """
        OTHER = torch.zeros(3)
        OTHER.add_(1)
        def f(x):
            if x.sum() > 0:
                chosen = x + 1
            else:
                chosen = OTHER
            return chosen._version, {chosen: 1}.get(OTHER), chosen + 1
        """,
    "object_writes": """
        class Meter: pass
        METER = Meter()
        METER.seen = []
        SEEN = METER.seen
        def f(x):
            METER.seen.append(x.sum().item())
            return x * len(SEEN)
        def state():
            return SEEN
        """,
    "mapping_proxies": """
        import types
        TABLE = {"a": 1.0}
        PROXY = types.MappingProxyType(TABLE)
        def f(x):
            TABLE[str(len(TABLE))] = 2.0
            if x.sum() > 0:
                x = x + 1
            return x * len(PROXY)
        """,
    "assumptions": """
        def f(x):
            for i in range(int(x.sum().item())):
                x = x + i
            return x
        """,
    "early_side_refusal": """
        def f(x):
            if x.sum() > 0:
                x = x + torch.rand(3)
            return x * torch.rand(3)
        """,
    "deferred_values": """
        import time
        def f(x):
            start = time.perf_counter()
            x = x * 2
            took = time.perf_counter() - start
            if isinstance(took, float):
                x = x + 1
            print("in time", str(took) != "")
            return x
        """,
    "finalizers": """
        LOG = []
        class Ending:
            def __del__(self):
                LOG.append("ended")
        HELD = [Ending()]
        def f(x):
            HELD[0] = None
            print(x.sum().item(), len(LOG))
            return x + 1
        def state():
            return LOG
        """,
    "generator_close": """
        LOG = []
        def items():
            try:
                yield 1
                yield 2
            finally:
                LOG.append("closed")
        def f(x):
            for item in items():
                if x.sum() > 0:
                    x = x + 1
                return x * item
        def state():
            return LOG
        """,
    "random_objects": """
        import random
        OWN = random.Random(3)
        def f(x):
            OWN.seed(len(x))
            return x * OWN.randint(1, 60) + OWN.randint(1, 60)
        def state():
            return OWN.random()
        """,
    "kept_objects": """
        TABLE = {"a": 1}
        NAMES = TABLE.keys()
        def f(x):
            TABLE[str(len(TABLE))] = 1
            if x.sum() > 0:
                x = x + 1
            return x * len(list(NAMES))
        """,
    "dead_code_that_raises": """
        def f(x):
            quotient = 1 / int(x.sum().item())
            return x * 2
        """,
    "purity_watch": """
        class Rate:
            calls = 0
            def next(self):
                self.calls += 1
                return self.calls
        RATE = Rate()
        def f(x):
            print("total", x.sum().item(), RATE.next())
            return x * RATE.calls
        def state():
            return RATE.calls
        """,
    "trace_time": """
        COUNTS = {"up": 0}
        def up(x):
            COUNTS["up"] += 1
            return x + 1
        def f(x):
            if x.sum() > 0:
                x = up(x)
            return x
        def state():
            return COUNTS
        """,
    "guard_shortcuts": """
        def record(x, seen=[]):
            seen.append(x.sum().item())
            return x * len(seen)
        def f(x):
            return record(x)
        def state():
            return record.__defaults__
        """,
    "lazy_sides": """
        HEAD, OTHER = torch.nn.LazyBatchNorm1d(), torch.nn.LazyBatchNorm1d()
        def f(x):
            if x.sum() > 0:
                y = HEAD(torch.stack([x, x + 1]))
            else:
                y = OTHER(torch.stack([x, x + 1]))
            return y * 2
        def state():
            return type(HEAD).__name__, type(OTHER).__name__
        """,
    "rewritten_dictionaries": """
        NEW = iter("zyxw")
        TABLE = dict(a=1, b=2, c=3)
        def f(x):
            if x.sum() > 0:
                x = x + 1
            key, value = TABLE.popitem()
            return x * 2, key, value
        def state():
            keys = list(TABLE)
            TABLE[next(NEW)] = 1
            return keys
        """,
    "exception_texts": """
        def f(x):
            try:
                if x.sum() > 0:
                    raise KeyError("loss")
            except KeyError as error:
                return x + 1, str(error), f"{error}"
            return x, "", ""
        """,
    "raised_exceptions": """
        def f(x):
            try:
                (1, 2)[x.dim() + 1]
            except IndexError as error:
                return x + 1, str(error)
            return x, ""
        """,
    "generator_ends": """
        def items():
            yield 1
            return 5
        def counted():
            count = yield from items()
            yield count
        def f(x):
            found = list(counted())
            if x.sum() > 0:
                x = x + 1
            return x, found
        """,
    "metaclass_calls": """
        class Finished(type):
            def __call__(cls, *args):
                made = super().__call__(*args)
                made.scale = 3
                return made
        class Layer(metaclass=Finished):
            scale = 1
        def f(x):
            layer = Layer()
            if x.sum() > 0:
                x = x * layer.scale
            return x + layer.scale
        """,
    "metaclass_attributes": """
        class Doubled(type):
            def __setattr__(cls, name, value):
                super().__setattr__(name, value * 2)
        class Layer(metaclass=Doubled):
            scale = 1
        def f(x):
            Layer.scale = 3
            if x.sum() > 0:
                x = x + 1
            return x * Layer.scale
        def state():
            return Layer.scale
        """,
    "instance_checks": """
        class Kind(type):
            def __instancecheck__(cls, value):
                return getattr(value, "kind", 0) == 3
        class Layer(metaclass=Kind): pass
        class Other: pass
        def f(x):
            layer, other = Layer(), Other()
            other.kind = 3
            if x.sum() > 0:
                x = x + 1
            return x, isinstance(layer, Layer), isinstance(other, (int, Layer))
        """,
    "class_tables": """
        class Counter: pass
        def f(x):
            Counter.seen = len(x)
            known = "seen" in vars(Counter)
            if x.sum() > 0:
                x = x + 1
            return x, known
        """,
    "changed_deques": """
        import collections
        def f(x):
            jobs, done = collections.deque([1, 2, 3]), []
            try:
                for job in jobs:
                    done.append(job)
                    jobs.popleft()
            except RuntimeError:
                done.append("changed")
            if x.sum() > 0:
                x = x + 1
            return x, done
        """,
    "lists_in_sort": """
        def f(x):
            numbers, lengths = [3, 1, 2], []
            numbers.sort(key=lambda number: (lengths.append(len(numbers)), number)[1])
            if x.sum() > 0:
                x = x + 1
            return x, numbers, lengths
        """,
    "unhashable_keys": """
        def f(x):
            try:
                found = {1: 2}.get([1], 3)
            except TypeError:
                found = "unhashable"
            if x.sum() > 0:
                x = x + 1
            return x, found
        """,
    "system_errors": """
        def f(x):
            try:
                raise OSError(2, "no such file")
            except FileNotFoundError:
                found = "missing"
            except OSError:
                found = "other"
            if x.sum() > 0:
                x = x + 1
            return x, found
        """,
    "zero_divisors": """
        LEFT = [1]
        def f(x):
            if x.sum() > 0:
                x = x + 1
            LEFT[0] -= 1
            try:
                return x, 6 // LEFT[0]
            except ZeroDivisionError as error:
                LEFT[0] = 4
                return x * 2, str(error)
        def state():
            return LEFT
        """,
    "replaced_attribute_tables": """
        class Layer: pass
        def f(x):
            layer = Layer()
            layer.scale = 2
            layer.__dict__ = {"shift": 1}
            if x.sum() > 0:
                x = x + layer.shift
            return x, hasattr(layer, "scale")
        """,
    "object_containment": """
        class Score:
            def __eq__(self, other):
                return False
            def __contains__(self, name):
                return 2
        def f(x):
            score = Score()
            if x.sum() > 0:
                x = x + 1
            return x, score in [score], "a" in score
        """,
    "weak_references": """
        import weakref
        class Node: pass
        def f(x):
            node = Node()
            reference = weakref.ref(node)
            del node
            if x.sum() > 0:
                x = x + 1
            return x, reference() is None
        """,
    "failing_properties": """
        class Layer:
            @property
            def scale(self):
                raise AttributeError("scale")
            def __getattr__(self, name):
                return len(name)
        def f(x):
            scale = getattr(Layer(), "scale", 0)
            if x.sum() > 0:
                x = x * scale
            return x, scale
        """,
    "foreign_receivers": """
        def f(x):
            try:
                found = int.__add__("a", 1)
            except TypeError:
                found = "another class"
            if x.sum() > 0:
                x = x + 1
            return x, found
        """,
    "constant_results": """
        CALLED = []
        @torch.compiler.assume_constant_result
        def scale(number):
            CALLED.append(number)
            return number
        def f(x):
            if x.sum() > 5:
                x = x * scale(2)
            return x
        def state():
            return CALLED
        """,
    "undo_log": """
        import warnings
        class Low(UserWarning): pass
        warnings.simplefilter("error", Low)
        class Steps: count = 0
        STEPS = Steps()
        def f(x):
            STEPS.count += 1
            warnings.warn("low", Low)
            STEPS.count += 10
            return x * STEPS.count
        def state():
            return STEPS.count
        """,
    "number_operators": """
        def f(x):
            total = x.sum().item()
            flag = total > 0
            return x + round(total * 123, -1), flag & 1, (total > 1) + 1
        """,
    "number_outputs": """
        torch.set_default_device("cpu")
        def f(x):
            return x * 2, x.mean().item()
        def state():
            torch.set_default_device(None)
        """,
    "prologue": """
        import random
        def f(x):
            if random.random() > 0.5:
                x = x + random.random()
            if x.sum() > 2:
                x = x * random.randint(1, 5)
            return x
        """,
}


def inputs() -> list[torch.Tensor]:
    """Arguments for the calls of each program; the data reach both branches."""
    return [torch.ones(3), -torch.ones(3), torch.zeros(3), torch.full((3,), 2.0)]


def outcome(code: Any, compile: Callable[[Any], Any]) -> list[Any]:
    """Results, output, exceptions and final state of the calls of a program."""
    module: dict[str, Any] = {"__name__": "graphmend_canary", "torch": torch}
    exec(code, module)
    function, state = compile(module["f"]), module.get("state", tuple)
    torch.manual_seed(0)
    random.seed(0)
    found: list[Any] = []
    for x in inputs():
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                given = repr(function(x))
            except Exception as error:
                given = f"{type(error).__name__}: {error}"
        found.append((given, printed.getvalue(), repr(state()), repr(x)))
    return [*found, torch.get_rng_state().tolist(), random.getstate()]


def compiled(function: Any) -> Any:
    """The function under `torch.compile`, from the beginning."""
    torch_names.dynamo.reset()
    return torch.compile(function, backend="eager")


def broken(function: Any) -> Any:
    """The function as the first part of a compiled call with a break that no mend removes."""

    def whole(x: Any) -> Any:
        given = function(x)
        torch_names.graph_break()
        return given

    return compiled(whole)


def passing() -> list[str]:
    """The guards whose programs show a difference."""
    found = []
    for name, text in PROGRAMS.items():
        path, data = f"<canary of {name}>", textwrap.dedent(text).encode()
        result = core.mend_source(path, data)
        mended = hook.compile_mended(result, data, path) if result["mended"] else compile(data, path, "exec")
        trace_state.registry.add_sites(len(result["sites"]) + 1)
        original = compile(data, path, "exec")
        expected = outcome(original, lambda function: function)
        in_parts = outcome(mended, broken)
        # Where a call breaks, Dynamo itself may be wrong.
        if outcome(mended, compiled) != expected or in_parts not in (expected, outcome(original, broken)):
            found.append(name)
    return found
