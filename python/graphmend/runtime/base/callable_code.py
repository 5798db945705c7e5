"""The code of what Python can call: functions, methods, partials, and objects with a call."""

from __future__ import annotations

import functools
import inspect
from types import CodeType
from typing import Any, Optional

SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def code_of(function: Any) -> Optional[CodeType]:
    """The code of a callable; None for built-in functions."""
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__code__"):
        function = type(function).__call__
        function = getattr(function, "__func__", function)
    code: Optional[CodeType] = getattr(function, "__code__", None)
    return code


def is_suspended(code: CodeType) -> bool:
    """Whether a call only makes a generator or coroutine, whose body runs later."""
    return bool(code.co_flags & SUSPENDED)
