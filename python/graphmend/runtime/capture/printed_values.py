"""The texts of its values that the code of a print asks for.

    print(f"{i:02d}:", item)      # the code: lambda i, item: print(f"{i:02d}:", item)
    texts_of(code, "item")        # {"str"}: `print` shows `str(item)`
    texts_of(code, "i")           # None: a format asks for more than a text

The code of an effect has no loops. Walks along its paths keep the stack of values by name, and look at the consumer of
each value. An unknown instruction ends the walks without an answer.
"""

from __future__ import annotations

import dis
import types
from typing import Any, Optional

SKIPPED = "RESUME NOP CACHE EXTENDED_ARG PRECALL COPY_FREE_VARS MAKE_CELL NOT_TAKEN PUSH_NULL".split()
CALLS = ("CALL", "CALL_FUNCTION", "CALL_METHOD")
CALLS_WITH_NAMES = ("CALL_KW", "CALL_FUNCTION_KW")
LOADS = ("LOAD_FAST", "LOAD_DEREF", "LOAD_CLOSURE")
CONVERSIONS = {1: "str", 2: "repr"}  # of `!s` and `!r`
ASKING = {"print": "str", "str": "str", "repr": "repr"}
ENDS = ("RETURN_VALUE", "RETURN_CONST")
MAX_STEPS = 500
GLOBAL = "global "  # in front of the name of a global on the stack
OTHER = ""  # a value on the stack that is no parameter
HOLDER = "[]"  # a container on the stack that holds the parameter: its text has the parameter's `repr`


class Unknown(Exception):
    """The walk does not know what a value is used for."""


def texts_of(code: types.CodeType, parameter: str) -> Optional[set[str]]:
    """The functions that make a text of a parameter: `str`, `repr` or both; None if the code does more with it."""
    steps = list(dis.get_instructions(code))
    places = {step.offset: place for place, step in enumerate(steps)}
    texts: set[str] = set()
    walks = [Walk(parameter, code.co_consts, texts)]
    try:
        for _ in range(MAX_STEPS):
            if not walks:
                return texts
            walk = walks.pop()
            step = steps[walk.place]
            walk.place += 1
            if "JUMP" in step.opname:
                walks += walk.branches(step.opname, places[step.argval])
            elif step.opname not in ENDS:
                walk.follow(step)
                walks.append(walk)
            else:
                walk.pop(len(walk.stack))
    except (Unknown, IndexError, KeyError):
        pass
    return None


class Walk:
    """The stack of values in front of one instruction, and the texts of one parameter on all paths so far."""

    def __init__(self, parameter: str, constants: tuple[Any, ...], texts: set[str]) -> None:
        self.parameter = parameter
        self.shown = frozenset((parameter, HOLDER))
        self.constants = constants
        self.texts = texts
        self.place = 0
        self.stack: list[str] = []
        self.names = 0  # arguments by name of the next call
        self.last_constant: Any = ()  # the names themselves, in other versions of Python

    def branches(self, name: str, target: int) -> list[Walk]:
        """The walks behind a jump forward, conditional or not."""
        if target < self.place:
            raise Unknown
        jumped = Walk(self.parameter, self.constants, self.texts)
        jumped.stack, jumped.place, jumped.last_constant = list(self.stack), target, self.last_constant
        if name == "JUMP_FORWARD":
            return [jumped]
        self.pop(1)  # a test of the parameter asks for more than a text
        if not name.endswith("_OR_POP"):
            jumped.stack.pop()
        return [self, jumped]

    def follow(self, step: dis.Instruction) -> None:
        """Go behind one instruction."""
        name, count = step.opname, step.arg or 0
        if name in SKIPPED:
            return
        if name.startswith(LOADS):
            self.stack += step.argval if isinstance(step.argval, tuple) else [step.argval]
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            self.stack.append(OTHER)
            self.last_constant = step.argval
        elif name == "LOAD_GLOBAL":
            self.stack.append(GLOBAL + step.argval)
        elif name == "KW_NAMES":
            self.names = len(self.constants[count])
        elif name in CALLS_WITH_NAMES:
            self.pop(1)
            self.call(count, len(self.last_constant))
        elif name in CALLS:
            self.call(count, self.names if name == "CALL" else 0)
        elif name in ("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE"):
            self.format(name, count)
        elif name in ("LOAD_ATTR", "LOAD_METHOD", "TO_BOOL") or name.startswith("UNARY_"):
            self.replace(1)
        elif name.startswith(("BINARY_", "COMPARE_OP", "IS_OP", "CONTAINS_OP")):
            self.replace(2)
        elif name == "BUILD_STRING":
            self.replace(count)
        elif name in ("BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP", "BUILD_CONST_KEY_MAP"):
            self.pop(int(name == "BUILD_CONST_KEY_MAP"))
            self.build(2 * count if name == "BUILD_MAP" else count, name == "BUILD_MAP")
        elif name == "POP_TOP":
            self.pop(1)
        elif name == "COPY":
            self.stack.append(self.stack[-count])
        else:
            raise Unknown

    def pop(self, count: int) -> None:
        """Drop values; the parameter is no such value."""
        for _ in range(count):
            if self.stack.pop() in self.shown:
                raise Unknown

    def build(self, count: int, has_keys: bool) -> None:
        """Put a container in the place of its items, or of keys and items in turn."""
        first = len(self.stack) - count
        if has_keys and not self.shown.isdisjoint(self.stack[first::2]):
            raise Unknown  # a key is hashed
        self.stack[first:] = [OTHER if self.shown.isdisjoint(self.stack[first:]) else HOLDER]

    def replace(self, count: int) -> None:
        """Put one value in the place of several."""
        self.pop(count)
        self.stack.append(OTHER)

    def format(self, name: str, flags: int) -> None:
        """A part of an f-string: flags of FORMAT_VALUE tell the conversion, and whether there is a specification."""
        if name == "FORMAT_WITH_SPEC" or (name == "FORMAT_VALUE" and flags & 4):
            self.pop(1)
        value = self.stack.pop()
        self.stack.append(OTHER)
        if value not in self.shown:
            return
        conversion = flags & 3 if name in ("FORMAT_VALUE", "CONVERT_VALUE") else 0
        if conversion == 3 or (not conversion and (name == "FORMAT_WITH_SPEC" or flags & 4)):
            raise Unknown
        self.texts.add(CONVERSIONS.get(conversion, "str") if value == self.parameter else "repr")

    def call(self, count: int, names: int) -> None:
        """A call with arguments by place and by name."""
        first = len(self.stack) - count
        arguments, function = self.stack[first:], self.stack[first - 1]
        del self.stack[first - 1 :]
        self.stack.append(OTHER)
        self.names = 0
        shown = self.shown.intersection(arguments)
        if not shown:
            return
        asked = ASKING.get(function[len(GLOBAL) :]) if function.startswith(GLOBAL) else None
        named = arguments[count - names :]
        if asked is None or not shown.isdisjoint(named) or (function != GLOBAL + "print" and count != 1):
            raise Unknown
        self.texts.update(asked if item == self.parameter else "repr" for item in shown)
