"""Whether a function has a body: a model answers in place of one, so a body would never run.

    def hire(resume: str) -> Person: ...                          # none
    def hire(resume: str) -> Person:
        "Read the resume."
        raise NotImplementedError                                 # none: mypy wants a body, and accepts this one
    def hire(resume: str) -> Person:
        return Person(resume.split()[0])                          # a body

The bytecode tells, for the source of a function is not always there. A function without a body loads None and returns
it; all else belongs to generators and coroutines, whose frames begin and end with instructions of their own.
"""

from __future__ import annotations

import dis
import types

FRAME = frozenset(
    "CACHE RESUME NOP NOT_TAKEN EXTENDED_ARG GEN_START RETURN_GENERATOR POP_TOP COPY_FREE_VARS MAKE_CELL RETURN_VALUE "
    "CALL_INTRINSIC_1 RERAISE".split()
)
CONSTANTS = frozenset(["LOAD_CONST", "RETURN_CONST"])
RAISING = frozenset(["LOAD_GLOBAL", "RAISE_VARARGS", "PUSH_NULL", "PRECALL", "CALL", "CALL_FUNCTION"])


def has_body(code: types.CodeType) -> bool:
    """Whether code does more than to end, or to raise NotImplementedError."""
    instructions = list(dis.get_instructions(code))
    raises = [item.argval for item in instructions if item.opname == "LOAD_GLOBAL"] == ["NotImplementedError"]
    for item in instructions:
        if item.opname in FRAME or (raises and item.opname in RAISING):
            continue
        if item.opname in CONSTANTS and (item.argval is None or raises):
            continue
        return True
    return False
