"""Receivers of log records that may keep a record after the call, for example a buffering handler.

    logger.info("loss %s", loss)              # record.args is (loss,): Python keeps the tensor itself
    loss.add_(1)                              # a record formatted later shows the new number
    handler.flush()                           # deferral passes a copy of `loss`, and shows the old number

A handler with kept records may format the records later, or hand the arguments to the program. Python's own
`MemoryHandler` does, and the handler of pytest. The check reads the bytecode of the receiver's methods: a receiver
keeps no record if the record only goes to attribute reads, and to methods that pass the same check.
"""

from __future__ import annotations

import dis
import functools
import inspect
import logging
import types
from typing import Any, Optional

READS = ("LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "FORMAT_", "CONVERT_VALUE")
CALLEES = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF")
FORMATS_FIRST = ("logging", "logging.handlers.QueueHandler")  # receivers that keep the formatted text alone
PROCESS = "process"  # of an adapter, which gets the message of a record
ENTRIES = frozenset("emit handle filter format prepare enqueue __call__".split())


@functools.lru_cache(maxsize=None)
def known_methods() -> frozenset[str]:
    """Names of the methods by which Python's own receivers pass a record on."""
    kinds = (logging.Handler, logging.Formatter, logging.Filter, logging.StreamHandler)
    return frozenset(name for kind in kinds for name in vars(kind)) | ENTRIES


def keeps_records(receiver: Any) -> bool:
    """Whether a handler, filter, formatter or factory may keep the records handed to it."""
    if receiver is None or isinstance(receiver, logging.Logger) or receiver is logging.LogRecord:
        return False
    if hasattr(receiver, "__code__"):
        callees = receivers_of_arguments(receiver.__code__, 0)
        return callees is None or not callees <= known_methods()
    methods = methods_of(receiver)
    if isinstance(receiver, logging.LoggerAdapter) and not methods.keys() <= {"__init__", PROCESS}:
        return True  # a method in the place of `log` is handed the arguments of the record
    pending, seen = [name for name in methods if name in ENTRIES or name == PROCESS], set()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        callees = receivers_of_arguments(methods[name].__code__, 0 if is_static(receiver, name) else 1)
        if callees is None or not callees <= known_methods() | methods.keys():
            return True
        pending += callees & methods.keys()
    return False


def methods_of(receiver: Any) -> dict[str, types.FunctionType]:
    """The methods of a receiver by name, without methods of Python's library that keep no record."""
    methods: dict[str, types.FunctionType] = {}
    for kind in reversed(type(receiver).__mro__[:-1]):
        if kind.__module__ in FORMATS_FIRST or f"{kind.__module__}.{kind.__qualname__}" in FORMATS_FIRST:
            continue
        for name, member in vars(kind).items():
            function = getattr(member, "__func__", member)
            if isinstance(function, types.FunctionType):
                methods[name] = function
    return methods


def is_static(receiver: Any, name: str) -> bool:
    """Whether a method of a receiver gets no receiver: its first argument may be a record."""
    return isinstance(inspect.getattr_static(type(receiver), name), staticmethod)


def is_returned(steps: list[dis.Instruction]) -> bool:
    """Whether the first of these steps returns a value that was loaded, alone or at the end of a tuple."""
    names = [step.opname for step in steps[:2]]
    return names[:1] == ["RETURN_VALUE"] or names == ["BUILD_TUPLE", "RETURN_VALUE"]


def is_spread(steps: list[dis.Instruction]) -> bool:
    """Whether these steps call something with what was loaded, in `f(*args)` or `f(*args, **options)`."""
    names = [step.opname for step in steps[:3]]
    return names[0] in ("CALL_FUNCTION_EX", "DICT_MERGE") or (names[0], names[-1]) == ("BUILD_MAP", "DICT_MERGE")


@functools.lru_cache(maxsize=1024)
def receivers_of_arguments(code: types.CodeType, first: int) -> Optional[frozenset[str]]:
    """The names of the methods that code hands its arguments to, from argument number `first` on; None where the code
    may keep an argument.

    Reading and setting attributes of an argument, its text, and giving it back is no keeping. Nor is a call that all
    further arguments are handed to as they came, for that is how a factory of records calls another one.
    """
    count = code.co_argcount + code.co_kwonlyargcount
    end = count + bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    names = frozenset(code.co_varnames[min(first, code.co_argcount) : end])
    further = code.co_varnames[count:end]
    if names.intersection(code.co_cellvars):
        return None
    steps = [item for item in dis.get_instructions(code) if item.opname not in ("CACHE", "EXTENDED_ARG")]
    callee, callees = "", set()
    for place, (step, following) in enumerate(zip(steps, steps[1:])):
        if step.opname in CALLEES or step.opname.startswith("CALL"):
            callee = str(step.argval) if step.opname in CALLEES else ""
        if not step.opname.startswith("LOAD_FAST"):
            continue
        loaded = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        arguments = [name for name in loaded if name in names]
        if (
            not arguments
            or (arguments == [loaded[-1]] and following.opname.startswith(READS))
            or is_returned(steps[place + 1 :])
            or (loaded[-1] in further and is_spread(steps[place + 1 :]))
        ):
            continue
        if not callee:
            return None
        callees.add(callee)
    return frozenset(callees)
