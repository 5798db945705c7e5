"""`_gm`, the builtin through which mended code calls the runtime.

    if x.sum() > 0: ...           # the program
    if _gm.on("m.py:3:4:GM101"):  # mended: `_gm` is a class whose static methods are the calls of the dialect
        ...

A builtin is found from code with any globals, and no module of the program shows a new name. A process without
graphmend has no such builtin, and mended code may arrive there in a pickle. So mended code has a constant, `CARRIER`,
whose unpickling defines a stand-in; with the stand-in the code runs as the program was written.
"""

from __future__ import annotations

import atexit
import builtins
import sys
import types
from typing import Any, Callable

NAME = "_gm"

# The expression that unpickling evaluates; without effect where `_gm` exists.
STAND_IN = """(lambda names: names.setdefault("_gm", type("_gm", (), {
    "on": staticmethod(lambda site: False),
    "taken": staticmethod(lambda site, value: value),
    "outside": staticmethod(lambda site, function, part="": function),
})) and b"graphmend")(__import__("builtins").__dict__)"""


class Dialect:
    """The calls of the dialect, as static methods. Dynamo accepts a builtin that is callable, such as a class."""


class Carrier(bytearray):
    """A constant that no code loads; unpickling evaluates `STAND_IN`. `marshal` writes the constant as bytes."""

    def __reduce__(self) -> Any:
        """Pickle the constant as a call of `eval`."""
        return eval, (STAND_IN,)

    __reduce_ex__ = lambda self, protocol: self.__reduce__()  # noqa: E731
    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


CARRIER = Carrier(b"graphmend")


def bind(calls: dict[str, Callable[..., Any]]) -> None:
    """Put calls into the class, and the class among the builtins."""
    if not hasattr(builtins, NAME):
        atexit.register(keep_for_finalizers)
    for name, call in calls.items():
        setattr(Dialect, name, staticmethod(call))
    setattr(builtins, NAME, Dialect)


def keep_for_finalizers() -> None:
    """Put the class into each module: Python takes added builtins away before the last finalizers of a program run."""
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if type(names) is dict:
            names.setdefault(NAME, Dialect)


def carrying(code: types.CodeType) -> types.CodeType:
    """A code object with `CARRIER` among the constants, if the code names `_gm`; nested code objects likewise."""
    constants = tuple(carrying(item) if isinstance(item, types.CodeType) else item for item in code.co_consts)
    if NAME in code.co_names:
        constants += (CARRIER,)
    return code.replace(co_consts=constants) if constants != code.co_consts else code
