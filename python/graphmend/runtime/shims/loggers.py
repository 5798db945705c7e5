"""Loggers that a call looks up, and questions to a logger.

    logger = logging.getLogger(__name__)           # Dynamo traces the module `logging`, and stops at the root logger
    if logger.isEnabledFor(logging.DEBUG):         # Dynamo knows no method of a logger
        logger.debug("shape %s", x.shape)

A look-up leads to the table of all loggers. Each look-up and each question is answered during the trace, and a guard
asks again. Objects of classes derived from `logging.Logger` are left to Dynamo: their methods may do more.
"""

from __future__ import annotations

import functools
import logging
from typing import Any, Optional

from ..base import hooks, torch_names, trace_state

FEATURE = hooks.Feature(__name__, hooks.GAIN, "look-ups of loggers and questions to a logger")

CLASSES = (logging.Logger, logging.RootLogger)
OTHER_LEVEL = "Other level of a logger"
# Methods that a trace answers, with the numbers of arguments.
METHODS = {"getChild": 1, "getEffectiveLevel": 0, "hasHandlers": 0, "isEnabledFor": 1, "setLevel": 1}
PLAIN = ("level", "name", "propagate", "disabled")  # attributes that are numbers and texts
OBJECTS = ("filters", "handlers", "parent")


@FEATURE.hook("function.call")
def look_up(call: Any, trace: trace_state.Trace, self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
    """Look up a logger by a constant name."""
    if self.fn is not logging.getLogger or kwargs or len(args) > 1:
        return hooks.DECLINED
    name = args[0].realize() if args else None
    if name is not None and not name.is_python_constant():
        return hooks.DECLINED
    found = logger_of(tx, None if name is None else name.as_python_constant())
    return hooks.DECLINED if found is None else found


@FEATURE.hook("logger.getattr")
def read(get: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str) -> Any:
    """Read an attribute of a logger."""
    from ..base.torch_names import AttrSource, ConstantVariable, VariableTracker

    if not is_plain(self):
        return hooks.DECLINED
    if name in PLAIN:
        return ConstantVariable.create(guarded(self.source, self.value, name))
    if name in OBJECTS:
        return VariableTracker.build(tx, getattr(self.value, name), AttrSource(self.source, name))
    return hooks.DECLINED


@FEATURE.hook("logger.method")
def ask(call: Any, trace: trace_state.Trace, self: Any, tx: Any, name: str, args: Any, kwargs: Any) -> Any:
    """Ask a logger about levels, handlers and descendants."""
    from ..base.torch_names import ConstantVariable, install_guard

    if METHODS.get(name) != len(args) or kwargs or not is_plain(self) or name in vars(self.value):
        return hooks.DECLINED
    constants = [argument.realize() for argument in args]
    if not all(argument.is_python_constant() for argument in constants):
        return hooks.DECLINED
    values = [argument.as_python_constant() for argument in constants]
    if name == "setLevel":
        return set_level(self, values[0])
    if name == "getChild":
        found = child_of(tx, self, values[0])
        return hooks.DECLINED if found is None else found
    if not all(type(value) is int for value in values):
        return hooks.DECLINED
    answer = getattr(self.value, name)(*values)
    guard_identity(self.source)
    question = f"{name}({', '.join(map(repr, values))}) == {answer!r}"
    install_guard(self.source.make_guard(functools.partial(ask_again, question=question)))
    return ConstantVariable.create(answer)


@FEATURE.hook("compare")
def compare(compare: Any, trace: trace_state.Trace, sign: str, tx: Any, sides: Any, options: Any) -> Any:
    """Compare two loggers, which are equal if they are one object."""
    first, second = (side.realize() for side in sides)
    if sign not in ("is", "is not", "==", "!=") or not (is_plain(first) and is_plain(second)):
        return hooks.DECLINED
    from ..base.torch_names import ConstantVariable

    for side in (first, second):
        guard_identity(side.source)
    return ConstantVariable.create((first.value is second.value) == (sign in ("is", "==")))


def is_plain(variable: Any) -> bool:
    """Whether a variable stands for a logger from before the call, of a class of Python's own."""
    return (
        isinstance(variable, torch_names.LoggingLoggerVariable)
        and variable.source is not None
        and type(variable.value) in CLASSES
    )


def guard_identity(source: Any) -> None:
    """Guard that a source leads to the object of now."""
    from ..base.torch_names import GuardBuilder, install_guard

    install_guard(source.make_guard(GuardBuilder.ID_MATCH))


def guarded(source: Any, logger: Any, name: str) -> Any:
    """An attribute of a logger, with a guard on the logger and on the value."""
    from ..base.torch_names import AttrSource, GuardBuilder, install_guard

    guard_identity(source)
    value, place = getattr(logger, name), AttrSource(source, name)
    plain = type(value) in (int, bool, str)
    install_guard(place.make_guard(GuardBuilder.EQUALS_MATCH if plain else GuardBuilder.ID_MATCH))
    return value


def ask_again(builder: Any, guard: Any, *, question: str) -> None:
    """Guard the answer to a question by asking again; the logger keeps answers, and may keep one too long."""
    code = f"{builder.arg_ref(guard)}.{question}"
    builder.add_python_lambda_leaf_guard_to_root([code], [code])  # runs behind all other guards


def set_level(variable: Any, level: Any) -> Any:
    """Set the level that a logger has already; another level is set in eager Python."""
    from ..base.torch_names import ConstantVariable, unimplemented

    present = guarded(variable.source, variable.value, "level")
    if level != (present if type(level) is int else logging.getLevelName(present)):
        reason = "a trace sets no level, and later calls find the level set"
        unimplemented(gb_type=OTHER_LEVEL, context="", explanation=reason, hints=[])
    return ConstantVariable.create(None)


def child_of(tx: Any, variable: Any, suffix: Any) -> Optional[Any]:
    """Dynamo's variable of a descendant of a logger; None for a suffix that is no text."""
    if type(suffix) is not str:
        return None
    above = guarded(variable.source, variable.value, "name")
    return logger_of(tx, suffix if type(variable.value) is logging.RootLogger else f"{above}.{suffix}")


def logger_of(tx: Any, name: Any) -> Optional[Any]:
    """Dynamo's variable of the logger with a name, which is made if need be; None where Python's rules differ."""
    from ..base.torch_names import AttrSource, DictGetItemSource, VariableTracker

    if name is not None and type(name) is not str:
        return None
    source = AttrSource(tx.import_source("logging"), "root")
    logger = logging.getLogger(name)
    if logger is not logging.root:
        table = AttrSource(AttrSource(AttrSource(tx.import_source("logging"), "Logger"), "manager"), "loggerDict")
        if logging.Logger.manager.loggerDict.get(str(name)) is not logger:
            return None
        source = DictGetItemSource(table, name)
    if type(logger) not in CLASSES:
        return None
    guard_identity(source)
    return VariableTracker.build(tx, logger, source)
