"""`graphmend run --check`: the first calls of every compiled callable against plain eager Python.

A copy of the process (`fork`) runs the call in eager Python and reports the result, the output, the exception and the
state afterwards; this process runs the call with its mends. Where the two differ, a second copy runs the call in eager
Python again: clocks and the like differ there, too. The remaining differences are told, and the callable runs in eager
Python from then on.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import sys
import threading
import traceback
from typing import Any, Callable, Optional

import torch

from graphmend.run_summary import count, short_path

from ..base import torch_names
from .check_equality import Outcome, differences, entry, short, unsteady_places
from .observed_state import Table, digest, table_of
from .process_copy import Copy, Diverted

UNSEEN = "a look at the state of the program raised {}"
DIFFERED = "a call gave another result than in eager Python (--check)"


@dataclasses.dataclass
class Checks:
    """The comparisons of this process: how many calls, and the differences found."""

    compared: int = 0
    callables: set[int] = dataclasses.field(default_factory=set)
    differing: list[str] = dataclasses.field(default_factory=list)
    skipped: dict[str, int] = dataclasses.field(default_factory=dict)

    def is_idle(self) -> bool:
        """Whether no call has come by."""
        return not self.compared and not self.skipped

    def skip(self, reason: str) -> None:
        """Note a call that could not be compared."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1


checks = Checks()


class Here(threading.local):
    """The place of this thread: inside a compared call or not, and in which process."""

    compares = False
    eager = False


here = Here()


def run_plainly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a call in eager Python."""
    prior = torch_names.set_eval_frame(None)
    try:
        return function(*args, **kwargs)
    finally:
        torch_names.set_eval_frame(prior)


def checked(call: Callable[..., Any], function: Any, record: Any) -> Callable[..., Any]:
    """A compiled callable whose first calls are compared; without `--check` the callable itself."""
    from graphmend import hook  # which is there where calls are compared

    calls = hook.state.compared
    if not calls:
        return call
    left, off, plainly = [calls], [False], functools.partial(run_plainly, function)

    @functools.wraps(call)
    def compare(*args: Any, **kwargs: Any) -> Any:
        if off[0] or here.eager:
            return plainly(*args, **kwargs)
        reason = unable() if left[0] and not here.compares else None
        if not left[0] or here.compares or reason is not None:
            if reason is not None:
                checks.skip(reason)
            return call(*args, **kwargs)
        left[0] -= 1
        number = calls - left[0]
        here.compares = True
        try:
            return Comparison(call, plainly, function, record, args, kwargs).run(number, off)
        finally:
            here.compares = False

    compare._torchdynamo_wrapper_id = id(compare)  # type: ignore[attr-defined]
    compare.__wrapped__ = call.__wrapped__  # type: ignore[attr-defined]
    return compare


def unable() -> Optional[str]:
    """The reason why no copy of this process can run a call; None where a copy can."""
    if not hasattr(os, "fork"):
        return "this system has no fork"
    device = torch.accelerator.current_accelerator()
    if device is not None and torch.get_device_module(device).is_initialized():
        return f"the process uses {device.type}, which no copy of it can"
    return None


class Comparison:
    """A call in eager Python and the same call with its mends."""

    def __init__(
        self, call: Any, plainly: Any, function: Any, record: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.call, self.plainly, self.record, self.args, self.kwargs = call, plainly, record, args, kwargs
        named = {f"argument {number}": value for number, value in enumerate(args)}
        named.update({f"argument {name}": value for name, value in kwargs.items()})
        streams = {"sys.stdout": sys.stdout, "sys.stderr": sys.stderr}
        self.roots = {**named, "the callable": function, **streams}

    def run(self, number: int, off: list[bool]) -> Any:
        """The result of the call with its mends; notes what differs."""
        try:
            before = {path: digest(value) for path, value in table_of(self.roots).items()}
        except Exception as unseen:  # of the program's own code, such as an attribute that is made when it is asked for
            checks.skip(UNSEEN.format(type(unseen).__name__))
            return self.call(*self.args, **self.kwargs)
        with contextlib.ExitStack() as stack:
            spare = stack.enter_context(Copy(functools.partial(self.observe_eagerly, before), waits=True))
            first = stack.enter_context(Copy(functools.partial(self.observe_eagerly, before)))
            eager = outcome_of(first)
            result, error, mended = self.observe(self.call, before)
            if eager is None:
                checks.skip("the copy of the process did not come to an end")
            elif eager.unseen or mended.unseen:
                checks.skip(UNSEEN.format(eager.unseen or mended.unseen))
            else:
                self.judge(number, eager, mended, spare, off)
        if error is not None:
            raise error
        return result

    def judge(self, number: int, eager: Outcome, mended: Outcome, spare: Copy, off: list[bool]) -> None:
        """Note what differs between two runs and not between two of eager Python."""
        checks.compared += 1
        checks.callables.add(id(off))
        found = list(differences(eager, mended))
        if found:
            again = outcome_of(spare)
            unsteady = unsteady_places(eager, again) if again is not None and not again.unseen else set()
            found = [item for item in found if item[0] not in unsteady]
        if not found:
            return
        off[0] = True
        self.record.mode, self.record.reason = "plain", DIFFERED
        place, left, right = found[0]
        where = f"call {number} of {self.record.name} ({short_path(self.record.file)}:{self.record.line})"
        checks.differing.append(f"{where}: {place}: {short(left)} in eager Python, {short(right)} mended")

    def observe_eagerly(self, before: Table) -> tuple[Any, ...]:
        """Run the call in eager Python, in a copy of the process."""
        here.eager = True
        torch.set_num_threads(1)  # the threads of the process are not in its copy
        return dataclasses.astuple(self.observe(self.plainly, before)[2])

    def observe(self, call: Callable[..., Any], before: Table) -> tuple[Any, Optional[BaseException], Outcome]:
        """Run the call; returns its result, exception and effects."""
        result: Any = None
        error: Optional[BaseException] = None
        with Diverted(shown=not here.eager) as texts:
            try:
                result = call(*self.args, **self.kwargs)
            except Exception as raised:
                error = raised
        said = "".join(traceback.format_exception_only(type(error), error)) if error is not None else ""
        try:
            table = table_of({**self.roots, "result": result})
        except Exception as unseen:
            return result, error, Outcome({}, said, texts.read(), type(unseen).__name__)
        changed = {path: entry(value, before.get(path, before)) for path, value in table.items()}
        return result, error, Outcome(changed, said, texts.read())


def outcome_of(copy: Copy) -> Optional[Outcome]:
    """The outcome in a copy of the process; None where the copy did not come to an end."""
    told = copy.outcome()
    return None if told is None else Outcome(*told)


def summary() -> list[str]:
    """The comparisons of this process, in lines."""
    calls = count(checks.compared, "call", "calls")
    callables = count(len(checks.callables), "compiled callable", "compiled callables")
    found = {0: "none differs", 1: "1 differs"}.get(len(checks.differing), f"{len(checks.differing)} differ")
    lines = [f"graphmend: check: {calls} of {callables} compared with eager Python, {found}"]
    lines += [f"  differs  {text}" for text in checks.differing]
    return [*lines, *(f"  {number} not compared: {reason}" for reason, number in checks.skipped.items())]
