"""`_gm`, by which mended code finds the runtime: a class whose static methods are the calls of the dialect.

It is a builtin, so that code finds it whatever globals it runs with, and no module shows a name that its file has not.
In a process without graphmend there is no such builtin. Mended code may get there in a pickle: it carries a constant
that brings a stand-in along, with which the code runs as it was written.
"""

from __future__ import annotations

import builtins
import types
from typing import Any, Callable

NAME = "_gm"

# What is evaluated where the constant is unpickled: nothing where the name is known.
STAND_IN = """(lambda names: names.setdefault("_gm", type("_gm", (), {
    "on": staticmethod(lambda site: False),
    "taken": staticmethod(lambda site, value: value),
    "outside": staticmethod(lambda site, function, part="": function),
})) and b"graphmend")(__import__("builtins").__dict__)"""


class Dialect:
    """The calls of the dialect. Dynamo takes builtins that can be called, as a class can."""


class Carrier(bytearray):
    """A constant that nothing loads; where it is unpickled the name is known. `marshal` takes it for bytes."""

    def __reduce__(self) -> Any:
        return eval, (STAND_IN,)

    __reduce_ex__ = lambda self, protocol: self.__reduce__()  # type: ignore[assignment]  # noqa: E731
    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


CARRIER = Carrier(b"graphmend")


def bind(calls: dict[str, Callable[..., Any]]) -> None:
    """Put calls into the class, and the class among the builtins."""
    for name, call in calls.items():
        setattr(Dialect, name, staticmethod(call))
    setattr(builtins, NAME, Dialect)


def carrying(code: types.CodeType) -> types.CodeType:
    """Code that brings a stand-in along when it is pickled; so does all code inside of it that needs one."""
    constants = tuple(carrying(item) if isinstance(item, types.CodeType) else item for item in code.co_consts)
    if NAME in code.co_names:
        constants += (CARRIER,)
    return code.replace(co_consts=constants) if constants != code.co_consts else code
